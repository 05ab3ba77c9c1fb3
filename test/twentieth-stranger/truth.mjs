// What is so: the one state of the exchange, each part with every moment that it has had.
import { EventEmitter } from "node:events";
import { size as abs, least, ONE, parse, show } from "./figures.mjs";

export const MARKETS = [
  { coin: "BTC", asset: 0, dex: "", sizes: 5, tick: "1", price: "60000", maxLeverage: 40 },
  { coin: "ETH", asset: 1, dex: "", sizes: 4, tick: "0.1", price: "3000", maxLeverage: 25 },
  { coin: "SOL", asset: 2, dex: "", sizes: 2, tick: "0.01", price: "150", maxLeverage: 20 },
  { coin: "xyz:GOLD", asset: 110000, dex: "xyz", sizes: 3, tick: "0.1", price: "4000", maxLeverage: 20 },
  { coin: "PURR/USDC", asset: 10000, spot: true, base: 1, baseName: "PURR", sizes: 0, tick: "0.00001", price: "0.2" },
  { coin: "@107", asset: 10107, spot: true, base: 150, baseName: "HYPE", sizes: 2, tick: "0.001", price: "30" },
];

const FIRST_FILL = 1000;

/** The last version at a moment; null before the first. */
export function at(versions, t) {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (versions[middle].t <= t) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : versions[low - 1];
}

/** The versions that held at any moment from `from` to `to`, those of one millisecond among them. */
export function during(versions, from, to) {
  return versions.filter((version, i) => version.t <= to && (versions[i + 1]?.t ?? Infinity) >= from);
}

export class Truth extends EventEmitter {
  constructor(draw) {
    super();
    this.setMaxListeners(100);
    this.draw = draw;
    this.began = Date.now() - 60_000;
    this.block = null;
    this.last = this.began;
    this.changes = [this.began];
    this.keeps = Infinity;
    this.reach = 10_000;
    this.nextOid = 700_000_000_000 + draw.whole(1, 1_000_000);
    this.orders = new Map();
    this.alive = new Set();
    this.ended = [];
    this.byCloid = new Map();
    this.fills = [];
    this.actions = [];
    this.twaps = [];
    this.ledger = [];
    this.markets = new Map();
    for (const market of MARKETS) this.open(market);
    const cash = parse("1000000");
    this.cash = { "": [{ t: this.began, value: cash }], xyz: [{ t: this.began, value: cash }] };
    this.tokens = new Map([
      [0, [{ t: this.began, total: cash, entry: 0n }]],
      [1, [{ t: this.began, total: parse("100000"), entry: parse("20000") }]],
      [150, [{ t: this.began, total: parse("1000"), entry: parse("30000") }]],
    ]);
  }

  open(market) {
    const mark = parse(market.price);
    this.markets.set(market.coin, {
      ...market,
      tick: parse(market.tick),
      marks: [{ t: this.began, value: mark }],
      positions: [{ t: this.began, szi: 0n, entry: 0n, margin: 0n }],
      leverages: [{ t: this.began, type: "cross", value: market.maxLeverage ?? 1 }],
    });
  }

  /** All changes of one block carry its time: what a modify cancels and what it places above all. */
  inBlock(work) {
    this.block = this.now();
    try {
      return work();
    } finally {
      this.block = null;
    }
  }

  now() {
    if (this.block !== null) return this.block;
    const t = Math.max(Date.now(), this.last);
    if (t !== this.last) {
      this.last = t;
      this.changes.push(t);
    }
    return t;
  }

  mark(coin, t = Infinity) {
    return at(this.markets.get(coin).marks, t).value;
  }

  best(coin, t = Infinity) {
    const market = this.markets.get(coin);
    const mark = (this.mark(coin, t) / market.tick) * market.tick;
    return { bid: mark - market.tick, ask: mark + market.tick };
  }

  position(coin, t = Infinity) {
    return at(this.markets.get(coin).positions, t);
  }

  moveMark(coin, value) {
    this.markets.get(coin).marks.push({ t: this.now(), value });
    this.emit("marks");
  }

  /** The status of an order at a moment, with what is left of it. */
  write(order, status, why) {
    const version = { t: this.now(), status, left: order.left, limit: order.limit, why };
    order.versions.push(version);
    if (status === "open" || status === "triggered") this.alive.add(order);
    else if (this.alive.delete(order)) this.ended.push(order);
    this.emit("order", order, version);
    return version;
  }

  add(order) {
    order.oid = this.nextOid++;
    order.t = this.now();
    order.left = order.size;
    order.versions = [];
    order.fills = [];
    this.orders.set(order.oid, order);
    if (order.cloid) {
      if (!this.byCloid.has(order.cloid)) this.byCloid.set(order.cloid, []);
      this.byCloid.get(order.cloid).push(order);
    }
    return order;
  }

  state(order, t = Infinity) {
    return at(order.versions, t);
  }

  isLive(order, t = Infinity) {
    const status = this.state(order, t)?.status;
    return status === "open" || status === "triggered";
  }

  live(t = Infinity) {
    const list = [...this.alive].filter((order) => this.isLive(order, t));
    // They have ended one after the other.
    for (let i = this.ended.length - 1; i >= 0 && this.ended[i].versions.at(-1).t > t; i--)
      if (this.isLive(this.ended[i], t)) list.push(this.ended[i]);
    return list;
  }

  /** What an order may fill: reduce-only no more than what is held. */
  most(order) {
    if (!order.reduceOnly) return order.left;
    const { szi } = this.position(order.coin);
    const held = order.buy ? -szi : szi;
    if (held <= 0n) return 0n;
    return least(held, order.left);
  }

  fill(order, amount, price, crossed, extra = {}) {
    const market = this.markets.get(order.coin);
    const t = this.now();
    const row = {
      t,
      order,
      oid: order.oid,
      coin: order.coin,
      buy: order.buy,
      size: amount,
      price,
      crossed,
      tid: this.fills.length + FIRST_FILL,
      ...extra,
    };
    row.hash = extra.twapId ? `0x${"0".repeat(64)}` : `0x${this.draw.hex(64)}`;
    row.fee = cut6((((amount * price) / ONE) * feeRate(market, crossed)) / ONE);
    row.builderFee =
      order.builder && (!market.spot || !order.buy)
        ? cut6((((amount * price) / ONE) * BigInt(order.builder.f)) / 100_000n)
        : 0n;
    row.fee += row.builderFee;
    if (market.spot) this.fillSpot(market, row, t);
    else this.fillPerpetual(market, row, t);
    order.left -= amount;
    order.fills.push(row);
    this.fills.push(row);
    this.emit("fill", row);
    return row;
  }

  /** The fill that an id of the gateway's ends with. */
  fillOf(id) {
    return this.fills[Number(id.split("-").at(-1)) - FIRST_FILL];
  }

  fillPerpetual(market, row, t) {
    const { szi, entry, margin } = at(market.positions, t);
    const signed = row.buy ? row.size : -row.size;
    const next = szi + signed;
    row.start = szi;
    row.pnl = 0n;
    row.feeToken = "USDC";
    let entryNext = entry;
    let marginNext = margin;
    const leverage = at(market.leverages, t);
    const opens = szi === 0n || szi > 0n === signed > 0n;
    const closing = opens ? 0n : least(abs(signed), abs(szi));
    if (closing > 0n) {
      const share = (entry * closing) / abs(szi);
      const worth = (closing * row.price) / ONE;
      row.pnl = cut6(szi > 0n ? worth - share : share - worth);
      entryNext = entry - share;
      marginNext = margin - (margin * closing) / abs(szi);
    }
    const opening = row.size - closing;
    if (opening > 0n) {
      const added = (opening * row.price) / ONE;
      entryNext = next > 0n === szi > 0n && szi !== 0n ? entryNext + added : added;
      marginNext = leverage.type === "isolated" ? (opens ? marginNext : 0n) + added / BigInt(leverage.value) : 0n;
    }
    row.dir = direction(szi, next, signed);
    market.positions.push({ t, szi: next, entry: next === 0n ? 0n : entryNext, margin: next === 0n ? 0n : marginNext });
    this.cash[market.dex].push({ t, value: at(this.cash[market.dex], t).value + row.pnl - row.fee });
    if (!opens) this.shrink(market.coin);
  }

  fillSpot(market, row, t) {
    const worth = (row.size * row.price) / ONE;
    const quote = at(this.tokens.get(0), t);
    const base = at(this.tokens.get(market.base), t);
    row.start = base.total;
    row.dir = row.buy ? "Buy" : "Sell";
    row.feeToken = row.buy ? market.baseName : "USDC";
    const cost = base.total === 0n ? 0n : (base.entry * row.size) / base.total;
    if (row.buy) row.fee = ((row.fee * ONE) / row.price / 10_000n) * 10_000n;
    row.pnl = row.buy ? 0n : cut6(worth - cost);
    this.tokens.get(0).push({ t, total: quote.total + (row.buy ? -worth : worth - row.fee), entry: 0n });
    const total = base.total + (row.buy ? row.size - row.fee : -row.size);
    this.tokens.get(market.base).push({ t, total, entry: row.buy ? base.entry + worth : base.entry - cost });
  }

  /** Reduce-only orders of a position that has gone go with it. */
  shrink(coin) {
    queueMicrotask(() => {
      for (const order of this.live()) {
        if (order.coin !== coin || !order.reduceOnly || order.trigger) continue;
        if (this.most(order) === 0n) this.write(order, "reduceOnlyCanceled", "rule");
      }
    });
  }

  /** What open spot orders hold of a token. */
  hold(token, t) {
    let held = 0n;
    for (const order of this.live(t)) {
      const market = this.markets.get(order.coin);
      if (!market.spot || order.trigger) continue;
      const { left } = this.state(order, t);
      if (order.buy && token === 0) held += (left * order.limit) / ONE;
      if (!order.buy && token === market.base) held += left;
    }
    return held;
  }

  /** Worth, margin and what is free of a dex, in exact decimals. */
  account(dex, t) {
    let worth = at(this.cash[dex], t).value;
    let initial = 0n;
    let notional = 0n;
    let isolated = 0n;
    let used = 0n;
    const raw = worth;
    for (const market of this.markets.values()) {
      if (market.spot || market.dex !== dex) continue;
      const { szi, entry, margin } = at(market.positions, t);
      if (szi === 0n) continue;
      const value = (abs(szi) * this.mark(market.coin, t)) / ONE;
      const profit = szi > 0n ? value - entry : entry - value;
      worth += profit;
      const { type, value: leverage } = at(market.leverages, t);
      notional += value;
      if (type === "isolated") isolated += margin + profit;
      else initial += value / BigInt(leverage);
      used += type === "isolated" ? margin + profit : value / BigInt(leverage);
    }
    let reserved = 0n;
    for (const order of this.live(t)) {
      const market = this.markets.get(order.coin);
      if (market.spot || market.dex !== dex || order.trigger || order.reduceOnly) continue;
      const szi = at(market.positions, t).szi;
      if (szi !== 0n && szi > 0n !== order.buy) continue;
      reserved += (this.state(order, t).left * order.limit) / ONE / BigInt(at(market.leverages, t).value);
    }
    const cross = worth - isolated;
    const need = initial + reserved > notional / 10n ? initial + reserved : notional / 10n;
    return {
      worth,
      raw,
      notional,
      used,
      cross,
      crossNotional: notional,
      withdrawable: cross > need ? cross - need : 0n,
    };
  }

  told(order) {
    return `${order.buy ? "buy" : "sell"} ${show(order.size)} ${order.coin} at ${show(order.limit)} oid ${order.oid} cloid ${order.cloid ?? "-"}: ${order.versions
      .map((v) => `${v.t % 1_000_000} ${v.status} left ${show(v.left)}${v.why ? ` (${v.why})` : ""}`)
      .join(", ")}; fills ${order.fills.map((f) => `${f.t % 1_000_000} ${show(f.size)}@${show(f.price)}`).join(", ")}`;
  }
}

export const cut6 = (value) => (value / 1_000_000n) * 1_000_000n;

function feeRate(market, crossed) {
  if (market.spot) return crossed ? 700_000_000n : 400_000_000n;
  const rate = crossed ? 450_000_000n : 150_000_000n;
  return market.dex === "" ? rate : 2n * rate;
}

function direction(from, to, signed) {
  if (from === 0n || from > 0n === signed > 0n) return signed > 0n ? "Open Long" : "Open Short";
  if (to === 0n || to > 0n === from > 0n) return from > 0n ? "Close Long" : "Close Short";
  return from > 0n ? "Long > Short" : "Short > Long";
}
