// What becomes of an order there: accepted or refused, fired, matched, shrunk, filled.
import { Books } from "./exchange-books.mjs";
import { D, EPS, P, r8 } from "./numbers.mjs";

export class Matching extends Books {
  place(w, meta = {}) {
    // returns status
    const c = this.coinOf(w.a);
    const v = this.validate(w);
    if (v) {
      this.rec("reject", { coin: c, w, why: v });
      return { error: v };
    }
    const o = this.newOrder(w, meta.extra);
    const acc = this.rec("accept", {
      oid: o.oid,
      cloid: o.cloid,
      coin: c,
      buy: o.buy,
      px: o.px,
      sz: o.sz,
      ro: o.ro,
      tif: o.tif,
      trig: o.trig,
      via: meta.via,
      nonce: meta.nonce,
      mark: this.px[c].mark,
      oracle: this.px[c].oracle,
    });
    const rej = (txt, st) => {
      o.live = false;
      acc.rejected = txt;
      this.rec("rejected", { oid: o.oid, cloid: o.cloid, why: txt });
      this.setStatus(o, st);
      return { error: `${txt} asset=${w.a}` };
    };
    const closesAll = o.ro && Math.abs(this.szi(c)) > 0 && o.sz >= Math.abs(this.szi(c)) - EPS;
    if (
      !o.trig &&
      o.sz * (o.tif === "Ioc" ? ((o.buy ? this.best(c).ask : this.best(c).bid) ?? o.px) : o.px) < 10 - EPS &&
      !closesAll
    )
      return rej("Order must have minimum value of $10.", "minTradeNtlRejected");
    if (o.trig) {
      if (o.trig.isMarket && o.trig.tpsl === "sl" && (o.buy ? o.px < o.trig.triggerPx : o.px > o.trig.triggerPx))
        return rej("Invalid TP/SL price.", "badTriggerPxRejected");
      this.setStatus(o, "open");
      const met = this.met(o);
      if (met) setTimeout(() => this.fire(o), 50);
      return { resting: { oid: o.oid, ...(o.cloid ? { cloid: o.cloid } : {}) } };
    }
    return this.run(o, rej);
  }
  met(o) {
    const m = this.px[o.coin].mark;
    return o.above ? m >= o.trig.triggerPx : m <= o.trig.triggerPx;
  }
  fire(o) {
    if (!o.live || !o.trig || o.fired) return;
    o.fired = true;
    this.rec("fire", { oid: o.oid, cloid: o.cloid, coin: o.coin });
    this.setStatus(o, "triggered");
    o.tif = o.trig.isMarket ? "Ioc" : "Gtc";
    const rej = (txt, st) => {
      o.live = false;
      this.rec("rejected", { oid: o.oid, cloid: o.cloid, why: txt });
      this.setStatus(o, st);
      return { error: txt };
    };
    this.run(o, rej);
  }
  run(o, rej) {
    const c = o.coin;
    const spot = this.isSpot(c);
    if (o.ro) {
      const s = this.szi(c);
      if (s === 0 || s > 0 === o.buy) return rej("Reduce only order would increase position.", "reduceOnlyRejected");
      // older resting reduce-only orders make way
      const room = Math.abs(s);
      if (o.sz > room) {
        o.sz = r8(room);
      }
      const others = [...this.orders.values()]
        .filter((x) => x.live && x.onBook && x.ro && x.coin === c && x !== o)
        .sort((a, b) => a.oid - b.oid);
      let sum = o.sz + others.reduce((t, x) => t + x.sz, 0);
      for (const x of others) {
        if (sum <= room + EPS) break;
        sum -= x.sz;
        this.end(x, "reduceOnlyCanceled");
      }
    }
    if (spot) {
      const b = this.base(c);
      if (!o.buy && (this.spot[b]?.total ?? 0) - this.hold(b) < o.sz - EPS)
        return rej("Insufficient spot balance", "insufficientSpotBalanceRejected");
      if (o.buy && this.spot.USDC.total - this.hold("USDC") < o.sz * o.px - EPS)
        return rej("Insufficient spot balance", "insufficientSpotBalanceRejected");
    }
    const bk = this.book(c);
    const own = [...this.orders.values()]
      .filter((x) => x.live && x.onBook && x.coin === c && x.buy !== o.buy)
      .map((x) => ({ px: x.px, sz: x.sz, own: x }));
    const opp = [...(o.buy ? bk.asks : bk.bids).map(([px, sz]) => ({ px, sz })), ...own].sort((a, b) =>
      o.buy ? a.px - b.px : b.px - a.px,
    );
    const crosses = (px) => (o.buy ? px <= o.px : px >= o.px);
    if (o.tif === "Alo" && opp[0] && crosses(opp[0].px)) {
      const b = this.best(c);
      return rej(`Post only order would have immediately matched, bbo was ${b.bid}@${b.ask}.`, "badAloPxRejected");
    }
    let got = 0,
      ntl = 0;
    for (const l of opp) {
      if (o.sz < EPS || !crosses(l.px)) break;
      if (l.own) {
        this.end(l.own, "selfTradeCanceled");
        continue;
      }
      const q = r8(Math.min(o.sz, l.sz));
      if (q < EPS) continue;
      this.fill(o, q, l.px, true);
      got += q;
      ntl += q * l.px;
      const d = this.depth[c];
      if (d) {
        const arr = o.buy ? d.asks : d.bids;
        const row = arr.find((x) => x[0] === l.px);
        if (row) row[1] = r8(row[1] - q);
      }
    }
    const cl = o.cloid ? { cloid: o.cloid } : {};
    if (o.sz < EPS) {
      o.live = false;
      this.setStatus(o, "filled");
      this.shrink(c);
      return { filled: { totalSz: P(got), avgPx: P(ntl / got), oid: o.oid, ...cl } };
    }
    if (o.tif === "Ioc" || o.tif === "FrontendMarket") {
      this.shrink(c);
      if (got > 0) {
        const left = o.sz;
        o.live = false;
        this.rec("end", { oid: o.oid, cloid: o.cloid, coin: c, status: "ioc rest dropped", left });
        this.setStatus(o, "filled");
        return { filled: { totalSz: P(got), avgPx: P(ntl / got), oid: o.oid, ...cl } };
      }
      return rej(
        o.fired
          ? "No liquidity available for market order."
          : "Order could not immediately match against any resting orders.",
        o.fired ? "marketOrderNoLiquidityRejected" : "iocCancelRejected",
      );
    }
    o.onBook = true;
    this.setStatus(o, "open");
    this.shrink(c);
    return { resting: { oid: o.oid, ...cl } };
  }
  hold(tok) {
    let h = 0;
    for (const o of this.orders.values()) {
      if (!o.live || !o.onBook || !this.isSpot(o.coin)) continue;
      if (o.buy && tok === "USDC") h += o.sz * o.px;
      if (!o.buy && tok === this.base(o.coin)) h += o.sz;
    }
    return h;
  }
  shrink(c) {
    if (this.isSpot(c)) return;
    const s = this.szi(c);
    for (const o of [...this.orders.values()]) {
      if (!o.live || !o.onBook || !o.ro || o.coin !== c) continue;
      if (s === 0 || s > 0 === o.buy) {
        this.end(o, "reduceOnlyCanceled");
      } else if (o.sz > Math.abs(s)) o.sz = r8(Math.abs(s));
    }
  }
  fill(o, q, px, crossed) {
    const c = o.coin;
    o.sz = r8(o.sz - q);
    o.filled = r8(o.filled + q);
    const sgn = o.buy ? 1 : -1;
    let dir,
      closed = 0,
      start = "0.0",
      fee,
      feeTok = "USDC";
    if (this.isSpot(c)) {
      const b = this.base(c);
      this.spot[b] ??= { total: 0, entry: 0 };
      start = D(this.spot[b].total);
      dir = o.buy ? "Buy" : "Sell";
      if (o.buy) {
        fee = Math.floor(q * this.spotFee * 1e5) / 1e5;
        feeTok = b;
        this.spot[b].total = r8(this.spot[b].total + q - fee);
        this.spot[b].entry += q * px;
        this.spot.USDC.total = r8(this.spot.USDC.total - q * px);
      } else {
        fee = Math.floor(q * px * this.spotFee * 1e8) / 1e8;
        this.spot[b].total = r8(this.spot[b].total - q);
        this.spot.USDC.total = r8(this.spot.USDC.total + q * px - fee);
      }
    } else {
      this.pos[c] ??= { szi: 0, entry: 0 };
      const p = this.pos[c];
      start = D(p.szi);
      const was = p.szi;
      const now = r8(was + sgn * q);
      fee = Math.floor(q * px * this.takerFee * 1e6) / 1e6;
      if (was === 0 || was > 0 === o.buy) {
        p.entry = (Math.abs(was) * p.entry + q * px) / (Math.abs(was) + q);
        dir = o.buy ? "Open Long" : "Open Short";
      } else {
        const cq = Math.min(q, Math.abs(was));
        closed = (px - p.entry) * cq * Math.sign(was);
        this.cash += closed;
        dir =
          q > Math.abs(was) + EPS
            ? was > 0
              ? "Long > Short"
              : "Short > Long"
            : was > 0
              ? "Close Long"
              : "Close Short";
        if (q > Math.abs(was) + EPS) p.entry = px;
      }
      p.szi = now;
      if (Math.abs(now) < EPS) delete this.pos[c];
      this.cash -= fee;
    }
    const f = {
      coin: c,
      px: D(px),
      sz: D(q),
      side: o.buy ? "B" : "A",
      time: this.now(),
      startPosition: start,
      dir,
      closedPnl: D(closed),
      hash: o.twapId ? `0x${"0".repeat(64)}` : `0x${this.tid.toString(16).padStart(64, "a")}`,
      oid: o.oid,
      crossed,
      fee: D(fee),
      tid: ++this.tid,
      ...(o.cloid ? { cloid: o.cloid } : {}),
      feeToken: feeTok,
      twapId: o.twapId ?? null,
    };
    f._vis = Date.now() + this.lag.fills;
    this.fills.push(f);
    this.rec("fill", {
      oid: o.oid,
      cloid: o.cloid,
      coin: c,
      buy: o.buy,
      sz: q,
      px,
      ro: o.ro,
      twapId: o.twapId,
      fee,
      feeTok,
      who: o.actor,
    });
    setTimeout(() => {
      this.push("userFills", { user: this.owner, fills: [this.pub(f)] }, "userFills");
      if (o.twapId)
        this.push("userTwapSliceFills", {
          user: this.owner,
          twapSliceFills: [{ fill: this.pub(f), twapId: o.twapId }],
        });
      this.dirty();
    }, this.lag.fills);
    this.dirty();
  }
  pub(f) {
    const { _vis, ...g } = f;
    return g;
  }
  visFills() {
    const n = Date.now();
    return this.fills.filter((f) => f._vis <= n).map((f) => this.pub(f));
  }
  setPx(c, mark, oracle = mark) {
    this.px[c] = { mark, oracle };
    this.rec("price", { coin: c, mark, oracle });
    for (const o of [...this.orders.values()]) {
      if (!o.live || o.coin !== c) continue;
      if (o.trig && !o.fired) {
        if (this.met(o)) this.fire(o);
        continue;
      }
      if (o.onBook) {
        const b = this.book(c);
        const l = o.buy ? b.asks[0] : b.bids[0];
        if (l && (o.buy ? l[0] <= o.px : l[0] >= o.px)) this.makeFill(o);
      }
    }
    this.shrink(c);
    this.dirty();
  }
  makeFill(o, q = o.sz) {
    if (!o.live || !o.onBook) return;
    if (o.ro) q = Math.min(q, Math.abs(this.szi(o.coin)));
    if (q < EPS) return;
    this.fill(o, Math.min(q, o.sz), o.px, false);
    if (o.sz < EPS) {
      o.live = false;
      o.onBook = false;
      this.setStatus(o, "filled");
    }
    this.shrink(o.coin);
  }
}
