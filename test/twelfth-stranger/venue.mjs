// What is true at the exchange. Nothing is overwritten: each order, position and balance is a list of what it was when.
import { absolute, least, over, plain, times, units, wire } from "./decimals.mjs";

export const MARKETS = {
  BTC: { asset: 0, dex: "", szDecimals: 5, maxLeverage: 40, mark: "60000", bid: "59999", ask: "60001" },
  ETH: { asset: 1, dex: "", szDecimals: 4, maxLeverage: 25, mark: "3000", bid: "2999.9", ask: "3000.1" },
  SOL: { asset: 2, dex: "", szDecimals: 2, maxLeverage: 20, mark: "150", bid: "149.99", ask: "150.01" },
  "xyz:TSLA": {
    asset: 110000,
    dex: "xyz",
    szDecimals: 3,
    maxLeverage: 10,
    mark: "400",
    bid: "399.9",
    ask: "400.1",
    isolated: true,
  },
  "PURR/USDC": { asset: 10000, spot: 0, base: "PURR", szDecimals: 0, mark: "0.2", bid: "0.1999", ask: "0.2001" },
  "@107": { asset: 10107, spot: 107, base: "HYPE", szDecimals: 2, mark: "30", bid: "29.99", ask: "30.01" },
};

/** The newest row that is not after `t`. */
export function at(rows, t) {
  for (let i = rows.length - 1; i >= 0; i--) if (rows[i].t <= t) return rows[i];
  return undefined;
}

export class Venue {
  constructor() {
    this.ahead = 0;
    this.nextOid = 500000000001n;
    this.nextTid = 100000000000001n;
    this.nextTwap = 7001;
    this.orders = new Map();
    this.fills = [];
    this.positions = new Map();
    this.leverages = new Map();
    this.balances = new Map();
    this.twaps = new Map();
    this.funding = [];
    this.transfers = [];
    this.nonces = new Set();
    this.log = [];
    this.depth = {};
    this.markets = structuredClone(MARKETS);
    this.cash = [{ t: 0, value: units("100000") }];
    for (const [coin, total] of [
      ["USDC", "100000"],
      ["PURR", "1000"],
      ["HYPE", "1000"],
    ])
      this.balances.set(coin, [{ t: 0, total: units(total) }]);
    this.heard = () => {};
  }

  now() {
    return Date.now() + this.ahead;
  }

  note(what, data) {
    this.log.push({ t: this.now(), what, ...data });
  }

  coinOf(asset) {
    return Object.keys(this.markets).find((c) => this.markets[c].asset === Number(asset));
  }

  position(coin, t = Number.POSITIVE_INFINITY) {
    return at(this.positions.get(coin) ?? [], t) ?? { szi: 0n, entry: 0n, collateral: 0n };
  }

  leverage(coin, t = Number.POSITIVE_INFINITY) {
    return at(this.leverages.get(coin) ?? [], t) ?? { cross: !this.markets[coin].isolated, value: 10 };
  }

  live() {
    return [...this.orders.values()].filter((o) => ["open", "triggered"].includes(o.v.at(-1).status));
  }

  byCloid(cloid, t = Number.POSITIVE_INFINITY) {
    return [...this.orders.values()].filter((o) => o.cloid === cloid && o.timestamp <= t).at(-1);
  }

  filled(order, t = Number.POSITIVE_INFINITY) {
    return this.fills.filter((f) => f.oid === order.oid && f.time <= t).reduce((sum, f) => sum + units(f.sz), 0n);
  }

  /** A new state of an order; the frames of it go out. */
  set(order, status, t = this.now(), remaining = order.v.at(-1)?.sz ?? order.sz) {
    order.v.push({ t, status, sz: remaining });
    this.note("order", { oid: order.oid, coin: order.coin, status, sz: plain(remaining) });
    this.heard("order", { order, status, t });
  }

  /** What an order fills. `more` overrides what the wire says of it. */
  fill(order, size, price, more = {}) {
    const t = more.time ?? this.now();
    const market = this.markets[order.coin];
    const signed = order.side === "B" ? size : -size;
    const before = this.position(order.coin);
    const value = times(size, price);
    const fee = (value * 45n) / 100000n;
    const fill = {
      coin: order.coin,
      px: wire(price),
      sz: wire(size),
      side: order.side,
      time: t,
      // On spot it is the balance of what is traded.
      startPosition: wire(market.spot === undefined ? before.szi : this.balances.get(market.base).at(-1).total),
      dir: market.spot === undefined ? "Open Long" : order.side === "B" ? "Buy" : "Sell",
      closedPnl: "0.0",
      hash: `0x${order.oid.toString(16).padStart(64, "0")}`,
      oid: order.oid,
      crossed: true,
      fee: wire(fee),
      tid: this.nextTid++,
      feeToken: "USDC",
      twapId: null,
      ...(order.cloid ? { cloid: order.cloid } : {}),
    };
    if (market.spot === undefined) fill.closedPnl = wire(this.move(order.coin, signed, price, t));
    else this.spot(market.base, signed, value, t);
    Object.assign(fill, more);
    this.cash.push({ t, value: this.cash.at(-1).value + units(fill.closedPnl) - units(fill.fee) });
    this.fills.push(fill);
    this.note("fill", { oid: order.oid, coin: order.coin, sz: fill.sz, px: fill.px });
    this.heard("fill", { fill, t });
    return fill;
  }

  spot(base, signed, value, t) {
    const usdc = this.balances.get("USDC");
    const token = this.balances.get(base);
    token.push({ t, total: token.at(-1).total + signed });
    usdc.push({ t, total: usdc.at(-1).total - (signed > 0n ? value : -value) });
    this.heard("spot", { t });
  }

  /** A position after a trade; what of it was realised. */
  move(coin, signed, price, t) {
    const before = this.position(coin);
    const after = before.szi + signed;
    const set = this.leverage(coin, t);
    let { entry, collateral } = before;
    let profit = 0n;
    if (before.szi === 0n || before.szi > 0n === signed > 0n) {
      entry = over(times(absolute(before.szi), entry) + times(absolute(signed), price), absolute(after));
      collateral += times(absolute(signed), price) / BigInt(set.value);
    } else {
      const closed = least(absolute(signed), absolute(before.szi));
      profit = times(closed, before.szi > 0n ? price - entry : entry - price);
      collateral = over(times(collateral, absolute(before.szi) - closed), absolute(before.szi));
      if (after !== 0n && after > 0n !== before.szi > 0n) {
        entry = price;
        collateral = times(absolute(after), price) / BigInt(set.value);
      }
    }
    const row = { t, szi: after, entry: after === 0n ? 0n : entry, collateral: after === 0n ? 0n : collateral };
    this.positions.set(coin, [...(this.positions.get(coin) ?? []), row]);
    this.heard("position", { coin, t });
    return profit;
  }

  /** A resting order is met by somebody for so much; `last` says it is the end. */
  meet(order, size, more = {}) {
    const t = more.time ?? this.now();
    const remaining = order.v.at(-1).sz - size;
    this.fill(order, size, units(order.px), { crossed: false, ...more });
    if (remaining <= 0n) this.set(order, "filled", t, 0n);
    else order.v.push({ t, status: "open", sz: remaining, quiet: true });
    this.heard("open", { t });
  }

  end(order, status) {
    this.set(order, status);
    this.heard("open", { t: this.now() });
  }

  /** An order of another program. */
  elsewhere(coin, side, [px, sz], more = {}) {
    return this.place({ coin, side, px, sz, tif: "Gtc", reduceOnly: false, ...more }, this.now()).order;
  }

  place(asked, t) {
    const market = this.markets[asked.coin];
    const order = { ...asked, oid: this.nextOid++, timestamp: t, v: [], sz: units(asked.sz), origSz: asked.sz };
    this.orders.set(order.oid, order);
    const buy = order.side === "B";
    if (order.trigger) return this.rest(order, t);
    const crosses = buy ? units(order.px) >= units(market.ask) : units(order.px) <= units(market.bid);
    const held = this.position(order.coin).szi;
    if (order.reduceOnly && (held === 0n || held > 0n === buy))
      return this.refuse(
        order,
        "reduceOnlyRejected",
        `Reduce only order would increase position. asset=${market.asset}`,
        t,
      );
    if (times(units(order.px), order.sz) < units("10") && !order.reduceOnly)
      return this.refuse(
        order,
        "minTradeNtlRejected",
        `Order must have minimum value of $10. asset=${market.asset}`,
        t,
      );
    if (!crosses) {
      if (["Ioc", "FrontendMarket"].includes(order.tif))
        return this.refuse(
          order,
          "iocCancelRejected",
          `Order could not immediately match against any resting orders. asset=${market.asset}`,
          t,
        );
      return this.rest(order, t);
    }
    if (order.tif === "Alo")
      return this.refuse(
        order,
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${market.bid}@${market.ask}. asset=${market.asset}`,
        t,
      );
    return this.take(order, t);
  }

  rest(order, t) {
    this.set(order, "open", t, order.sz);
    this.heard("open", { t });
    return { order, status: { resting: { oid: order.oid, ...(order.cloid ? { cloid: order.cloid } : {}) } } };
  }

  refuse(order, status, text, t) {
    this.set(order, status, t, order.sz);
    return { order, status: { error: text } };
  }

  take(order, t) {
    const market = this.markets[order.coin];
    const price = units(order.side === "B" ? market.ask : market.bid);
    const depth = this.depth[order.coin] === undefined ? order.sz : units(this.depth[order.coin]);
    const held = absolute(this.position(order.coin).szi);
    let size = least(depth, order.sz);
    if (order.reduceOnly && held < size) size = held;
    if (order.tif === "Gtc") this.set(order, "open", t, order.sz);
    this.fill(order, size, price, { time: t });
    const rests = order.tif === "Gtc" && size < order.sz && !order.reduceOnly;
    if (rests) order.v.push({ t, status: "open", sz: order.sz - size, quiet: true });
    else this.set(order, "filled", t, 0n);
    this.heard("open", { t });
    const named = { oid: order.oid, ...(order.cloid ? { cloid: order.cloid } : {}) };
    return {
      order,
      status: rests ? { resting: named } : { filled: { totalSz: wire(size), avgPx: wire(price), ...named } },
    };
  }
}
