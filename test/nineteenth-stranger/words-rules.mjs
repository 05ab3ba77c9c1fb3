import { during, lastAt } from "./truth.mjs";
import { parse, show, size } from "./units.mjs";
import { railRules } from "./words-rails.mjs";

const LIVE = new Set(["open", "triggered"]);

/** Each text that is put into the exchange's mouth was said by it. */
function said({ stage, text }) {
  for (const [, quote] of text.matchAll(/The exchange says: "([^"]+)"/g))
    if (!stage.truth.answers.has(quote)) return { "never said": quote };
  return true;
}

function heldAt({ stage, told, found }, isSo) {
  const { books, truth } = stage;
  const at = (t) => isSo(truth.held(found.coin, t), books.net(told.who, found.coin, t));
  return (
    books.values(at, told.from, told.to).some(Boolean) || {
      account: books.values((t) => show(truth.held(found.coin, t)), told.from, told.to),
      net: show(books.net(told.who, found.coin, told.to)),
    }
  );
}

/** What ended it, by the last version of any leg: the word in brackets, or who. */
function endedBy(isSo) {
  return (given) => {
    const { about, told } = given;
    const fit = (about.legs ?? []).filter((o) => o.versions.some((v) => v.t <= told.to && isSo(v, given)));
    if (fit.length === 0)
      return { legs: (about.legs ?? []).map((o) => o.versions.map((v) => `${v.status} by ${v.who}`)) };
    return said(given);
  };
}

const byWord = endedBy((v, { found }) => v.status === found.word);

function neverRan({ about, stage, told, text }) {
  if (about.code === "order rejected" || about.code === "leg reason") {
    const ran = (about.legs ?? []).filter((o) => o.t <= told.to);
    if (ran.length > 0) return { ran: ran.map((o) => o.oid) };
  }
  void stage;
  void text;
  return true;
}

function replacementRefused(given) {
  const { about, told } = given;
  const versions = (about.all ?? about.legs ?? []).flatMap((o) => o.versions.filter((v) => v.t <= told.to));
  const isSo = versions.some((v) => v.who === "modify") && versions.some((v) => /Rejected$/.test(v.status));
  return isSo ? said(given) : { versions };
}

function priced({ stage, told, found, about }) {
  const { truth, books } = stage;
  const coin = about.row.market;
  const at = Date.parse(found.at);
  const marks = books.marks(coin, at - 6_000, told.to);
  const isMark = [found.low, found.high].every((p) => marks.some((m) => near(m, parse(p))));
  const isBest = marks.some((m) => near(m, parse(found.best)));
  if (!isMark || !isBest) return { marks, found };
  if (found.account === undefined) return true;
  const then = Date.parse(found.then);
  const held = books.values((t) => truth.held(coin, t), then - 1, then + 1);
  return held.some((h) => size(h) === size(parse(found.account))) || { held: held.map(show) };
}

const near = (a, b) => size(a - b) * 2_000n <= a;

function stopStands({ stage, told, found }) {
  const stop = stage.gateway.told.find((t) => t.value?.object === "stop" && t.value.id === found.id);
  if (stop === undefined || stop.from > told.to) return { stop: "is none of ours" };
  return found.scope === "this account"
    ? stop.value.scope === "account" || { scope: stop.value.scope }
    : stop.who === told.who || { who: stop.who };
}

function isStatus({ about, told, found }) {
  const isOver = (about.legs ?? []).every((o) => !LIVE.has(lastAt(o.versions, told.to)?.status));
  return isOver || { status: found.status, versions: about.legs.map((o) => o.versions) };
}

function markWas({ stage, told, found }) {
  const coin = told.body?.market ?? stage.marketOf(told);
  const marks = during(stage.truth.market(coin).marks, told.from - 6_000, told.to).map((v) => v.mark);
  return marks.includes(parse(found.mark)) || { marks: marks.map(show) };
}

function nothingHeldAt({ stage, found }) {
  const at = Date.parse(found.at);
  const held = stage.books.values((t) => stage.truth.held(found.coin, t), at - 1, at + 1);
  return held.includes(0n) || { held: held.map(show) };
}

function isOver({ about, told }) {
  return (about.legs ?? []).some((o) => !LIVE.has(lastAt(o.versions, told.to)?.status)) || { legs: about.legs };
}

function partFilled({ about, found, told }) {
  const filled = (about.legs ?? []).reduce((a, o) => a + (lastAt(o.versions, told.to)?.filled ?? 0n), 0n);
  return filled === parse(found.part) || { filled: show(filled) };
}

function wasKilled({ stage, told }) {
  return stage.gateway.deaths.some((t) => t <= told.to) || { deaths: stage.gateway.deaths };
}

function stopRefused(given) {
  const refused = given.stage.truth.orders.some(
    (o) => o.reduce && o.t <= given.told.to && /Rejected$/.test(o.versions[0].status),
  );
  return refused ? said(given) : { refused: "no guard" };
}

export const rules = [
  ...railRules,
  [/^The account holds nothing of (?<coin>\w+) that could be closed\./, (g) => heldAt(g, (account) => account === 0n)],
  [
    /^The account holds -?(?<size>[\d.]+), and this key's bot holds nothing of (?<coin>\w+) that could be closed\./,
    (g) =>
      heldAt(g, (account, net) => size(account) === parse(g.found.size) && (net === 0n || net > 0n !== account > 0n)),
  ],
  [
    /^At (?<at>\S+Z) the account held -?(?<size>[\d.]+), and this key's bot holds nothing of (?<coin>\w+) that could be closed\./,
    (g) => {
      const at = Date.parse(g.found.at);
      const held = g.stage.books.values((t) => size(g.stage.truth.held(g.found.coin, t)), at - 1, at + 1);
      return held.includes(parse(g.found.size)) || { held: held.map(show) };
    },
  ],
  [/^At (?<at>\S+Z) the account held nothing of (?<coin>\w+) that could be closed\./, nothingHeldAt],
  [/^Trading is stopped for (?<scope>this account|an API key) by stop (?<id>[0-9a-f-]{36}),/, stopStands],
  [/^(size|price|trigger\.price|\S+) [\d.]+ (has more decimals than|is not a valid price on)/, null],
  [/^(size|price|\S+) is not valid: |is not on the (losing|winning) side of/, null],
  [/takes no trigger orders on spot\. Nothing was sent\.$/, null],
  [/^leverage \d+ is above the maximum of /, null],
  [/^The order is (?<status>filled|canceled|rejected): there is nothing to modify\. Nothing was sent\./, isStatus],
  [/^(The modify|It) canceled the order and its replacement was refused: /, replacementRefused],
  [/\((?<word>[a-zA-Z]+(Rejected|Canceled|Cancel))\)$/, byWord],
  [/The order was never executed and no longer can be|^It was never executed and no longer can be/, neverRan],
  [/The exchange says: "/, said],
  [/the exchange's answer was lost; what became of the action is being looked up$/, null],
  [
    /^priced: (closes [\d.-]+ of [\d.-]+, of (?<account>[\d.-]+) that the account held at (?<then>\S+Z); )?worst price [\d.]+: \d+ basis points from the best (bid|ask) (?<best>[\d.]+) of (?<at>\S+Z), mark and oracle (?<low>[\d.]+) to (?<high>[\d.]+)/,
    priced,
  ],
  [/^(it is over|closing): .*|^it is over at the exchange; how much of it was filled is being read$/, isOver],
  [/^(?<part>[\d.]+) of [\d.]+ was filled; the rest was canceled: /, partFilled],
  [/^the gateway was stopped before the exchange's answer was written down; it is being looked up$/, wasKilled],
  [/^its (stop|take-profit) was refused: /, stopRefused],
  [/^The mark of \w+ is (?<mark>[\d.]+), and (stop_loss|take_profit)\.trigger_price /, markWas],
  [
    /^The trade has ended: it is (?<status>\w+)\. /,
    ({ stage, told, found }) => {
      const id = told.path.split("/")[3];
      const last = stage.gateway.told
        .filter((t) => t.value?.object === "trade" && t.value.id === id && t.from >= told.to)
        .at(0);
      return last === undefined || last.value.status === found.status || { later: last.value.status };
    },
  ],
  [/^all it has at the exchange to be seen closed, /, null],
  [/^An earlier close in \w+, order [0-9a-f-]{36}, is not settled yet\./, null],
  [/^the exchange's record of it says that it is over, and its list of open orders holds it/, isOver],
  [
    /^the exchange's record of it tells of fills that are not shown yet/,
    ({ about, told }) =>
      (about.legs ?? []).some((o) => lastAt(o.versions, told.to)?.filled > 0n) || { legs: about.legs },
  ],
  [/^the exchange did not take what was to replace this order; whether it left it open is being looked up$/, null],
  [/^what the exchange has made of it is being looked up$/, null],
  [
    /^the exchange has taken what the modify placed; whether in place of this order or beside it/,
    ({ about, stage, told }) =>
      stage.truth.orders.some(
        (o) => o.t <= told.to && o.versions[0].who === "gateway" && o.coin === about.row.market,
      ) || { placed: "nothing" },
  ],
  [/^the exchange to show it, or answers of the exchange's history/, null],
  [/^absence witnessed: /, neverRan],
  [/^the exchange answered that we are too fast; whether the action was taken is being looked up/, null],
  [/^This Idempotency-Key has been used with another /, null],
  [/^its stop is not confirmed yet$/, null],
  [/^end in doubt: \d+ is (?<word>\w+) by its record, and listed as open$/, byWord],
  [
    /^(left-over triggers canceled|left-over triggers kept|taken|intent stored|replacement too large|settled|of a trade|noop sent|noop answered|concluded): /,
    null,
  ],
];
