// What the stranger's exchange holds: markets, the house's book, orders and their statuses. One account trades. Everything true is in `log`.
import { D, P } from "./numbers.mjs";

export class Books {
  constructor(owner) {
    this.owner = owner.toLowerCase();
    this.skew = 0;
    this.log = [];
    this.seq = 0;
    this.perps = [
      { name: "BTC", szDecimals: 5, maxLeverage: 40, marginTableId: 40 },
      { name: "ETH", szDecimals: 4, maxLeverage: 25, marginTableId: 25 },
      { name: "SOL", szDecimals: 2, maxLeverage: 20, marginTableId: 20 },
    ];
    this.tokens = [
      {
        name: "USDC",
        szDecimals: 8,
        weiDecimals: 8,
        index: 0,
        tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054",
        isCanonical: true,
        evmContract: null,
        fullName: null,
        deployerTradingFeeShare: "0.0",
      },
      {
        name: "PURR",
        szDecimals: 0,
        weiDecimals: 5,
        index: 1,
        tokenId: "0xc1fb593aeffbeb02f85e0308e9956a90",
        isCanonical: true,
        evmContract: null,
        fullName: null,
        deployerTradingFeeShare: "0.0",
      },
    ];
    this.pairs = [{ tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true }];
    this.px = {
      BTC: { mark: 60000, oracle: 60000 },
      ETH: { mark: 2000, oracle: 2000 },
      SOL: { mark: 100, oracle: 100 },
      "PURR/USDC": { mark: 4, oracle: 4 },
    };
    this.spread = 0.0001;
    this.depth = {}; // depth[coin]={bids:[[px,sz]],asks:[[px,sz]]} overrides the deep house
    this.cash = 1e6;
    this.pos = {};
    this.spot = { USDC: { total: 100000, entry: 0 } };
    this.lev = {};
    this.orders = new Map();
    this.byCloid = new Map();
    this.fills = [];
    this.hist = [];
    this.twaps = new Map();
    this.twapHist = [];
    this.nonces = new Set();
    this.agents = [];
    this.oid = 500000000000;
    this.tid = 1000;
    this.twapId = 77000000;
    this.takerFee = 0.00045;
    this.spotFee = 0.0007;
    this.faults = [];
    this.infoFault = null;
    this.lag = { fills: 0, orders: 0, positions: 0 };
    this.deadFeed = false;
    this.deadInfo = false;
    this.frozenCtx = false;
    this.sliceMs = 400;
    this.socks = new Set();
    this.actor = "?";
    this.inflight = [];
    this.unknownTypes = new Set();
    this.requests = [];
    this.metaTouched = 0;
  }
  now() {
    return Date.now() + this.skew;
  }
  rec(k, o) {
    const e = { n: this.seq++, t: this.now(), k, actor: this.actor, ...o };
    this.log.push(e);
    if (this.onlog) this.onlog(e);
    return e;
  }
  coinOf(a) {
    if (a >= 10000 && a < 100000) {
      return this.pairs.find((p) => p.index === a - 10000)?.name;
    }
    return this.perps[a]?.name;
  }
  isSpot(c) {
    return this.pairs.some((p) => p.name === c);
  }
  szi(c) {
    return this.pos[c]?.szi ?? 0;
  }
  base(c) {
    return this.tokens[this.pairs.find((p) => p.name === c).tokens[0]].name;
  }
  // house book
  book(c) {
    const d = this.depth[c];
    const m = this.px[c].mark;
    const rd = (x) => {
      const k = 5 - Math.floor(Math.log10(x)) - 1;
      return k >= 0 ? Number(x.toFixed(k)) : Math.round(x);
    };
    const bids = d?.bids ?? [
      [rd(m * (1 - this.spread)), 1e6],
      [rd(m * (1 - 0.01)), 1e6],
    ];
    const asks = d?.asks ?? [
      [rd(m * (1 + this.spread)), 1e6],
      [rd(m * (1 + 0.01)), 1e6],
    ];
    return { bids, asks };
  }
  l2(c) {
    const b = this.book(c);
    const own = (buy) =>
      [...this.orders.values()]
        .filter((o) => o.live && o.coin === c && o.onBook && o.buy === buy)
        .map((o) => [o.px, o.sz]);
    const agg = (rows, desc) => {
      const m = new Map();
      for (const [p, s] of rows) {
        const q = m.get(p) ?? [0, 0];
        m.set(p, [q[0] + s, q[1] + 1]);
      }
      return [...m.entries()]
        .sort((x, y) => (desc ? y[0] - x[0] : x[0] - y[0]))
        .slice(0, 20)
        .map(([p, [s, n]]) => ({ px: D(p), sz: D(s), n }));
    };
    return {
      coin: c,
      time: this.now(),
      levels: [agg([...b.bids, ...own(true)], true), agg([...b.asks, ...own(false)], false)],
    };
  }
  best(c) {
    const l = this.l2(c).levels;
    return { bid: l[0][0] ? Number(l[0][0].px) : null, ask: l[1][0] ? Number(l[1][0].px) : null };
  }
  // orders
  front(o, lagSz) {
    return {
      coin: o.coin,
      side: o.buy ? "B" : "A",
      limitPx: D(o.px),
      sz: D(lagSz ?? o.sz),
      oid: o.oid,
      timestamp: o.ts,
      triggerCondition: o.trig ? `Price ${o.above ? "above" : "below"} ${P(o.trig.triggerPx)}` : "N/A",
      isTrigger: !!o.trig,
      triggerPx: o.trig ? D(o.trig.triggerPx) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: o.ro,
      orderType: o.trig
        ? `${o.trig.tpsl === "sl" ? "Stop" : "Take Profit"} ${o.trig.isMarket ? "Market" : "Limit"}`
        : o.twapId
          ? "Twap Slice"
          : "Limit",
      origSz: D(o.orig),
      tif: o.trig ? null : (o.tif ?? "Gtc"),
      cloid: o.cloid ?? null,
    };
  }
  setStatus(o, st) {
    o.status = st;
    o.stTs = this.now();
    o.stSz = o.sz;
    this.hist.unshift({ order: this.front(o, st === "filled" ? 0 : o.sz), status: st, statusTimestamp: o.stTs });
    const up = {
      order: {
        coin: o.coin,
        side: o.buy ? "B" : "A",
        limitPx: D(o.px),
        sz: D(st === "filled" ? 0 : o.sz),
        oid: o.oid,
        timestamp: o.ts,
        origSz: D(o.orig),
        ...(o.cloid ? { cloid: o.cloid } : {}),
        ...(o.ro ? { reduceOnly: true } : {}),
      },
      status: st,
      statusTimestamp: o.stTs,
    };
    setTimeout(() => this.push("orderUpdates", [up]), this.lag.orders);
    this.dirty();
  }
  end(o, st) {
    o.live = false;
    o.onBook = false;
    this.rec("end", { oid: o.oid, cloid: o.cloid, coin: o.coin, status: st, left: o.sz });
    this.setStatus(o, st);
  }
  newOrder(w, extra = {}) {
    const coin = this.coinOf(w.a);
    const trig = w.t.trigger;
    const o = {
      oid: ++this.oid,
      coin,
      asset: w.a,
      buy: w.b,
      px: Number(w.p),
      sz: Number(w.s),
      orig: Number(w.s),
      ro: !!w.r,
      cloid: w.c?.toLowerCase(),
      tif: w.t.limit?.tif,
      trig: trig ? { ...trig, triggerPx: Number(trig.triggerPx) } : null,
      ts: this.now(),
      live: true,
      onBook: false,
      filled: 0,
      actor: this.actor,
      ...extra,
    };
    if (o.trig) o.above = o.trig.tpsl === "tp" ? !o.buy : o.buy;
    this.orders.set(o.oid, o);
    if (o.cloid) this.byCloid.set(o.cloid, o);
    return o;
  }
  validate(w) {
    const c = this.coinOf(w.a);
    if (!c) return `Invalid asset. asset=${w.a}`;
    const p = Number(w.p),
      s = Number(w.s);
    const spot = this.isSpot(c);
    const dec = spot
      ? this.tokens[this.pairs.find((x) => x.name === c).tokens[0]].szDecimals
      : this.perps[w.a].szDecimals;
    if ((w.s.split(".")[1] ?? "").length > dec) return "Order has invalid size.";
    if (s <= 0) return "Order has zero size.";
    const ref = this.px[c].mark;
    if (p > ref * 1.95 || p < ref * 0.05) return "Order price cannot be more than 95% away from the reference price";
    if (spot && w.t.trigger) return `Placing trigger orders is not enabled on spot trading yet. asset=${w.a}`;
    if (spot && w.r) return "Reduce-only is invalid for spot trading.";
    return null;
  }
}
