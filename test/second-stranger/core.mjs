// The exchange itself: one matching core and ONE true log. Nothing here lies, lags or forgets; stores.mjs does that.
export const r8 = (x) => Math.round(x * 1e8) / 1e8;
const num = (x) => {
  const s = String(r8(x));
  return s.includes("e") ? x.toFixed(8).replace(/0+$/, "") : s.includes(".") ? s : `${s}.0`;
};
export const fmt = num;

export class Rng {
  // mulberry32, one for each purpose, so that what one draws does not shift another
  constructor(seed) {
    this.s = (seed * 2654435761) >>> 0;
    for (let i = 0; i < 4; i++) this.next();
  }
  next() {
    this.s = (this.s + 0x6d2b79f5) >>> 0;
    let t = this.s;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  chance(p) {
    return this.next() < p;
  }
  int(a, b) {
    return a + Math.floor(this.next() * (b - a + 1));
  }
  range(a, b) {
    return a + this.next() * (b - a);
  }
  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }
  weighted(map) {
    const e = Object.entries(map);
    let x = this.next() * e.reduce((s, [, w]) => s + w, 0);
    for (const [k, w] of e) if ((x -= w) < 0) return k;
    return e[0][0];
  }
}

export const MARKETS = [
  { coin: "BTC", asset: 0, dex: "", sz: 5, tick: 1, px: 60000, max: 40 },
  { coin: "ETH", asset: 1, dex: "", sz: 4, tick: 0.1, px: 3000, max: 25 },
  { coin: "SOL", asset: 2, dex: "", sz: 2, tick: 0.01, px: 150, max: 20 },
  { coin: "DOGE", asset: 3, dex: "", sz: 0, tick: 0.00001, px: 0.2, max: 10 },
  { coin: "xyz:TSLA", asset: 110000, dex: "xyz", sz: 3, tick: 0.01, px: 250, max: 10 },
  { coin: "PURR/USDC", asset: 10000, dex: null, sz: 0, tick: 0.00001, px: 0.2, max: 0 },
];

const ERR = {
  tickRejected: (a) => `Price must be divisible by tick size. asset=${a}`,
  minTradeNtlRejected: (a) => `Order must have minimum value of $10. asset=${a}`,
  perpMarginRejected: (a) => `Insufficient margin to place order. asset=${a}`,
  reduceOnlyRejected: (a) => `Reduce only order would increase position. asset=${a}`,
  badAloPxRejected: (a, m) =>
    `Post only order would have immediately matched, bbo was ${num(m.bid)}@${num(m.ask)}. asset=${a}`,
  iocCancelRejected: (a) => `Order could not immediately match against any resting orders. asset=${a}`,
  badTriggerPxRejected: (a) => `Invalid TP/SL price. asset=${a}`,
  tooManyOpenOrdersRejected: (a) => `Too many open orders asset=${a}`,
};
const GONE = (a) => `Order was never placed, already canceled, or filled. asset=${a}`;
const NOMOD = "Cannot modify canceled or filled order";

export class Core {
  constructor(rng, opts = {}) {
    this.rng = rng;
    this.opts = opts;
    this.nextOid = 500000000000 + rng.int(0, 1e9);
    this.nextTid = 1e14 + rng.int(0, 1e9);
    this.orders = new Map();
    this.byCloid = new Map();
    this.fills = [];
    this.nonces = new Set();
    this.wire = [];
    this.acts = [];
    this.m = new Map(MARKETS.map((x) => [x.coin, { ...x, mid: x.px, bid: x.px - x.tick, ask: x.px + x.tick }]));
    this.byAsset = new Map([...this.m.values()].map((x) => [x.asset, x]));
    this.pos = new Map();
    this.lev = new Map();
    this.cash = [{ t: 0, v: 100000 }];
    this.spot = [{ t: 0, USDC: 100000, PURR: 1000 }];
    for (const m of this.m.values())
      if (m.dex !== null) {
        this.pos.set(m.coin, [{ t: 0, szi: 0, entry: 0, margin: 0 }]);
        this.lev.set(m.coin, [{ t: 0, cross: true, value: Math.min(20, m.max) }]);
      }
    this.twaps = [];
    this.nextTwap = 77000000;
    this.listeners = [];
    this.refuse = null;
    this.agents = [];
    this.clock = 0;
  }
  // Each change has a time of its own, strictly growing by at least 1 ms a batch is not asked for: many may share one.
  now() {
    this.clock = Math.max(this.clock + 1, Date.now());
    return this.clock;
  }
  emit(kind, data) {
    for (const f of this.listeners) f(kind, data);
  }
  last(list) {
    return list[list.length - 1];
  }
  status(o, st, t) {
    o.hist.push({ t, st, rem: o.rem });
    o.live = ["open", "triggered", "waiting"].includes(st) || st === "open";
    this.emit("order", { o, h: this.last(o.hist) });
  }
  live() {
    return [...this.orders.values()].filter((o) => o.live);
  }
  position(coin) {
    const p = this.pos.get(coin);
    return p ? this.last(p).szi : 0;
  }

  fill(o, px, sz, t, crossed, extra = {}) {
    sz = r8(sz);
    const m = this.m.get(o.coin);
    const sign = o.side === "B" ? 1 : -1;
    let start = 0,
      pnl = 0,
      dir;
    if (m.dex !== null) {
      const list = this.pos.get(o.coin),
        p = this.last(list);
      start = p.szi;
      let szi = r8(p.szi + sign * sz),
        entry = p.entry,
        margin = p.margin;
      const lev = this.last(this.lev.get(o.coin));
      if (p.szi === 0 || Math.sign(p.szi) === sign) {
        entry = (Math.abs(p.szi) * p.entry + sz * px) / (Math.abs(p.szi) + sz);
        margin += (sz * px) / lev.value;
        dir = sign > 0 ? "Open Long" : "Open Short";
      } else {
        const c = Math.min(sz, Math.abs(p.szi));
        pnl = (px - p.entry) * c * Math.sign(p.szi);
        margin *= 1 - c / Math.abs(p.szi);
        dir = p.szi > 0 ? "Close Long" : "Close Short";
        if (szi !== 0 && Math.sign(szi) === sign) {
          entry = px;
          margin = (Math.abs(szi) * px) / lev.value;
          dir = p.szi > 0 ? "Long > Short" : "Short > Long";
        }
        if (szi === 0) {
          entry = 0;
          margin = 0;
        }
      }
      list.push({ t, szi, entry, margin });
      this.cash.push({ t, v: this.last(this.cash).v + pnl - px * sz * 0.00045 });
    } else {
      const s = { ...this.last(this.spot), t };
      start = s.PURR;
      s.PURR = r8(s.PURR + sign * sz);
      s.USDC -= sign * sz * px;
      this.spot.push(s);
      dir = sign > 0 ? "Buy" : "Sell";
    }
    const fee = Math.trunc(px * sz * (crossed ? 0.00045 : 0.00015) * 1e6) / 1e6;
    const f = {
      t,
      coin: o.coin,
      px,
      sz,
      side: o.side,
      oid: o.oid,
      tid: this.nextTid++,
      start,
      dir,
      pnl,
      fee,
      crossed,
      cloid: o.cloid,
      feeToken: "USDC",
      ...extra,
    };
    o.rem = r8(o.rem - sz);
    o.filled = r8(o.filled + sz);
    o.ntl += sz * px;
    o.fills.push(f);
    this.fills.push(f);
    this.emit("fill", { f, o });
    return f;
  }
  afterPosition(coin, t) {
    // resting reduce-only orders shrink or go with the position
    const szi = this.position(coin);
    for (const o of this.live())
      if (o.coin === coin && o.ro && !o.trigger0) {
        if (szi === 0 || (o.side === "B") === szi > 0) this.status(o, "reduceOnlyCanceled", t);
        else if (o.rem > Math.abs(szi)) {
          o.rem = Math.abs(szi);
          this.emit("touch", { o });
        }
      }
  }
  /** Matches what crosses; returns how much was filled. */
  take(o, t, full) {
    const m = this.m.get(o.coin);
    const best = o.side === "B" ? m.ask : m.bid;
    const crosses = o.side === "B" ? o.px >= best : o.px <= best;
    if (!crosses) return 0;
    let want = o.rem;
    if (o.ro) {
      const szi = this.position(o.coin);
      if (szi === 0 || (o.side === "B") === szi > 0) return 0;
      want = Math.min(want, Math.abs(szi));
    }
    const lot = 10 ** -m.sz;
    let avail = want;
    if (!full && !this.rng.chance(0.65))
      avail = Math.max(lot, Math.floor((want * this.rng.range(0.1, 0.9)) / lot) * lot);
    want = r8(Math.min(want, avail));
    let left = want;
    const parts = this.rng.int(1, 3);
    for (let i = 0; i < parts && left > 1e-9; i++) {
      const q = i === parts - 1 ? left : Math.max(lot, Math.floor(left / lot / 2) * lot);
      const px = r8(
        best +
          (o.side === "B" ? 1 : -1) *
            (i && (o.side === "B" ? o.px >= best + m.tick * i : o.px <= best - m.tick * i) ? i * m.tick : 0),
      );
      this.fill(o, px, Math.min(q, left), t, true);
      left = r8(left - Math.min(q, left));
    }
    // own orders that rest inside are canceled, never traded with
    for (const x of this.live())
      if (
        x !== o &&
        x.coin === o.coin &&
        x.side !== o.side &&
        !x.trigger0 &&
        !x.trigger &&
        this.rng.chance(0.3) &&
        (o.side === "B" ? x.px <= o.px : x.px >= o.px)
      )
        this.status(x, "selfTradeCanceled", t);
    return want;
  }
  /** Places one order; returns the exchange's entry for it. */
  place(w, t, origin) {
    const m = this.byAsset.get(w.a);
    if (!m) return { error: `Order has invalid asset. asset=${w.a}` };
    const px = +w.p,
      sz = +w.s;
    const trig = w.t.trigger;
    const tif = trig ? null : w.t.limit.tif;
    if (Math.abs(sz / 10 ** -m.sz - Math.round(sz / 10 ** -m.sz)) > 1e-6) return { error: "Order has invalid size." };
    if (px > m.mid * 1.95 || px < m.mid * 0.05)
      return { error: "Order price cannot be more than 95% away from the reference price" };
    const o = {
      oid: this.nextOid++,
      cloid: w.c ?? null,
      coin: m.coin,
      asset: m.asset,
      side: w.b ? "B" : "A",
      px,
      sz,
      rem: sz,
      filled: 0,
      ntl: 0,
      ro: !!w.r,
      tif,
      trigger: trig ? { px: +trig.triggerPx, tpsl: trig.tpsl, market: trig.isMarket } : null,
      trigger0: !!trig,
      t0: t,
      hist: [],
      fills: [],
      live: false,
      origin,
    };
    const keep = () => {
      this.orders.set(o.oid, o);
      if (o.cloid) {
        if (!this.byCloid.has(o.cloid)) this.byCloid.set(o.cloid, []);
        this.byCloid.get(o.cloid).push(o);
      }
    };
    const reject = (st) => {
      keep();
      this.status(o, st, t);
      return { error: ERR[st](w.a, m) };
    };
    if (trig && m.dex === null)
      return { error: `Placing trigger orders is not enabled on spot trading yet. asset=${w.a}` };
    if (origin.kind !== "foreign" && this.rng.chance(this.opts.refusals ?? 0.03))
      return reject(this.rng.pick(["perpMarginRejected", "tooManyOpenOrdersRejected", "perpMarginRejected"]));
    if (sz * px < 10 && !o.ro) return reject("minTradeNtlRejected");
    const crosses = o.side === "B" ? px >= m.ask : px <= m.bid;
    if (!trig && o.ro) {
      const szi = this.position(m.coin);
      if (szi === 0 || w.b === szi > 0) return reject("reduceOnlyRejected");
      if (o.rem > Math.abs(szi)) o.rem = Math.abs(szi);
    }
    if (tif === "Alo" && crosses) return reject("badAloPxRejected");
    if ((tif === "Ioc" || tif === "FrontendMarket") && !crosses) return reject("iocCancelRejected");
    keep();
    if (trig) {
      if (trig.isMarket && trig.tpsl === "sl" && (w.b ? px < +trig.triggerPx : px > +trig.triggerPx)) {
        this.status(o, "badTriggerPxRejected", t);
        return { error: ERR.badTriggerPxRejected(w.a) };
      }
      this.status(o, "open", t);
      if (this.met(o)) this.fireLater.push(o);
      return this.rng.chance(0.15) && origin.kind === "order" ? "waitingForTrigger" : { resting: this.ids(o) };
    }
    if (tif === "Gtc" && crosses && this.opts.openFirst) this.status(o, "open", t);
    let got = 0;
    if (crosses) got = this.take(o, t);
    if (tif === "Ioc" || tif === "FrontendMarket") {
      if (!got) {
        o.live = false;
        this.status(o, "iocCancelRejected", t);
        return { error: ERR.iocCancelRejected(w.a) };
      }
      this.status(o, "filled", t);
      this.afterPosition(o.coin, t);
      return { filled: { totalSz: num(o.filled), avgPx: num(o.ntl / o.filled), ...this.ids(o) } };
    }
    if (o.rem <= 1e-9) {
      this.status(o, "filled", t);
      this.afterPosition(o.coin, t);
      return { filled: { totalSz: num(o.filled), avgPx: num(o.ntl / o.filled), ...this.ids(o) } };
    }
    if (this.last(o.hist)?.st !== "open") this.status(o, "open", t);
    if (got) this.afterPosition(o.coin, t);
    if (o.ro) {
      // the older one goes when several exceed the position
      const szi = Math.abs(this.position(o.coin));
      const others = this.live()
        .filter((x) => x !== o && x.coin === o.coin && x.ro && !x.trigger0 && x.side === o.side)
        .sort((a, b) => a.t0 - b.t0);
      let sum = o.rem + others.reduce((s, x) => s + x.rem, 0);
      for (const x of others) {
        if (sum <= szi + 1e-9) break;
        sum -= x.rem;
        this.status(x, "reduceOnlyCanceled", t);
      }
    }
    if (got && this.opts.partlyFilledAs === "filled")
      return { filled: { totalSz: num(o.filled), avgPx: num(o.ntl / o.filled), ...this.ids(o) } };
    return { resting: this.ids(o) };
  }
  ids(o) {
    return o.cloid ? { oid: o.oid, cloid: o.cloid } : { oid: o.oid };
  }
  fireLater = [];
  met(o) {
    const m = this.m.get(o.coin),
      T = o.trigger;
    const up = (T.tpsl === "tp") === (o.side === "A");
    return up ? m.mid >= T.px : m.mid <= T.px;
  }
  fire(o, t) {
    if (!o.live || !o.trigger0) return;
    o.trigger0 = false;
    o.fired = t;
    this.status(o, "triggered", t);
    const m = this.m.get(o.coin);
    const szi = this.position(o.coin);
    if (o.ro && (szi === 0 || (o.side === "B") === szi > 0))
      return this.status(o, this.opts.firedWithout ?? "reduceOnlyRejected", t);
    if (o.ro && o.rem > Math.abs(szi)) o.rem = r8(Math.abs(szi));
    const crosses = o.side === "B" ? o.px >= m.ask : o.px <= m.bid;
    if (o.trigger.market) {
      const got = crosses ? this.take(o, t) : 0;
      this.status(o, got ? "filled" : "marketOrderNoLiquidityRejected", t);
      if (got) this.afterPosition(o.coin, t);
      return;
    }
    o.tif = "Gtc";
    if (crosses) this.take(o, t);
    if (o.rem <= 1e-9) this.status(o, "filled", t);
    else if (this.opts.firedRests !== "triggered") this.status(o, "open", t);
    this.afterPosition(o.coin, t);
  }
  find(ref, coin) {
    const o =
      typeof ref === "string" && ref.startsWith("0x")
        ? this.last(this.byCloid.get(ref) ?? [])
        : this.orders.get(Number(ref));
    return o && (!coin || o.coin === coin) ? o : undefined;
  }
  cancel(o, t, st = "canceled") {
    this.status(o, st, t);
  }

  /** The one door of signed actions. Returns the body of the answer. `raw` marks a copy that a proxy made. */
  execute(env, meta = {}) {
    const t = this.now(),
      a = env.action,
      n = env.nonce;
    const rec = { t, nonce: n, action: a, expiresAfter: env.expiresAfter ?? null, meta, result: null, done: [] };
    this.acts.push(rec);
    const ret = (x) => {
      rec.result = x;
      return x;
    };
    const err = (s) => ret({ status: "err", response: s });
    if (a.type === "approveAgent") {
      this.agents.push({
        name: (a.agentName ?? "").split(" ")[0],
        address: a.agentAddress.toLowerCase(),
        validUntil: Date.now() + 90 * 864e5,
      });
      return ret({ status: "ok", response: { type: "default" } });
    }
    if (this.nonces.has(n)) return err(`Invalid nonce: duplicate nonce ${n}`);
    this.nonces.add(n);
    rec.fresh = true;
    if (env.expiresAfter != null && t > env.expiresAfter) return err("Action already expired");
    if (this.refuse && a.type !== "noop" && !a.type.startsWith("cancel")) {
      rec.refused = true;
      return err(this.refuse);
    }
    const ok = (type, data) => ret({ status: "ok", response: data === undefined ? { type } : { type, data } });
    const wrap = (list, type) => ok(type, { statuses: list });
    switch (a.type) {
      case "noop":
        return ok("default");
      case "order": {
        const bad =
          a.orders
            .map((w) => {
              const m = this.byAsset.get(w.a);
              if (!m) return "Order has invalid asset.";
              if (+w.p > m.mid * 1.95 || +w.p < m.mid * 0.05)
                return "Order price cannot be more than 95% away from the reference price";
              return null;
            })
            .find(Boolean) ??
          (a.orders.length > 1 && this.rng.chance(this.opts.wholeBatch ?? 0)
            ? "Order price cannot be more than 95% away from the reference price"
            : null);
        if (bad) return this.opts.staticAs === "err" ? err(bad) : wrap([{ error: bad }], "order");
        const out = a.orders.map((w) => this.place(w, t, { kind: "order", nonce: n }));
        this.drain(t);
        return wrap(out, "order");
      }
      case "cancel":
      case "cancelByCloid": {
        return wrap(
          a.cancels.map((c) => {
            const asset = c.a ?? c.asset,
              o = this.find(c.o ?? c.cloid, this.byAsset.get(asset)?.coin);
            if (!o?.live || (a.f && o.trigger0)) return { error: GONE(asset) };
            if (t - o.t0 < 3000 && this.rng.chance(this.opts.doubleLap ?? 0)) return { error: GONE(asset) };
            this.cancel(o, t);
            rec.done.push(o.oid);
            return "success";
          }),
          "cancel",
        );
      }
      case "modify":
      case "batchModify": {
        const list = a.type === "modify" ? [{ oid: a.oid, order: a.order }] : a.modifies;
        return wrap(
          list.map((x) => {
            const old = this.find(x.oid),
              w = x.order,
              always = a.a === true;
            const m = this.byAsset.get(w.a);
            const goneAlready = !old?.live;
            if (goneAlready && !always) return { error: NOMOD };
            if (old && ((old.side === "B") !== w.b || old.coin !== m?.coin))
              return { error: "Attempted to modify to invalid new order" };
            if (!always && (w.t.trigger || ["Ioc", "FrontendMarket"].includes(w.t.limit?.tif)))
              return { error: "Attempted to modify to invalid new order" };
            const w2 = always ? w : { ...w, t: { limit: { tif: "Alo" } } };
            if (+w.p > m.mid * 1.95 || +w.p < m.mid * 0.05)
              return { error: "Order price cannot be more than 95% away from the reference price" };
            const shrink = old?.rem;
            if (!goneAlready) this.cancel(old, t);
            const r = this.place(w2, t, {
              kind: "modify",
              nonce: n,
              old: old?.oid ?? null,
              canceledOld: !goneAlready,
              oldRem: shrink,
            });
            if (r.error && this.opts.modifyPrefix)
              return { error: `Error placing new order during modify: ${r.error}` };
            return r;
          }),
          "order",
        );
      }
      case "updateLeverage": {
        const m = this.byAsset.get(a.asset);
        if (!m || a.leverage < 1 || a.leverage > m.max) return err("Invalid leverage value");
        const cur = this.last(this.lev.get(m.coin));
        if (this.position(m.coin) !== 0 && cur.cross !== a.isCross)
          return err("Cannot switch leverage type with open position.");
        this.lev.get(m.coin).push({ t, cross: a.isCross, value: a.leverage, nonce: n });
        return ok("default");
      }
      case "updateIsolatedMargin": {
        const m = this.byAsset.get(a.asset),
          p = this.last(this.pos.get(m.coin));
        if (p.szi === 0) return err("Cannot update margin for empty position.");
        if (this.last(this.lev.get(m.coin)).cross) return err("Position does not use isolated margin.");
        const add = a.ntli / 1e6;
        if (p.margin + add < Math.abs(p.szi) * m.mid * 0.1)
          return err("Position does not have sufficient margin for reduction.");
        this.pos.get(m.coin).push({ ...p, t, margin: p.margin + add, nonce: n });
        return ok("default");
      }
      case "twapOrder": {
        const w = a.twap,
          m = this.byAsset.get(w.a);
        if (w.m < 5) return ok("twapOrder", { status: { error: `Invalid TWAP duration: ${w.m} min(s)` } });
        if (+w.s * m.mid < 100)
          return ok("twapOrder", { status: { error: "TWAP order value too small. Min is $100." } });
        const tw = {
          id: this.nextTwap++,
          coin: m.coin,
          side: w.b ? "B" : "A",
          sz: +w.s,
          m: w.m,
          ro: w.r,
          rnd: w.t,
          t0: t,
          nonce: n,
          hist: [{ t, st: "activated", ex: 0, ntl: 0 }],
          live: true,
          ex: 0,
          ntl: 0,
          next: t + 200,
        };
        this.twaps.push(tw);
        this.emit("twap", { tw });
        return ok("twapOrder", { status: { running: { twapId: tw.id } } });
      }
      case "twapCancel": {
        const tw = this.twaps.find((x) => x.id === a.t);
        if (!tw?.live)
          return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
        tw.live = false;
        tw.hist.push({ t, st: "terminated", ex: tw.ex, ntl: tw.ntl });
        this.emit("twap", { tw });
        return ok("twapCancel", { status: "success" });
      }
      default:
        return err(`unmodelled ${a.type}`);
    }
  }
  drain(t) {
    const l = this.fireLater;
    this.fireLater = [];
    for (const o of l) this.fire(o, t);
  }
  /** The market moves; what rests is met. */
  tick(vol = 0.0006) {
    const t = this.now();
    for (const m of this.m.values()) {
      const step = Math.round((m.mid * (this.rng.next() - 0.5) * 2 * vol + (m.px - m.mid) * 0.01) / m.tick) * m.tick;
      m.mid = r8(m.mid + step);
      m.bid = r8(m.mid - m.tick);
      m.ask = r8(m.mid + m.tick);
      for (const o of this.live())
        if (o.coin === m.coin) {
          if (o.trigger0) {
            if (this.met(o)) this.fire(o, t);
            continue;
          }
          const hit = o.side === "B" ? m.ask <= o.px : m.bid >= o.px;
          if (!hit || !o.live) continue;
          const lot = 10 ** -m.sz;
          let q = this.rng.chance(0.5)
            ? o.rem
            : Math.max(lot, Math.floor((o.rem * this.rng.range(0.1, 0.9)) / lot) * lot);
          if (o.ro) {
            const szi = this.position(m.coin);
            if (szi === 0 || (o.side === "B") === szi > 0) {
              this.status(o, "reduceOnlyCanceled", t);
              continue;
            }
            q = Math.min(q, Math.abs(szi));
          }
          this.fill(o, o.px, Math.min(q, o.rem), t, false);
          if (o.rem <= 1e-9) this.status(o, "filled", t);
          else this.emit("touch", { o });
          this.afterPosition(m.coin, t);
        }
    }
    for (const tw of this.twaps)
      if (tw.live && t >= tw.next) {
        tw.next = t + 30000;
        const m = this.m.get(tw.coin),
          lot = 10 ** -m.sz;
        const q = Math.min(r8(tw.sz - tw.ex), Math.max(lot, Math.ceil(tw.sz / (tw.m * 2) / lot) * lot));
        const szi = this.position(tw.coin);
        if (tw.ro && (szi === 0 || (tw.side === "B") === szi > 0)) {
          tw.live = false;
          tw.hist.push({ t, st: "finished", ex: tw.ex, ntl: tw.ntl });
          this.emit("twap", { tw });
          continue;
        }
        const o = {
          oid: this.nextOid++,
          cloid: null,
          coin: tw.coin,
          asset: m.asset,
          side: tw.side,
          px: m.mid,
          sz: q,
          rem: q,
          filled: 0,
          ntl: 0,
          ro: tw.ro,
          tif: "Ioc",
          trigger: null,
          t0: t,
          hist: [],
          fills: [],
          live: false,
          origin: { kind: "twap", id: tw.id },
        };
        this.orders.set(o.oid, o);
        const qq = tw.ro ? Math.min(q, Math.abs(szi)) : q;
        this.fill(o, tw.side === "B" ? m.ask : m.bid, qq, t, true, { twapId: tw.id });
        this.status(o, "filled", t);
        this.afterPosition(tw.coin, t);
        tw.ex = r8(tw.ex + qq);
        tw.ntl += qq * m.mid;
        if (tw.ex >= tw.sz - 1e-9) {
          tw.live = false;
          tw.hist.push({ t, st: "finished", ex: tw.ex, ntl: tw.ntl });
        } else tw.hist.push({ t, st: "activated", ex: tw.ex, ntl: tw.ntl, quiet: true });
        this.emit("twap", { tw });
      }
    this.drain(t);
  }
  /** What other hands do to the account. */
  foreign(kind) {
    const t = this.now(),
      m = this.rng.pick([...this.m.values()].filter((x) => x.dex !== null));
    const lot = 10 ** -m.sz;
    if (kind === "cancel") {
      const l = this.live();
      if (l.length) {
        const o = this.rng.pick(l);
        this.cancel(
          o,
          t,
          this.rng.pick([
            "canceled",
            "canceled",
            "marginCanceled",
            "openInterestCapCanceled",
            "scheduledCancel",
            ...(this.opts.words ? ["whatNotCanceled", "expiredAtDawn"] : []),
          ]),
        );
        return o.oid;
      }
      return;
    }
    if (kind === "close") {
      const l = [...this.pos.keys()].filter((c) => this.position(c) !== 0);
      if (!l.length) return;
      const c = this.rng.pick(l),
        szi = this.position(c),
        mm = this.m.get(c);
      this.place(
        {
          a: mm.asset,
          b: szi < 0,
          p: num(szi < 0 ? mm.mid * 1.05 : mm.mid * 0.95),
          s: num(Math.abs(szi)),
          r: true,
          t: { limit: { tif: "Ioc" } },
        },
        t,
        { kind: "foreign" },
      );
      return;
    }
    const b = this.rng.chance(0.5);
    this.place(
      {
        a: m.asset,
        b,
        p: num(r8(b ? m.ask * 1.01 : m.bid * 0.99)),
        s: num(Math.ceil(20 / m.mid / lot) * lot),
        r: false,
        t: { limit: { tif: kind === "rest" ? "Gtc" : "Ioc" } },
      },
      t,
      { kind: "foreign" },
    );
  }
}

/** What was true at a time: the only way in which stores and judge look into the log. */
export const at = {
  row(o, t) {
    let h;
    for (const x of o.hist) if (x.t <= t) h = x;
    return h;
  },
  filled(o, t) {
    let s = 0;
    for (const f of o.fills) if (f.t <= t) s += f.sz;
    return r8(s);
  },
  list(l, t) {
    let h;
    for (const x of l)
      if (x.t <= t) h = x;
      else break;
    return h;
  },
  live(o, t) {
    const h = at.row(o, t);
    return !!h && ["open", "triggered"].includes(h.st);
  },
};
