// Whole trades: what is told of each against its orders at the exchange and what the account holds.
import { shown } from "./actions.mjs";
import { isLive } from "./books.mjs";
import { lastAt } from "./truth.mjs";
import { least, most, parse, show, size } from "./units.mjs";
import { judgeText } from "./words.mjs";

const ENDS = new Set(["closed", "canceled", "rejected", "closed_outside", "withdrawn"]);
/** How long a stop that is gone may be told to protect: until a look shows that it is. */
const LOOK_MS = 6_000;
/** How old what it holds may be: until a fill of others is known, and of what its bot sells fifteen seconds. */
const HELD_MS = Number(process.env.HELD_MS ?? 15_000);

/** Orders of a trade at the exchange: its entry and its guards, by the names of their Idempotency-Keys. */
function parts(judge, row) {
  const { books, truth } = judge.stage;
  const tag = row.id.replaceAll("-", "").slice(-16);
  const mine = truth.orders.filter(
    (o) => o.by === "gateway" && judge.stage.names.get(books.whose.get(o.cloid)?.id)?.includes(tag),
  );
  return {
    entries: mine.filter((o) => !o.reduce),
    stops: mine.filter((o) => o.reduce && o.trigger?.tpsl === "sl"),
    closers: mine.filter((o) => o.reduce),
    mine,
  };
}

export function judgeTrade(judge, told, row) {
  if (told.isReplay) return;
  const { books, truth } = judge.stage;
  const { entries, stops, closers, mine } = parts(judge, row);
  const isLong = row.side === "buy";
  const filled = (orders, t) => orders.reduce((a, o) => a + (lastAt(o.versions, t)?.filled ?? 0n), 0n);
  const left = (t) =>
    stops
      .map((o) => lastAt(o.versions, t))
      .filter(isLive)
      .reduce((a, v) => a + v.sz, 0n);
  const account = (t) => (truth.held(row.market, t) > 0n === isLong ? size(truth.held(row.market, t)) : 0n);
  const own = (t) => filled(entries, t) - filled(closers, t) - soldOtherwise(judge, { told, row, mine }, t);
  const held = (t) => least(own(t) > 0n ? own(t) : 0n, account(t));
  const from = told.from - judge.stage.grace;
  const within = (of, start = from) => books.values(of, start, told.to);
  const about = () => ({
    from: told.from,
    to: told.to,
    orders: mine.map(shown),
    account: show(account(told.to)),
    held: show(held(told.to)),
  });
  judge.claim("trade: filled_size", parse(row.filled_size) <= filled(entries, told.to), row, about());
  if (row.protected)
    judge.claim("trade: protected", within((t) => left(t) >= held(t), from - LOOK_MS).some(Boolean), row, about());
  else
    judge.claim("trade: unprotected", row.unprotected_because !== null && row.unprotected_since !== null, row, about());
  if (!row.protected && judge.stage.isPlain)
    judge.claim(
      "trade: unprotected, plainly",
      within((t) => left(t) < held(t), from - LOOK_MS).some(Boolean),
      row,
      about(),
    );
  const top = within((t) => held(t), from - HELD_MS).reduce(most);
  const could = within((t) => own(t), from - HELD_MS).reduce(most);
  judge.claim("trade: held_size", parse(row.held_size) <= (row.protected ? top : could), row, about());
  if (ENDS.has(row.status)) {
    judge.claim(
      `trade ${row.status}: nothing is out`,
      !mine.some((o) => isLive(lastAt(o.versions, told.to))),
      row,
      about(),
    );
    if (row.status === "closed")
      judge.claim(
        "trade closed: by its own guards",
        own(told.to) === 0n && filled(entries, told.to) > 0n,
        row,
        about(),
      );
    if (row.status === "canceled" || row.status === "rejected")
      judge.claim(`trade ${row.status}: without a fill`, filled(entries, told.to) === 0n, row, about());
    if (row.status === "closed_outside")
      judge.claim(
        "trade closed_outside: other hands",
        within((t) => account(t) < own(t) || byOthers(judge, row, t)).some(Boolean),
        row,
        about(),
      );
  }
  if (row.status === "open")
    judge.claim(
      "trade open: the entry is over",
      within((t) => !entries.some((o) => isLive(lastAt(o.versions, t)))).some(Boolean),
      row,
      about(),
    );
  for (const text of [row.error, row.unprotected_because])
    if (text !== null) judgeText(judge, told, text, { code: `trade ${row.status}`, row, legs: mine });
}

/** What its bot has closed there by other orders: of that its trade holds less. */
function soldOtherwise(judge, { told, row, mine }, t) {
  const { books, truth } = judge.stage;
  const who = books.owner(mine[0] ?? { by: "nobody" });
  const isOther = (f) => {
    const order = truth.byOid.get(String(f.oid));
    return books.owner(order) === who && !judge.stage.names.get(books.whose.get(order.cloid)?.id)?.startsWith("trade ");
  };
  const since = mine[0]?.t ?? told.from;
  return truth.fills
    .filter((f) => f.coin === row.market && f.t >= since && f.t <= t && f.isBuy !== (row.side === "buy") && isOther(f))
    .reduce((a, f) => a + f.sz, 0n);
}

/** Whether others closed something on the trade's side: the account, or its own bot by another order. */
function byOthers(judge, row, t) {
  const { books, truth } = judge.stage;
  const isLong = row.side === "buy";
  const tag = row.id.replaceAll("-", "").slice(-16);
  return truth.fills.some((f) => {
    const order = truth.byOid.get(String(f.oid));
    const isOurs = judge.stage.names.get(books.whose.get(order.cloid)?.id)?.includes(tag);
    return f.coin === row.market && f.t <= t && f.isBuy !== isLong && !isOurs;
  });
}

export function judgeTradesAtEnd(judge) {
  const { gateway, truth } = judge.stage;
  const last = new Map();
  for (const t of gateway.told)
    for (const row of t.value?.object === "list" ? t.value.data : [t.value])
      if (row?.object === "trade" && !t.isReplay) last.set(row.id, { row, t });
  for (const { row, t } of last.values()) {
    const { entries, stops, closers, mine } = parts(judge, row);
    const sum = (orders) => orders.reduce((a, o) => a + o.filled, 0n);
    const about = { orders: mine.map(shown), held: show(truth.held(row.market)) };
    for (const guard of closers) forNothing(judge, { row, entries, about }, guard);
    judge.claim("a trade closes no more than its own", sum(closers) <= sum(entries), row, about);
    judge.claim("a trade enters no more than it was asked", sum(entries) <= parse(row.size), row, about);
    const out = stops.filter((o) => isLive(o.versions.at(-1))).reduce((a, o) => a + o.versions.at(-1).sz, 0n);
    if (
      judge.stage.isRested &&
      row.status === "open" &&
      row.protected &&
      judge.stage.isAlone &&
      t.to > Date.now() - 5000
    )
      judge.claim(
        "at rest stops are what is held",
        out === least(sum(entries) - sum(closers), size(truth.held(row.market))),
        row,
        about,
      );
  }
}

/** A guard is placed for what is held or may be entered; what the bot has long sold it has no guard for. */
function forNothing(judge, { row, entries, about }, guard) {
  const { books } = judge.stage;
  const who = books.owner(guard);
  // What an answer has told to be filled is known from then on, whatever the stores show.
  const isAnswer = (a) =>
    a.who === who && a.method === "POST" && a.value?.object === "order" && Number(a.value.filled_size) > 0;
  const answered = judge.stage.gateway.told.filter((a) => isAnswer(a) && a.to < guard.t - 500).map((a) => a.to);
  const since = Math.max(guard.t - judge.stage.grace - 1_500, ...answered);
  const isLong = row.side === "buy";
  const held = books.values((t) => books.net(who, row.market, t), since, guard.t);
  const mayEnter = entries.length === 0 || entries.some((o) => isLive(lastAt(o.versions, since)) || o.t >= since);
  const isForSomething = mayEnter || held.some((n) => (isLong ? n > 0n : n < 0n));
  judge.claim("no guard for nothing", isForSomething, { guard: shown(guard), trade: row.id }, { held, ...about });
}
