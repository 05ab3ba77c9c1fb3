// What is so at the exchange: orders, fills, positions, each with every moment that it has had, and who did what.
import { least, ONE, over, parse, show, size, times } from "./units.mjs";

export const MARKETS = [
  { name: "BTC", asset: 0, decimals: 5, leverage: 40, at: "60000", step: "1" },
  { name: "ETH", asset: 1, decimals: 4, leverage: 25, at: "2000", step: "0.1" },
  { name: "SOL", asset: 2, decimals: 2, leverage: 20, at: "100", step: "0.01" },
];

const SPREAD = 10_000n;
const TAKER = 45_000n;
const MAKER = 15_000n;

export class Truth {
  constructor() {
    this.markets = new Map(MARKETS.map((m) => [m.name, { ...m, marks: [], depth: { buy: null, sell: null } }]));
    this.orders = [];
    this.byOid = new Map();
    this.fills = [];
    this.positions = new Map();
    this.cash = [{ t: 0, usd: parse("100000") }];
    this.leverages = new Map();
    this.twaps = [];
    this.actions = [];
    this.answers = new Set();
    this.listeners = [];
    this.nextOid = 700_000_000_000 + Math.floor(Math.random() * 1e6);
    this.nextTid = 1_000;
    this.refuse = () => null;
    this.takesLonelyStops = true;
    for (const market of this.markets.values()) this.setMark(market.name, market.at);
  }

  tell(kind, value) {
    for (const listener of this.listeners) listener(kind, value);
  }

  market(coin) {
    return this.markets.get(coin);
  }

  mark(coin, t = Date.now()) {
    return lastAt(this.market(coin).marks, t).mark;
  }

  best(coin) {
    const mark = this.mark(coin);
    const gap = (mark * 1n) / SPREAD;
    return { bid: this.tick(coin, mark - gap), ask: this.tick(coin, mark + gap) };
  }

  tick(coin, price) {
    const step = parse(this.market(coin).step);
    return (price / step) * step;
  }

  held(coin, t = Date.now()) {
    return lastAt(this.positions.get(coin) ?? [], t)?.szi ?? 0n;
  }

  leverage(coin, t = Date.now()) {
    return lastAt(this.leverages.get(coin) ?? [], t) ?? { value: 10, isCross: true };
  }

  /** The mark moves: what rests in the way is filled as far as there is depth, and triggers fire. */
  setMark(coin, text) {
    this.market(coin).marks.push({ t: Date.now(), mark: parse(text) });
    this.tell("mark", coin);
    for (const order of this.live(coin)) this.meet(order);
  }

  live(coin) {
    return this.orders.filter((o) => o.coin === coin && now(o).status === "open");
  }

  meet(order) {
    if (now(order).status !== "open") return;
    const { bid, ask } = this.best(order.coin);
    if (order.trigger !== null && !order.hasFired) {
      if (this.isMet(order)) this.fire(order);
    } else if (order.isBuy ? ask <= order.px : bid >= order.px) {
      this.fill(order, now(order).sz, order.px, false);
    }
  }

  isMet({ coin, trigger, isBuy }) {
    const mark = this.mark(coin);
    const isAbove = (trigger.tpsl === "tp") !== isBuy;
    return isAbove ? mark >= trigger.px : mark <= trigger.px;
  }

  fire(order) {
    order.hasFired = true;
    this.change(order, "triggered", now(order).sz, "rule");
    if (order.reduce && !this.isReducing(order)) return this.change(order, "reduceOnlyCanceled", now(order).sz, "rule");
    const wanted = order.reduce ? least(now(order).sz, size(this.held(order.coin))) : now(order).sz;
    if (!order.trigger.isMarket) {
      this.change(order, "open", now(order).sz, "rule");
      return this.meet(order);
    }
    this.take(order, wanted);
    if (now(order).status === "triggered")
      this.change(order, order.filled > 0n ? "filled" : "marketOrderNoLiquidityRejected", now(order).sz, "rule");
  }

  isReducing({ coin, isBuy }) {
    const held = this.held(coin);
    return isBuy ? held < 0n : held > 0n;
  }

  add(given, by, status, who) {
    const order = {
      ...given,
      oid: this.nextOid++,
      by,
      filled: 0n,
      hasFired: false,
      t: Date.now(),
      versions: [],
    };
    this.orders.push(order);
    this.byOid.set(String(order.oid), order);
    this.change(order, status, given.sz, who);
    return order;
  }

  change(order, status, left, who) {
    order.versions.push({ t: Date.now(), status, sz: left, who, filled: order.filled });
    // What is filled or refused at once has never been told to rest.
    if (order.tif === "Ioc" && status === "open") return;
    this.tell("order", order);
  }

  /** Places as the exchange does; answers the entry of `statuses`, and the order where one came of it. */
  place(given, by) {
    const market = this.market(given.coin);
    const bad = this.wrongForm(given, market);
    if (bad !== null) return { entry: { error: bad }, order: null };
    const refusal = this.refuse(given, by) ?? this.refusal(given, market);
    if (refusal !== null) {
      const order = this.add(given, by, refusal.status, "rule");
      return { entry: { error: refusal.text }, order };
    }
    const order = this.add(given, by, "open", by);
    if (given.trigger !== null) {
      if (this.isMet(order)) this.fire(order);
      return { entry: { resting: named(order) }, order };
    }
    if (given.reduce) this.displace(order);
    this.selfTrade(order);
    this.take(order, given.reduce ? least(given.sz, size(this.held(given.coin))) : given.sz);
    if (now(order).status === "open" && given.tif !== "Gtc" && given.tif !== "Alo") {
      if (order.filled === 0n) {
        this.change(order, "iocCancelRejected", given.sz, "rule");
        const text = `Order could not immediately match against any resting orders. asset=${market.asset}`;
        return { entry: { error: text }, order };
      }
      this.change(order, "filled", given.sz - order.filled, "rule");
    }
    if (order.filled === given.sz || now(order).status !== "open") {
      const paid = this.fills.filter((f) => f.oid === order.oid).reduce((a, f) => a + times(f.px, f.sz), 0n);
      return {
        entry: { filled: { totalSz: show(order.filled), avgPx: show(over(paid, order.filled)), ...named(order) } },
        order,
      };
    }
    return { entry: { resting: named(order) }, order };
  }

  wrongForm(given, market) {
    if (given.sz <= 0n) return "Order has zero size.";
    if (given.sz % 10n ** BigInt(8 - market.decimals) !== 0n) return "Order has invalid size.";
    for (const px of [given.px, given.trigger?.px ?? ONE])
      if (px <= 0n || !isPrice(px, market)) return `Price must be divisible by tick size. asset=${market.asset}`;
    return null;
  }

  refusal(given, market) {
    const { bid, ask } = this.best(given.coin);
    const tail = ` asset=${market.asset}`;
    const isAll = given.reduce && given.sz >= size(this.held(given.coin)) && this.isReducing(given);
    if (times(given.sz, given.px) < parse("10") && !isAll)
      return { status: "minTradeNtlRejected", text: `Order must have minimum value of $10.${tail}` };
    if (given.reduce && !this.isReducing(given) && (given.trigger === null || !this.takesLonelyStops))
      return { status: "reduceOnlyRejected", text: `Reduce only order would increase position.${tail}` };
    if (given.tif === "Alo" && (given.isBuy ? given.px >= ask : given.px <= bid))
      return {
        status: "badAloPxRejected",
        text: `Post only order would have immediately matched, bbo was ${show(bid)}@${show(ask)}.${tail}`,
      };
    return null;
  }

  /** Resting reduce-only orders are together no more than the position: the older gives way. */
  displace(newer) {
    let room = size(this.held(newer.coin)) - newer.sz;
    for (const older of this.live(newer.coin).reverse()) {
      if (older === newer || !older.reduce || older.isBuy !== newer.isBuy || older.trigger !== null) continue;
      room -= now(older).sz;
      if (room < 0n) this.change(older, "reduceOnlyCanceled", now(older).sz, "rule");
    }
  }

  selfTrade(taker) {
    for (const other of this.live(taker.coin)) {
      if (other.isBuy === taker.isBuy || (other.trigger !== null && !other.hasFired) || other === taker) continue;
      if (taker.isBuy ? taker.px >= other.px : taker.px <= other.px)
        this.change(other, "selfTradeCanceled", now(other).sz, "rule");
    }
  }

  take(order, wanted) {
    const { bid, ask } = this.best(order.coin);
    const price = order.isBuy ? ask : bid;
    if (order.isBuy ? order.px < price : order.px > price) return;
    const depth = this.market(order.coin).depth;
    const side = order.isBuy ? "buy" : "sell";
    const sz = depth[side] === null ? wanted : least(wanted, depth[side]);
    if (depth[side] !== null) depth[side] -= sz;
    if (sz > 0n) this.fill(order, sz, price, true);
  }

  fill(order, wanted, price, ...how) {
    const [isTaker, liquidation = null] = how;
    const held = this.held(order.coin);
    const sz = order.reduce ? least(wanted, size(held)) : wanted;
    if (sz <= 0n || (order.reduce && !this.isReducing(order))) return;
    const before = lastAt(this.positions.get(order.coin) ?? [], Date.now()) ?? { szi: 0n, cost: 0n };
    const after = moved(before, order.isBuy ? sz : -sz, price);
    push(this.positions, order.coin, { t: Date.now(), szi: after.szi, cost: after.cost });
    const fee = (times(times(sz, price), isTaker ? TAKER : MAKER) / 100n) * 100n;
    const { usd } = this.cash.at(-1);
    this.cash.push({ t: Date.now(), usd: usd + after.pnl - fee });
    order.filled += sz;
    const fill = {
      t: Date.now(),
      tid: this.nextTid++,
      oid: order.oid,
      cloid: order.cloid,
      coin: order.coin,
      px: price,
    };
    Object.assign(fill, { sz, isBuy: order.isBuy, start: held, dir: direction(held, order.isBuy), pnl: after.pnl });
    Object.assign(fill, { isTaker, fee, liquidation, twapId: order.twapId ?? null });
    this.fills.push(fill);
    const left = now(order).sz - sz;
    this.change(
      order,
      left === 0n ? "filled" : now(order).status,
      left,
      liquidation === null ? "market" : "liquidation",
    );
    this.tell("fill", fill);
    if (after.szi === 0n)
      for (const o of this.live(order.coin))
        if (o.reduce && o.trigger === null) this.change(o, "reduceOnlyCanceled", now(o).sz, "rule");
  }

  cancel(order, who, status = "canceled") {
    if (order === undefined || now(order).status !== "open") return false;
    this.change(order, status, now(order).sz, who);
    return true;
  }

  /** By hand, at another place: no gateway has signed it. */
  elsewhere(coin, isBuy, sz, { px, reduce = false, tif = "Ioc", trigger = null } = {}) {
    const { bid, ask } = this.best(coin);
    const price = px === undefined ? this.tick(coin, isBuy ? ask + ask / 50n : bid - bid / 50n) : parse(px);
    const given = { coin, isBuy, sz: parse(sz), px: price, reduce, tif: trigger ? null : tif, trigger, cloid: null };
    return this.place(given, "elsewhere").order;
  }

  liquidate(coin) {
    const held = this.held(coin);
    if (held === 0n) return;
    for (const o of this.live(coin)) this.change(o, "liquidatedCanceled", now(o).sz, "liquidation");
    const { bid, ask } = this.best(coin);
    const given = { coin, isBuy: held < 0n, sz: size(held), px: held < 0n ? ask : bid, reduce: true };
    const order = this.add(
      { ...given, tif: "LiquidationMarket", trigger: null, cloid: null },
      "liquidation",
      "open",
      "liquidation",
    );
    this.fill(order, size(held), given.px, true, { markPx: this.mark(coin), method: "market" });
  }
}

export const now = (order) => order.versions.at(-1);

export function lastAt(versions, t) {
  for (let i = versions.length - 1; i >= 0; i--) if (versions[i].t <= t) return versions[i];
  return undefined;
}

/** Every version that held at some moment between both. */
export function during(versions, from, to) {
  const first = versions.findLastIndex((v) => v.t <= from);
  return versions.filter((v, i) => i >= first && v.t <= to);
}

function push(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}

function named(order) {
  return order.cloid === null ? { oid: order.oid } : { oid: order.oid, cloid: order.cloid };
}

function isPrice(px, { decimals }) {
  if (px % ONE === 0n) return true;
  const text = show(px);
  const [, part = ""] = text.split(".");
  const digits = text.replace(".", "").replace(/^0+/, "");
  return part.length <= 6 - decimals && digits.length <= 5;
}

function moved({ szi, cost }, change, price) {
  if (szi === 0n || szi > 0n === change > 0n) return { szi: szi + change, cost: cost + times(change, price), pnl: 0n };
  const closing = size(change) <= size(szi) ? change : -szi;
  const share = (cost * size(closing)) / size(szi);
  const pnl = -times(closing, price) - share;
  const left = { szi: szi + closing, cost: cost - share };
  if (closing === change) return { ...left, pnl };
  const beyond = change - closing;
  return { szi: beyond, cost: times(beyond, price), pnl };
}

function direction(held, isBuy) {
  if (held === 0n) return isBuy ? "Open Long" : "Open Short";
  if (held > 0n) return isBuy ? "Open Long" : "Close Long";
  return isBuy ? "Close Short" : "Open Short";
}
