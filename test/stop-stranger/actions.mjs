// Signed actions as they are executed: numbers, expiry, orders, cancels, modifications, TWAPs.
import { num } from "./ledger.mjs";
import { Matching } from "./matching.mjs";
import { now } from "./random.mjs";
export class Actions extends Matching {
  exec(a, signer, req) {
    const { action, nonce } = req;
    const exp = req.expiresAfter;
    const err = (response) => ({ status: "err", response });
    const ns = a.nonces;
    const key = signer + nonce;
    if (ns.has(key)) {
      this.log(a, "dup", { nonce, type: action.type });
      return err(`Invalid nonce: duplicate nonce ${nonce}`);
    }
    if (nonce < now() - 2 * 864e5 || nonce > now() + 864e5) return err(`Invalid nonce: nonce too low`);
    ns.set(key, { t: now(), type: action.type });
    if (exp && now() > exp) {
      this.log(a, "expired", { nonce, type: action.type });
      return err("Action already expired");
    }
    this.log(a, "exec", { nonce, type: action.type, action });
    const ok = (type, data) => ({ status: "ok", response: data ? { type, data } : { type } });
    const ctx = { src: "gw", nonce, grouping: action.grouping ?? "na" };
    switch (action.type) {
      case "noop":
        return ok("default");
      case "order": {
        const st = [];
        let parent = null;
        action.orders.forEach((w, i) => {
          const oid = this.nextOid;
          const child = ctx.grouping === "normalTpsl" && i > 0;
          st.push(this.place(a, w, { ...ctx, child }));
          if (ctx.grouping === "normalTpsl") {
            if (i === 0) parent = oid;
            else if (this.cur(a, oid)) {
              this.setOrder(a, { ...this.cur(a, oid), parent });
              const pr = this.cur(a, parent);
              this.setOrder(a, { ...pr, children: [...pr.children, oid] });
            }
          }
        });
        return ok("order", { statuses: st });
      }
      case "cancel":
      case "cancelByCloid":
        return ok("cancel", {
          statuses: action.cancels.map((c) => {
            const oid = action.type === "cancel" ? c.o : (a.cloids.get(c.cloid) ?? []).slice(-1)[0];
            const r = oid !== undefined && this.cur(a, oid);
            const asset = c.a ?? c.asset;
            if (!r?.live || r.asset !== asset || (action.f && r.trigger))
              return { error: `Order was never placed, already canceled, or filled. asset=${asset}` };
            this.cancelTree(a, r, "canceled", "gw");
            return "success";
          }),
        });
      case "modify":
      case "batchModify": {
        const mods = action.type === "modify" ? [action] : action.modifies;
        const st = mods.map((q) => {
          const oid = typeof q.oid === "number" ? q.oid : (a.cloids.get(q.oid) ?? []).slice(-1)[0];
          const r = this.cur(a, oid);
          const w = q.order;
          const al = action.a === true;
          const goodOld = r?.live;
          if (r && (r.side !== (w.b ? "B" : "A") || r.asset !== w.a))
            return { error: "Attempted to modify to invalid new order" };
          if (!al && (w.t.trigger || w.t.limit.tif === "Ioc"))
            return { error: "Attempted to modify to invalid new order" };
          if (!goodOld && !al) return { error: "Cannot modify canceled or filled order" };
          if (goodOld) this.cancelTree(a, r, "canceled", "modify");
          const w2 = al || w.t.trigger ? w : { ...w, t: { limit: { tif: "Alo" } } };
          return this.place(a, w2, { ...ctx, grouping: "na", replaces: oid });
        });
        if (action.type === "modify")
          return st[0].error ? err(`Error placing new order during modify: ${st[0].error}`) : ok("default");
        return ok("order", { statuses: st });
      }
      case "updateLeverage":
        a.lev.set(this.markets[action.asset].coin, {
          type: action.isCross ? "cross" : "isolated",
          value: action.leverage,
        });
        return ok("default");
      case "updateIsolatedMargin":
        return err("Position does not use isolated margin.");
      case "twapOrder": {
        const t = action.twap;
        const m = this.markets[t.a];
        const lots = Math.round(Number(t.s) * m.f);
        if ((lots / m.f) * m.mark < 100)
          return ok("twapOrder", { status: { error: "TWAP order value too small. Min is $100." } });
        if (t.r) {
          const p = this.posOf(a, m.coin);
          if (t.b ? p >= 0 : p <= 0)
            return ok("twapOrder", { status: { error: "Reduce-only TWAP order would increase position." } });
        }
        const id = this.nextTwap++;
        const n = Math.max(2, Math.min(Math.floor(t.m * 2) + 1, Math.floor(((lots / m.f) * m.mark) / 10)));
        const tw = {
          id,
          asset: t.a,
          coin: m.coin,
          side: t.b ? "B" : "A",
          lots,
          done: 0,
          ntl: 0,
          minutes: t.m,
          r: t.r,
          randomize: t.t,
          ts: now(),
          n,
          every: (t.m * 60000) / (n - 1),
          status: "activated",
          hist: [],
          nonce,
        };
        a.twaps.set(id, tw);
        this.twapRow(a, tw);
        this.log(a, "twap", { id, coin: m.coin, r: t.r, nonce, side: tw.side });
        setTimeout(() => this.slice(a, tw), 300);
        return ok("twapOrder", { status: { running: { twapId: id } } });
      }
      case "twapCancel": {
        const tw = a.twaps.get(action.t);
        if (tw?.status !== "activated")
          return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
        tw.status = "terminated";
        this.twapRow(a, tw);
        this.log(a, "twapend", { id: tw.id });
        return ok("twapCancel", { status: "success" });
      }
      default:
        this.log(a, "unknownaction", { type: action.type });
        return ok("default");
    }
  }
  twapState(a, tw) {
    const m = this.byCoin.get(tw.coin);
    return {
      coin: tw.coin,
      user: a.addr,
      side: tw.side,
      sz: num(tw.lots / m.f),
      executedSz: num(tw.done / m.f),
      executedNtl: num(tw.ntl),
      minutes: tw.minutes,
      reduceOnly: tw.r,
      randomize: tw.randomize,
      stopPx: null,
      trigger: null,
      timestamp: tw.ts,
    };
  }
  twapRow(a, tw) {
    a.twapHist.push({
      t: now(),
      row: {
        time: Math.floor(now() / 1000),
        state: this.twapState(a, tw),
        status: { status: tw.status },
        twapId: tw.id,
      },
    });
    tw.hist.push({ t: now(), st: tw.status, state: this.twapState(a, tw) });
  }
  slice(a, tw) {
    if (tw.status !== "activated" || this.closed) return;
    const m = this.byCoin.get(tw.coin);
    let lots = Math.min(Math.max(1, Math.floor(tw.lots / tw.n)), tw.lots - tw.done);
    if (tw.r) {
      const p = this.posOf(a, tw.coin);
      lots = Math.min(lots, tw.side === "A" ? Math.max(0, p) : Math.max(0, -p));
    }
    if (lots > 0) {
      const px = tw.side === "B" ? m.askPx : m.bidPx;
      const r = this.status(
        a,
        {
          oid: this.nextOid++,
          coin: tw.coin,
          asset: tw.asset,
          side: tw.side,
          limitPx: String(px),
          sz: lots,
          origSz: lots,
          ts: now(),
          tif: "Ioc",
          r: tw.r,
          trigger: null,
          cloid: null,
          src: "gw",
          nonce: tw.nonce,
          children: [],
          twapId: tw.id,
          live: "book",
        },
        "open",
      );
      this.fill(a, r, lots, { px, crossed: true });
      this.status(a, this.cur(a, r.oid), "filled", { live: null, sz: 0 });
      tw.done += lots;
      tw.ntl += (lots / m.f) * px;
      tw.hist.push({ t: now(), st: tw.status, state: this.twapState(a, tw) });
    }
    if (tw.done >= tw.lots) {
      tw.status = "finished";
      this.twapRow(a, tw);
      this.log(a, "twapend", { id: tw.id });
      return;
    }
    setTimeout(() => this.slice(a, tw), tw.every);
  }
}
