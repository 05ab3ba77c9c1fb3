// The truth: what the exchange of a scene really did, kept with times, so that any moment of it can be shown again.

export function tidy(x) {
  return Math.round(x * 1e8) / 1e8;
}
export function text(x, places = 8) {
  const shown = x.toFixed(places).replace(/0+$/, "").replace(/\.$/, "");
  const plain = shown === "-0" || shown === "" ? "0" : shown;
  return plain.includes(".") ? plain : `${plain}.0`;
}
export function cut(x, places) {
  const scale = 10 ** places;
  return text(Math.trunc(tidy(x) * scale + (x < 0 ? -1e-7 : 1e-7)) / scale, places);
}

const UNIVERSES = {
  "": [
    { name: "BTC", szDecimals: 5, maxLeverage: 40, marginTableId: 40 },
    { name: "ETH", szDecimals: 4, maxLeverage: 25, marginTableId: 25 },
    { name: "SOL", szDecimals: 2, maxLeverage: 20, marginTableId: 20 },
  ],
  xyz: [
    { name: "xyz:TSLA", szDecimals: 3, maxLeverage: 10, marginTableId: 10 },
    { name: "xyz:NVDA", szDecimals: 3, maxLeverage: 10, marginTableId: 10, onlyIsolated: true, marginMode: "noCross" },
  ],
};
const SPOT = [
  { tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true },
  { tokens: [150, 0], name: "@107", index: 107, isCanonical: false },
];
const TOKENS = [
  [0, "USDC", 8, 8],
  [1, "PURR", 0, 5],
  [150, "HYPE", 2, 8],
  [235, "USDE", 2, 8],
];

export class Ledger {
  constructor() {
    this.universes = structuredClone(UNIVERSES);
    this.spot = SPOT;
    this.tokens = TOKENS;
    this.orders = new Map();
    this.fills = [];
    this.twaps = [];
    this.actions = [];
    this.marks = [];
    this.leverages = [];
    this.cash = [];
    this.nextOid = 900_000_000_000 + Math.floor(Math.random() * 1e9);
    this.nextTid = 1_000_000 + Math.floor(Math.random() * 1e9);
    this.listeners = [];
    this.moment = 0;
    for (const [coin, px] of Object.entries({
      BTC: 60000,
      ETH: 2000,
      SOL: 150,
      "xyz:TSLA": 250,
      "xyz:NVDA": 100,
      "PURR/USDC": 0.2,
      "@107": 30,
    }))
      this.setMark(coin, px, 0);
    this.deposit("", 10000, 0);
    this.deposit("xyz", 5000, 0);
    this.deposit("USDC", 3000, 0);
    this.deposit("HYPE", 40, 0);
  }
  now() {
    return this.block ?? Date.now();
  }
  setMark(coin, px, t = this.now()) {
    this.marks.push({ t, coin, px });
  }
  mark(coin, at = Infinity) {
    return this.marks.findLast((m) => m.coin === coin && m.t <= at)?.px;
  }
  deposit(where, amount, t = this.now()) {
    this.cash.push({ t, where, amount });
  }
  isSpot(coin) {
    return this.spot.some((p) => p.name === coin);
  }
  dexOf(coin) {
    return coin.includes(":") ? coin.split(":")[0] : "";
  }
  coinOf(asset) {
    if (asset >= 100000) return this.universes.xyz[asset - 110000]?.name;
    if (asset >= 10000) return this.spot.find((p) => p.index === asset - 10000)?.name;
    return this.universes[""][asset]?.name;
  }
  info(coin) {
    return this.universes[this.dexOf(coin)]?.find((m) => m.name === coin);
  }
  touch(coin) {
    const mark = this.mark(coin);
    const step = 10 ** (Math.floor(Math.log10(mark)) - 3);
    return { bid: tidy(mark - step), ask: tidy(mark + step) };
  }
  leverage(coin, at = Infinity) {
    const set = this.leverages.findLast((l) => l.coin === coin && l.t <= at);
    return (
      set ?? {
        coin,
        isCross: !this.info(coin)?.onlyIsolated,
        leverage: Math.min(20, this.info(coin)?.maxLeverage ?? 3),
      }
    );
  }
  tell(event) {
    for (const listener of this.listeners) listener(event);
  }
  note(order, status, t = this.now()) {
    order.log.push({ t, status, sz: order.sz });
    order.status = status;
    this.tell({ kind: "order", order, entry: order.log.at(-1) });
  }
  create(spec, root) {
    const order = { ...spec, oid: this.nextOid++, origSz: spec.sz, ts: this.now(), log: [], status: "new", filled: 0 };
    order.root = root ?? order.oid;
    this.orders.set(order.oid, order);
    return order;
  }
  find(id) {
    if (typeof id === "string" && id.startsWith("0x")) return [...this.orders.values()].findLast((o) => o.cloid === id);
    return this.orders.get(Number(id));
  }
  position(coin, at = Infinity) {
    let szi = 0;
    let entry = 0;
    for (const f of this.fills) {
      if (f.coin !== coin || f.t > at) continue;
      const d = f.side === "B" ? f.sz : -f.sz;
      if (szi === 0 || szi * d > 0)
        entry = (entry * Math.abs(szi) + f.px * Math.abs(d)) / (Math.abs(szi) + Math.abs(d));
      else if (Math.abs(d) > Math.abs(szi) + 1e-9) entry = f.px;
      szi = tidy(szi + d);
    }
    return { szi, entry: szi === 0 ? 0 : entry };
  }
  // One execution of an order. `wanted` is cut to what is left of it and, of a reduce-only one, to what is held.
  fill(order, wanted, px = order.limitPx, crossed = false) {
    const t = this.now();
    const before = this.position(order.coin);
    let sz = Math.min(wanted, order.sz);
    if (order.reduceOnly) sz = Math.min(sz, Math.abs(before.szi));
    sz = tidy(sz);
    if (sz <= 0) return null;
    order.sz = tidy(order.sz - sz);
    order.filled = tidy(order.filled + sz);
    const signed = order.side === "B" ? sz : -sz;
    const closing = before.szi * signed < 0 ? Math.min(sz, Math.abs(before.szi)) : 0;
    const rate = this.isSpot(order.coin) ? 0.0007 : crossed ? 0.00045 : 0.00015;
    const isSpotBuy = this.isSpot(order.coin) && order.side === "B";
    const fill = {
      t,
      coin: order.coin,
      px,
      sz,
      side: order.side,
      oid: order.oid,
      cloid: order.cloid,
      crossed,
      tid: this.nextTid++,
      startPosition: before.szi,
      closedPnl: tidy(closing * (px - before.entry) * Math.sign(before.szi)),
      fee: Number(cut(isSpotBuy ? sz * rate : sz * px * rate, 6)),
      twapId: order.twapId ?? null,
      root: order.root,
    };
    this.fills.push(fill);
    this.tell({ kind: "fill", fill });
    if (order.sz === 0) this.note(order, "filled", t);
    return fill;
  }
  cancel(order, status = "canceled") {
    if (order.status !== "open" && order.status !== "triggered") return false;
    this.note(order, status);
    return true;
  }
  entryAt(order, at) {
    return order.log.findLast((e) => e.t <= at);
  }
  filledAt(order, at = Infinity) {
    return tidy(this.fills.filter((f) => f.oid === order.oid && f.t <= at).reduce((sum, f) => sum + f.sz, 0));
  }
  isLiveAt(order, at) {
    const entry = this.entryAt(order, at);
    return entry !== undefined && (entry.status === "open" || entry.status === "triggered");
  }
  // Fires triggers and fills resting orders that the mark has gone through.
  move(coin, px) {
    this.setMark(coin, px);
    for (const o of [...this.orders.values()]) {
      if (o.coin !== coin || o.status !== "open") continue;
      if (o.trigger) this.fire(o, px);
      else if (o.side === "B" ? px <= o.limitPx : px >= o.limitPx) this.fill(o, o.sz);
    }
    this.tell({ kind: "mark", coin });
  }
  fire(o, px) {
    const above = (o.trigger.tpsl === "tp") === (o.side === "A");
    if (above ? px < o.trigger.px : px > o.trigger.px) return;
    this.note(o, "triggered");
    const { bid, ask } = this.touch(o.coin);
    const price = o.side === "B" ? ask : bid;
    const crosses = o.side === "B" ? price <= o.limitPx : price >= o.limitPx;
    if (crosses) this.fill(o, o.sz, price, true);
    if (o.status !== "triggered") return;
    if (o.trigger.isMarket)
      this.note(o, o.filled > 0 ? "filled" : o.reduceOnly ? "reduceOnlyRejected" : "marketOrderNoLiquidityRejected");
    else this.note(o, "open");
  }
}
