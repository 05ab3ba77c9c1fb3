// What a refusal of a rail says in figures: the limit as signed, a use that can have been reckoned, and who holds what.
import { RAILS } from "./gateway.mjs";
import { during, lastAt } from "./truth.mjs";
import { least, most, parse, size, times } from "./units.mjs";

const PRICE_MS = 6_000;
const bodySize = (body) => (body?.size === undefined ? 0n : parse(body.size));

function limitIs({ stage, told, found: { bot, rail, limit: text } }) {
  const of = {
    max_order: "order",
    max_position: "position",
    max_exposure: "exposure",
    max_open_orders: "open",
    max_distance: "distance",
  }[rail];
  const known = [stage.railsAt(bot, told.from)[of], stage.railsAt(bot, told.to)[of], RAILS[bot][of]];
  return known.includes(Number(text));
}

/** What the bot held and had out at any moment of the window, and what it asked for meanwhile, all of it as if executed. */
function mostOf({ stage, told }, bot, coin) {
  const { books, truth } = stage;
  const since = Math.min(told.from - stage.grace - 2_000, stage.unsettledSince(bot, told.from) ?? told.from);
  const nets = books.values((t) => size(books.net(bot, coin, t)), since, told.to);
  let sum = nets.reduce((a, b) => most(a, b));
  for (const o of truth.orders.filter((x) => x.coin === coin && books.owner(x) === bot && !x.reduce))
    if (during(o.versions, since, told.to).some((v) => v.t >= since || v.status === "open")) sum += o.sz;
  for (const t of stage.asked(bot, coin, since, told.to)) sum += bodySize(t.body);
  for (const w of truth.twaps.filter((x) => x.coin === coin)) sum += w.sz;
  return sum;
}

function prices(stage, coin, told) {
  const marks = stage.books.marks(coin, told.from - PRICE_MS, told.to);
  return [marks.reduce(least), marks.reduce(most)];
}

function usd({ stage, told, found }) {
  const { bot, rail, limit, use } = found;
  if (!limitIs({ stage, told, found })) return { limit: "is not what was signed" };
  if (parse(use) <= parse(limit)) return { use: "is within the limit" };
  const coins = rail === "max_exposure" ? [...stage.truth.markets.keys()] : [told.body?.market ?? stage.marketOf(told)];
  let sum = 0n;
  for (const coin of coins) {
    if (coin === undefined) return true;
    const isIt = coin === (told.body?.market ?? stage.marketOf(told));
    const held = rail === "max_order" ? 0n : mostOf({ stage, told }, bot, coin);
    const price = isIt && told.body?.price !== undefined ? parse(told.body.price) : 0n;
    const [, high] = prices(stage, coin, told);
    sum += times(held + (isIt ? stage.wished(told) : 0n), (most(high, price) * 1035n) / 1000n);
  }
  return parse(use) <= sum || { use, most: sum };
}

function count({ stage, told, found }) {
  const { bot, use } = found;
  if (!limitIs({ stage, told, found })) return { limit: "is not what was signed" };
  const since = Math.min(told.from - stage.grace - 2_000, stage.unsettledSince(bot, told.from) ?? told.from);
  const mine = stage.truth.orders.filter(
    (o) =>
      stage.books.owner(o) === bot &&
      during(o.versions, since, told.to).some((v) => v.t >= since || v.status === "open"),
  );
  const could = mine.length + stage.asked(bot, null, since, told.to).length + stage.tradesOf(bot) * 3 + 1;
  return Number(use) <= could || { use, could };
}

function distance({ stage, told, found }) {
  const coin = told.body?.market ?? stage.marketOf(told);
  const [low, high] = prices(stage, coin, told);
  const from = parse(found.from);
  return (from >= low && from <= high) || { from: found.from, low, high };
}

/** `limit X of its own`: what the bot held at some moment, with what may have been filled unknown to all. */
function own({ stage, told, found }) {
  const { bot, coin } = found;
  const { books } = stage;
  const since = Math.min(told.from - stage.grace, stage.unsettledSince(bot, told.from) ?? told.from);
  const nets = books.values((t) => books.net(bot, coin, t), since, told.to);
  const sign = told.body?.side === "buy" ? -1n : 1n;
  const high = nets.map((n) => n * sign).reduce(most, 0n);
  const isIn =
    parse(found.limit) <= high + stage.asked(bot, coin, since, told.to).reduce((a, t) => a + bodySize(t.body), 0n);
  if (!isIn) return { limit: found.limit, nets };
  // Less than is held is said only of what rests to reduce, or is on its way.
  const out = books
    .values(
      (t) =>
        books
          .out(bot, coin, t)
          .filter(({ order }) => order.reduce && order.trigger === null)
          .reduce((a, { at }) => a + at.sz, 0n),
      since,
      told.to,
    )
    .reduce(most, 0n);
  const low = nets.map((n) => n * sign).reduce(least);
  return parse(found.limit) + out >= low || { limit: found.limit, low, out, nets };
}

/** What another hand has done the gateway knows as it was last told (docs/rails.md), what its own keys were filled it knows itself. */
function othersHold({ stage, told, found }) {
  const { bot, coin, side } = found;
  const { books, grace } = stage;
  const byHand = (t) => books.net("elsewhere", coin, t);
  const own = books.values((t) => books.others(bot, coin, t) - byHand(t), told.from, told.to);
  const hand = books.values(byHand, told.from - grace, told.to);
  const others = own.flatMap((size) => hand.map((more) => size + more));
  const isSo = others.some((o) => (side === "buy" ? o < 0n : o > 0n));
  return isSo || { others, window: [told.from, told.to] };
}

/** One of both is enough: who may have been filled unheard is told so where others do hold the other side as well. */
function othersHoldOrWasFilled(about) {
  const { stage, told, found } = about;
  const hold = othersHold(about);
  if (hold === true) return true;
  const wasFilled = stage.truth.fills.some(
    (f) =>
      f.coin === found.coin && f.t <= told.to && stage.books.owner(stage.truth.byOid.get(String(f.oid))) === found.bot,
  );
  return wasFilled || { ...hold, bot: "has never been filled" };
}

function othersMay({ stage, told, found }) {
  const { bot, coin } = found;
  const since = told.from - stage.grace - 16_000;
  const others = stage.truth.orders.filter(
    (o) => o.coin === coin && stage.books.owner(o) !== bot && (lastAt(o.versions, told.to) ?? { t: 0 }).t >= since,
  );
  const asked = [...stage.gateway.keys.keys()]
    .filter((w) => w !== bot)
    .flatMap((w) => stage.asked(w, coin, since, told.to));
  return others.length + asked.length > 0 || { others: "had asked for nothing" };
}

export const railRules = [
  [
    /^Rail (?<rail>max_order|max_position|max_exposure) of bot (?<bot>\w+): limit (?<limit>[\d.]+) USD, use (?<use>[\d.]+) USD\./,
    usd,
  ],
  [/^Rail (?<rail>max_open_orders) of bot (?<bot>\w+): limit (?<limit>\d+), use (?<use>\d+)\./, count],
  [/^Rail max_distance of bot (?<bot>\w+): limit [\d.]+ %, use [\d.]+ % from (?<from>[\d.]+)\. /, distance],
  [/^Rail markets of bot (?<bot>\w+): limit [\w,:]+, use \w+\. /, null],
  [/^Rail touches of bot (?<bot>\w+): limit (?<limit>[\d.]+) (?<coin>\w+) of its own, use [\d.]+ \w+\./, own],
  [
    /^Rail touches of bot (?<bot>\w+): limit own, use the position of others in (?<coin>\w+)\./,
    ({ stage, told, found }) =>
      stage.books
        .values((t) => stage.books.others(found.bot, found.coin, t) !== 0n, told.from - stage.grace, told.to)
        .some(Boolean) || { others: "held nothing" },
  ],
  [
    /^Rail touches of bot (?<bot>\w+): limit own, use the place of another's reduce-only order on the book\./,
    ({ stage, told, found }) => {
      const isSo = (t) =>
        [...stage.gateway.keys.keys(), "elsewhere"]
          .filter((w) => w !== found.bot)
          .some((w) => stage.books.out(w, told.body.market, t).some(({ order }) => order.reduce));
      return (
        stage.books.values(isSo, told.from - stage.grace, told.to).some(Boolean) || {
          others: "had no reduce-only order on the book",
        }
      );
    },
  ],
  [
    /^Rail touches of bot (?<bot>\w+): limit own, use an order that another has placed\./,
    ({ stage, told, found }) => {
      const id = told.path.split("/")[3];
      return stage.books.whose.get(`0x${id.replaceAll("-", "")}`)?.who !== found.bot || { owner: found.bot };
    },
  ],
  [/^Rail touches: this key closes its own position alone\./, null],
  [
    /^Rail touches of bot (?<bot>\w+): limit own, use a trade with another's reduce-only order\./,
    ({ stage, told, found }) => {
      const isSo = (t) =>
        [...stage.gateway.keys.keys(), "elsewhere"]
          .filter((w) => w !== found.bot)
          .some((w) => stage.books.out(w, told.body.market, t).some(({ order }) => order.reduce));
      return (
        stage.books.values(isSo, told.from - stage.grace, told.to).some(Boolean) || {
          others: "had no reduce-only order",
        }
      );
    },
  ],
  [
    /^Rail opposite_position of bot (?<bot>\w+): limit others hold the other side of (?<coin>\w+), or orders of this bot were filled and it is not shown yet, use (?<side>buy|sell) beyond flat/,
    othersHoldOrWasFilled,
  ],
  [
    /^Rail opposite_position of bot (?<bot>\w+): limit others hold the other side of (?<coin>\w+), use (?<side>buy|sell) beyond flat/,
    othersHold,
  ],
  [
    /^Rail opposite_position of bot (?<bot>\w+): limit others may come to hold the other side of (?<coin>\w+) by .*use (?<side>buy|sell) beyond flat/,
    othersMay,
  ],
];
