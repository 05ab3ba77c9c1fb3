// What is true at the exchange: orders with their whole history, positions, fills, and the log of it all.
import { now, rng } from "./random.mjs";

export const num = (x) => {
  let s = typeof x === "string" ? x : String(Number(x.toFixed(8)));
  if (!s.includes(".")) s += ".0";
  return s;
};

export class Ledger {
  constructor({ port, markets, seed }) {
    this.port = port;
    this.rnd = rng(seed);
    this.accounts = new Map();
    this.agents = new Map();
    this.nextOid = 500000000000;
    this.nextTwap = 7000;
    this.tidN = 1;
    this.unknown = new Map();
    this.markets = markets.map((m, i) => ({ ...m, asset: i, mark: m.px, bid: m.px, liq: Infinity, ...{} }));
    this.byCoin = new Map(this.markets.map((m) => [m.coin, m]));
    for (const m of this.markets) this.setBook(m);
    this.conns = new Set();
    this.down = false;
  }
  setBook(m) {
    const t = m.tick;
    m.bidPx = Number((Math.round((m.mark - t) / t) * t).toFixed(6));
    m.askPx = Number((Math.round((m.mark + t) / t) * t).toFixed(6));
  }
  account(addr) {
    addr = addr.toLowerCase();
    let a = this.accounts.get(addr);
    if (!a) {
      a = {
        addr,
        orders: new Map(),
        hist: [],
        fills: [],
        pos: new Map(),
        posHist: [{ t: 0, pos: new Map() }],
        twaps: new Map(),
        twapHist: [],
        nonces: new Map(),
        cloids: new Map(),
        log: [],
        cfg: { lag: { status: 0, open: 0, history: 0, fills: 0, positions: 0, ws: 0 }, fate: null, infoFail: 0 },
        usdc: 1000000,
        lev: new Map(),
        inflight: [],
        agentList: [],
      };
      this.accounts.set(addr, a);
    }
    return a;
  }
  log(a, kind, o) {
    a.log.push({ t: now(), kind, ...o });
  }
  setOrder(a, rec) {
    const r = { ...rec };
    const h = a.orders.get(r.oid);
    if (h) {
      h.push({ t: now(), r });
    } else {
      a.orders.set(r.oid, [{ t: now(), r }]);
      if (r.cloid) {
        const l = a.cloids.get(r.cloid) ?? [];
        l.push(r.oid);
        a.cloids.set(r.cloid, l);
      }
    }
    return r;
  }
  cur(a, oid) {
    const h = a.orders.get(oid);
    return h?.[h.length - 1].r;
  }
  at(a, oid, t) {
    const h = a.orders.get(oid);
    if (!h) return null;
    for (let i = h.length - 1; i >= 0; i--) if (h[i].t <= t) return h[i].r;
    return null;
  }
  live(a) {
    const o = [];
    for (const h of a.orders.values()) {
      const r = h[h.length - 1].r;
      if (r.live) o.push(r);
    }
    return o;
  }
  openAt(a, t) {
    const o = [];
    for (const oid of a.orders.keys()) {
      const r = this.at(a, oid, t);
      if (r?.live) o.push(r);
    }
    return o;
  }
  status(a, rec, st, extra = {}) {
    const r = this.setOrder(a, { ...rec, ...extra, status: st, statusTs: now() });
    a.hist.push({ t: now(), oid: r.oid, r });
    this.log(a, "status", {
      oid: r.oid,
      status: st,
      cloid: r.cloid,
      coin: r.coin,
      sz: r.sz,
      side: r.side,
      r: r.r,
      trig: r.trigger ? r.trigger.tpsl : null,
      why: extra.why,
    });
    return r;
  }
  posOf(a, coin) {
    return a.pos.get(coin)?.szi ?? 0;
  }
  fill(a, rec, lots, { px, crossed }) {
    const m = this.byCoin.get(rec.coin);
    const before = this.posOf(a, rec.coin);
    const d = rec.side === "B" ? lots : -lots;
    const after = before + d;
    const p = a.pos.get(rec.coin) ?? { szi: 0, entry: 0 };
    let closed = 0;
    if (before === 0 || Math.sign(before) === Math.sign(d))
      p.entry = (Math.abs(before) * p.entry + lots * px) / (Math.abs(before) + lots);
    else {
      const c = Math.min(Math.abs(before), lots);
      closed = (px - p.entry) * (c / m.f) * Math.sign(before);
      if (Math.abs(d) > Math.abs(before)) p.entry = px;
    }
    const np = new Map(a.pos);
    if (after === 0) np.delete(rec.coin);
    else np.set(rec.coin, { szi: after, entry: p.entry });
    a.pos = np;
    a.posHist.push({ t: now(), pos: np });
    const fee = Math.floor((lots / m.f) * px * (crossed ? 0.00045 : 0.00015) * 1e6) / 1e6;
    a.usdc += closed - fee;
    const dir =
      before === 0
        ? d > 0
          ? "Open Long"
          : "Open Short"
        : Math.sign(before) === Math.sign(d)
          ? d > 0
            ? "Open Long"
            : "Open Short"
          : Math.abs(d) > Math.abs(before)
            ? before > 0
              ? "Long > Short"
              : "Short > Long"
            : before > 0
              ? "Close Long"
              : "Close Short";
    const f = {
      coin: rec.coin,
      px: num(px),
      sz: num(lots / m.f),
      side: rec.side,
      time: now(),
      startPosition: num(before / m.f),
      dir,
      closedPnl: num(Number(closed.toFixed(6))),
      hash: rec.twapId ? `0x${"0".repeat(64)}` : `0x${(this.tidN + 1e9).toString(16).padStart(64, "a")}`,
      oid: rec.oid,
      crossed,
      fee: num(fee),
      tid: 100000000000 + this.tidN++ * 7,
      feeToken: "USDC",
      twapId: rec.twapId ?? null,
    };
    if (rec.cloid) f.cloid = rec.cloid;
    a.fills.push(f);
    this.log(a, "fill", {
      oid: rec.oid,
      cloid: rec.cloid,
      coin: rec.coin,
      side: rec.side,
      lots,
      px,
      before,
      after,
      src: rec.src,
      r: rec.r,
      trig: rec.trigger?.tpsl ?? null,
      nonce: rec.nonce,
      twapId: rec.twapId,
    });
    this.afterPos(a, rec.coin, rec.oid);
  }
  afterPos(a, coin, self) {
    // resting reduce-only shrink / die with the position
    const p = this.posOf(a, coin);
    for (const r of this.live(a)) {
      if (r.coin !== coin || !r.r || r.live !== "book" || r.oid === self) continue;
      const can = r.side === "A" ? Math.max(0, p) : Math.max(0, -p);
      if (can === 0) this.status(a, r, "reduceOnlyCanceled", { live: null });
      else if (r.sz > can) this.setOrder(a, { ...r, sz: can });
    }
  }
  cancelTree(a, r, st = "canceled", why) {
    this.status(a, r, st, { live: null, why });
    for (const c of r.children ?? []) {
      const cr = this.cur(a, c);
      if (cr?.live) this.status(a, cr, "canceled", { live: null, why: "parent" });
    }
  }
}
