// The one true log: orders with all that became of them, fills and positions. Every event has a millisecond of its own.
import { fmt, pxStr, rng, szStr } from "./markets.mjs";

export class Truth {
  constructor(seed, opt, log) {
    this.r = rng(seed * 7919 + 13);
    this.opt = opt;
    this.log = log;
    this.offset = opt.clockOffset ?? 0;
    this.orders = [];
    this.byOid = new Map();
    this.fills = [];
    this.nonces = new Set();
    this.actions = []; // every action which arrived: the record for the judge
    this.nextOid = 90_000_000_000 + seed * 1000;
    this.nextTid = 100000000000000 + seed * 1000000;
    this.agents = [];
    this.faults = false;
    this.lagOn = false;
    this.owner = null;
    this.pool = {};
    this.outsideIds = new Map();
    this.unknownTypes = new Set();
    this.lastMs = 0;
    this.conns = new Set();
    this.requests = {};
  }
  now() {
    return Date.now() + this.offset;
  }
  // strictly increasing event times
  tick() {
    if (this.blockT) return this.blockT;
    let t = this.now();
    if (t <= this.lastMs) t = this.lastMs + 1;
    this.lastMs = t;
    return t;
  }
  lag(store) {
    if (!this.lagOn) return 0;
    const max = this.opt.maxLag;
    const scaled = max * (this.opt.storeScale?.[store] ?? 1);
    if (this.opt.lagMode === "servers") {
      // three servers a store, each behind by its own lag for some seconds
      this.pool[store] ??= [0, 1, 2].map(() => ({ until: 0 }));
      const pool = this.pool[store];
      const s = this.r.pick(pool);
      const t = Date.now();
      if (t > s.until) {
        s.lag = this.r.chance(this.opt.fresh) ? 0 : this.r() * scaled;
        s.until = t + this.r.range(2000, 12000);
      }
      return s.lag;
    }
    return this.r.chance(this.opt.fresh) ? 0 : this.r() * scaled;
  }
  viewT(store) {
    return this.now() - this.lag(store);
  }
  newOrder({ m, buy, px, u, tif, cloid, reduceOnly, via }) {
    const t = this.tick();
    const o = {
      oid: this.nextOid++,
      cloid: cloid ?? null,
      m,
      coin: m.coin,
      side: buy ? "B" : "A",
      buy,
      px: String(px),
      orig: u,
      rem: u,
      tif,
      reduceOnly: !!reduceOnly,
      ts: t,
      hist: [],
      fills: [],
      shrinks: [],
      via,
      replaces: null,
      replacedBy: null,
    };
    this.orders.push(o);
    this.byOid.set(o.oid, o);
    return o;
  }
  hist(o, status) {
    const t = this.tick();
    o.hist.push({ t, status, sz: o.rem });
    o.status = status;
    this.log("truth", { at: t, oid: o.oid, cloid: o.cloid, status, rem: szStr(o.m, o.rem), via: o.via });
  }
  pos(coin, T = Infinity) {
    let p = 0;
    for (const f of this.fills) if (f.coin === coin && f.time <= T) p += f.side === "B" ? f.u : -f.u;
    return p;
  }
  fill(o, u, px, crossed) {
    const m = o.m,
      t = this.tick();
    const before = this.pos(m.coin);
    const feeUsd = (u / 10 ** m.szDec) * Number(px) * (crossed ? 0.00045 : 0.00015);
    const f = {
      coin: m.coin,
      px: pxStr(m, px),
      sz: szStr(m, u),
      u,
      side: o.side,
      time: t,
      startPosition: szStr(m, Math.abs(before)).replace(/^/, before < 0 ? "-" : ""),
      dir: m.spot
        ? o.buy
          ? "Buy"
          : "Sell"
        : before === 0 || before > 0 === o.buy
          ? o.buy
            ? "Open Long"
            : "Open Short"
          : u <= Math.abs(before)
            ? o.buy
              ? "Close Short"
              : "Close Long"
            : o.buy
              ? "Short > Long"
              : "Long > Short",
      closedPnl: "0.0",
      hash: `0x${t.toString(16).padStart(24, "0")}${o.oid.toString(16).padStart(40, "0")}`,
      oid: o.oid,
      crossed,
      fee: m.spot && o.buy ? fmt((u / 10 ** m.szDec) * 0.0004, 5) : fmt(feeUsd, 6),
      tid: this.nextTid++,
      feeToken: m.spot && o.buy ? "PURR" : "USDC",
      twapId: null,
    };
    if (o.cloid && this.r.chance(0.8)) f.cloid = o.cloid;
    this.fills.push(f);
    o.fills.push(f);
    o.rem -= u;
    this.shrinkLater = m;
    this.log("truth", { at: t, oid: o.oid, fill: f.sz, px: f.px, rem: szStr(m, o.rem), tid: f.tid });
    return f;
  }
  // reduce-only orders shrink with the position, without a fill and without a change of status
  shrink(m) {
    const p = this.pos(m.coin);
    for (const o of this.orders) {
      if (!o.reduceOnly || o.status !== "open" || o.m !== m) continue;
      const most = p === 0 || p > 0 === o.buy ? 0 : Math.abs(p);
      if (most === 0) {
        this.hist(o, "reduceOnlyCanceled");
        continue;
      }
      if (o.rem > most) {
        const t = this.tick();
        o.shrinks.push({ t, by: o.rem - most });
        o.rem = most;
        this.log("truth", { at: t, oid: o.oid, shrunkTo: szStr(m, most) });
      }
    }
  }
  sum(o, T = Infinity) {
    let s = 0;
    for (const f of o.fills) if (f.time <= T) s += f.u;
    return s;
  }
  avg(o) {
    let s = 0,
      q = 0;
    for (const f of o.fills) {
      s += f.u;
      q += f.u * Number(f.px);
    }
    return fmt(q / s, o.m.spot ? 8 : 6);
  }
  live(o) {
    return o.status === "open";
  }
  cancelOrder(o, status = "canceled") {
    if (!this.live(o)) return false;
    this.hist(o, status);
    return true;
  }
  at(o, T) {
    if (o.hidden) return null;
    let h = null;
    for (const e of o.hist) if (e.t <= T) h = e;
    return h;
  }
  openAt(T) {
    return this.orders.filter((o) => this.at(o, T)?.status === "open");
  }
  remAt(o, T) {
    let s = 0;
    for (const x of o.shrinks) if (x.t <= T) s += x.by;
    return o.orig - this.sum(o, T) - s;
  }
  fillsAt(T) {
    return this.fills.filter((f) => f.time <= T && !this.byOid.get(f.oid)?.hidden);
  }
}
