// Orders against the book of a world that is always there: placement, triggers, fills, and what the owner does on the exchange's own page.
import { Ledger, num } from "./ledger.mjs";
import { now } from "./random.mjs";

function sig5(p) {
  const s = p
    .replace(/^0+\.?0*/, "")
    .replace(".", "")
    .replace(/0+$/, "");
  return s.length <= 5;
}
export class Matching extends Ledger {
  parentFilled(a, r) {
    for (const c of r.children ?? []) {
      const cr = this.cur(a, c);
      if (cr?.live === "child") {
        this.setOrder(a, { ...cr, live: "trigger" });
        this.log(a, "childlive", { oid: c });
      }
    }
    this.checkTriggers(this.byCoin.get(r.coin), a);
  }
  takeBook(a, r, lots) {
    const m = this.byCoin.get(r.coin); // taker against the world; returns filled lots
    const px = r.side === "B" ? m.askPx : m.bidPx;
    if (r.side === "B" ? Number(r.limitPx) < px : Number(r.limitPx) > px) return { got: 0, px };
    for (const o of this.live(a))
      if (
        o.coin === r.coin &&
        o.live === "book" &&
        o.oid !== r.oid &&
        o.side !== r.side &&
        (r.side === "B" ? Number(o.limitPx) <= px : Number(o.limitPx) >= px)
      )
        this.status(a, o, "selfTradeCanceled", { live: null });
    const got = Math.min(lots, m.liq);
    if (got <= 0) return { got: 0, px };
    if (m.liq !== Infinity) m.liq -= got;
    if (got > 3 && this.rnd.chance(0.4)) {
      const h = Math.floor(got / 2);
      this.fill(a, r, h, { px, crossed: true });
      this.fill(a, r, got - h, { px, crossed: true });
    } else this.fill(a, r, got, { px, crossed: true });
    return { got, px };
  }
  place(a, w, ctx) {
    // one wire order; returns status entry
    const m = this.markets[w.a];
    if (!m) return { error: "Invalid asset" };
    const sfx = ` asset=${w.a}`;
    const lots = Math.round(Number(w.s) * m.f);
    if (Math.abs(Number(w.s) * m.f - lots) > 1e-6) return { error: `Order has invalid size.${sfx}` };
    if (Number(w.s) === 0) return { error: "Order has zero size." };
    const dec = (w.p.split(".")[1] ?? "").length;
    if ((!Number.isInteger(Number(w.p)) && !sig5(w.p)) || dec > 6 - m.sz)
      return { error: `Price must be divisible by tick size.${sfx}` };
    const px = Number(w.p);
    const trig = w.t.trigger ?? null;
    const side = w.b ? "B" : "A";
    const p = this.posOf(a, m.coin);
    if (px > m.mark * 1.95 || px < m.mark * 0.05)
      return { error: "Order price cannot be more than 95% away from the reference price" };
    const r0 = {
      oid: this.nextOid++,
      coin: m.coin,
      asset: w.a,
      side,
      limitPx: w.p,
      sz: lots,
      origSz: lots,
      ts: now(),
      tif: trig ? null : w.t.limit.tif,
      r: !!w.r,
      trigger: trig,
      cloid: w.c ?? null,
      src: ctx.src,
      nonce: ctx.nonce,
      children: [],
      live: null,
      got: 0,
      replaces: ctx.replaces ?? null,
    };
    this.log(a, "place", {
      oid: r0.oid,
      cloid: r0.cloid,
      coin: m.coin,
      side,
      lots,
      px,
      r: r0.r,
      trig: trig?.tpsl ?? null,
      tif: r0.tif,
      src: ctx.src,
      nonce: ctx.nonce,
    });
    const rej = (st, text) => {
      this.status(a, r0, st, { live: null });
      return { error: text };
    };
    if (trig) {
      const tp = Number(trig.triggerPx);
      if (trig.isMarket && trig.tpsl === "sl" && (side === "A" ? px > tp : px < tp))
        return rej("badTriggerPxRejected", `Invalid TP/SL price.${sfx}`);
      if (this.live(a).length >= 1000) return rej("tooManyOpenOrdersRejected", "Too many open orders");
      if (this.refuseMet && this.met(m, side, trig)) return rej("badTriggerPxRejected", `Invalid TP/SL price.${sfx}`);
      const whole = r0.r && lots >= Math.abs(p) && p !== 0;
      if ((lots / m.f) * px < 10 && !whole)
        return rej("minTradeNtlRejected", `Order must have minimum value of $10.${sfx}`);
      const r = this.status(a, r0, "open", { live: ctx.child ? "child" : "trigger" });
      if (!ctx.child) setTimeout(() => this.checkTriggers(m, a), 20);
      return ctx.child
        ? "waitingForFill"
        : ctx.grouping !== "na"
          ? "waitingForTrigger"
          : { resting: { oid: r.oid, ...(r.cloid ? { cloid: r.cloid } : {}) } };
    }
    let want = lots;
    if (w.r) {
      const can = side === "A" ? Math.max(0, p) : Math.max(0, -p);
      if (can === 0) return rej("reduceOnlyRejected", `Reduce only order would increase position.${sfx}`);
      const whole = lots >= can;
      want = Math.min(lots, can);
      if ((want / m.f) * px < 10 && !whole)
        return rej("minTradeNtlRejected", `Order must have minimum value of $10.${sfx}`);
    } else if ((lots / m.f) * px < 10) return rej("minTradeNtlRejected", `Order must have minimum value of $10.${sfx}`);
    const crosses = side === "B" ? px >= m.askPx : px <= m.bidPx;
    const tif = w.t.limit.tif;
    if (tif === "Alo" && crosses)
      return rej(
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${m.bidPx}@${m.askPx}.${sfx}`,
      );
    let r = this.status(a, r0, "open", { live: "book", sz: want });
    let got = 0,
      fpx = 0;
    if (crosses) {
      const x = this.takeBook(a, r, want);
      got = x.got;
      fpx = x.px;
    }
    r = this.cur(a, r.oid);
    const left = Math.max(0, want - got);
    const cl = r.cloid ? { cloid: r.cloid } : {};
    if (tif === "Ioc" || tif === "FrontendMarket") {
      if (got === 0) {
        this.status(a, r, "iocCancelRejected", { live: null, sz: want });
        return { error: `Order could not immediately match against any resting orders.${sfx}` };
      }
      this.status(a, r, "filled", { live: null, sz: left, got });
      if (left === 0) this.parentFilled(a, r);
      return { filled: { totalSz: num(got / m.f).replace(/\.0$/, ""), avgPx: String(fpx), oid: r.oid, ...cl } };
    }
    if (left === 0) {
      this.status(a, r, "filled", { live: null, sz: 0, got });
      this.parentFilled(a, r);
      return { filled: { totalSz: num(got / m.f).replace(/\.0$/, ""), avgPx: String(fpx), oid: r.oid, ...cl } };
    }
    if (r.live) {
      this.setOrder(a, { ...r, sz: left, got });
      if (w.r) {
        const can = side === "A" ? Math.max(0, this.posOf(a, m.coin)) : Math.max(0, -this.posOf(a, m.coin));
        let sum = left;
        const others = this.live(a)
          .filter((o) => o.coin === m.coin && o.r && o.live === "book" && o.side === side && o.oid !== r.oid)
          .sort((x, y) => y.oid - x.oid);
        for (const o of others) {
          if (sum + o.sz > can) this.status(a, o, "reduceOnlyCanceled", { live: null });
          else sum += o.sz;
        }
      }
    }
    return { resting: { oid: r.oid, ...cl } };
  }
  met(m, side, t) {
    const x = Number(t.triggerPx);
    const above = (t.tpsl === "tp") === (side === "A");
    return above ? m.mark >= x : m.mark <= x;
  }
  checkTriggers(m, only) {
    for (const a of only ? [only] : this.accounts.values())
      for (const r of this.live(a))
        if (r.live === "trigger" && r.coin === m.coin && this.met(m, r.side, r.trigger)) this.fire(a, r);
  }
  fire(a, r) {
    this.log(a, "fire", { oid: r.oid, cloid: r.cloid, coin: r.coin });
    r = this.status(a, r, "triggered", { live: "book" });
    const p = this.posOf(a, r.coin);
    let want = r.sz;
    if (r.r) {
      const can = r.side === "A" ? Math.max(0, p) : Math.max(0, -p);
      if (can === 0) {
        this.status(a, r, "reduceOnlyRejected", { live: null });
        return;
      }
      want = Math.min(want, can);
    }
    const x = this.takeBook(a, r, want);
    const q = this.cur(a, r.oid);
    const left = want - x.got;
    if (r.trigger.isMarket) {
      if (x.got === 0) this.status(a, q, "marketOrderNoLiquidityRejected", { live: null });
      else this.status(a, q, "filled", { live: null, sz: left, got: x.got });
    } else if (left === 0) this.status(a, q, "filled", { live: null, sz: 0, got: x.got });
    else this.setOrder(a, { ...q, sz: left, got: x.got, tif: "Gtc" });
    for (const o of this.live(a))
      if (o.parent && o.parent === r.parent && o.oid !== r.oid && x.got > 0)
        this.status(a, o, "siblingFilledCanceled", { live: null });
  }
  worldFill(a, oid, lots) {
    const r = this.cur(a, oid);
    if (r?.live !== "book") return 0;
    lots = Math.min(lots, r.sz);
    if (lots <= 0) return 0;
    if (r.r) {
      const p = this.posOf(a, r.coin);
      lots = Math.min(lots, r.side === "A" ? Math.max(0, p) : Math.max(0, -p));
      if (!lots) return 0;
    }
    const left = r.sz - lots;
    this.setOrder(a, { ...r, sz: left, got: (r.got ?? 0) + lots });
    this.fill(a, this.cur(a, oid), lots, { px: Number(r.limitPx), crossed: false });
    const q = this.cur(a, oid);
    if (left === 0 && q.live) {
      this.status(a, { ...q, live: null }, "filled", { live: null, sz: 0 });
      this.parentFilled(a, q);
    } else if (q.live && r.r) this.afterPos(a, r.coin);
    return lots;
  }
  markOnly(coin, px) {
    const m = this.byCoin.get(coin);
    m.mark = px;
    for (const a of this.accounts.values()) if (a.coins?.includes(coin)) this.log(a, "mark", { coin, px, only: true });
    this.checkTriggers(m);
  }
  setMark(coin, px) {
    const m = this.byCoin.get(coin);
    m.mark = px;
    this.setBook(m);
    for (const a of this.accounts.values())
      for (const r of this.live(a))
        if (
          r.live === "book" &&
          r.coin === coin &&
          (r.side === "B" ? Number(r.limitPx) >= m.askPx : Number(r.limitPx) <= m.bidPx)
        )
          this.worldFill(a, r.oid, r.sz);
    this.checkTriggers(m);
    this.log0 = 0;
    for (const a of this.accounts.values()) if (a.coins?.includes(coin)) this.log(a, "mark", { coin, px });
  }
  // ---------- hand of the owner on the exchange's own page
  outside(a, orders, grouping = "na") {
    const ctx = { src: "outside", nonce: 0, grouping };
    const res = [];
    let parent = null;
    orders.forEach((w, i) => {
      const before = this.nextOid;
      const s = this.place(a, w, { ...ctx, child: grouping === "normalTpsl" && i > 0 });
      const oid = before;
      res.push({ s, oid });
      if (grouping === "normalTpsl") {
        if (i === 0) parent = oid;
        else {
          this.setOrder(a, { ...this.cur(a, oid), parent });
          const pr = this.cur(a, parent);
          this.setOrder(a, { ...pr, children: [...pr.children, oid] });
        }
      }
    });
    return res;
  }
  outsideCancel(a, oid) {
    const r = this.cur(a, oid);
    if (r?.live) this.cancelTree(a, r, "canceled", "outside");
  }
}
