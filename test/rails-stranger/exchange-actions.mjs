// What an action does there: cancel, modify, TWAP, leverage, margin; nonces and expiry.
import { Matching } from "./exchange-matching.mjs";
import { D, EPS, r8 } from "./numbers.mjs";

export class Actions extends Matching {
  find(id) {
    if (typeof id === "string" && id.startsWith("0x")) return this.byCloid.get(id.toLowerCase());
    return this.orders.get(Number(id));
  }
  cancel(o, a) {
    const e = { error: `Order was never placed, already canceled, or filled. asset=${a}` };
    if (!o?.live || o.asset !== a) return e;
    this.end(o, "canceled");
    return "success";
  }
  modifyOne(m, always, nonce) {
    const old = this.find(m.oid);
    const w = m.order;
    const bad = "Attempted to modify to invalid new order";
    this.rec("modify", { oid: old?.oid, always, w });
    if (!always && (w.t.trigger || ["Ioc", "FrontendMarket"].includes(w.t.limit?.tif))) return { error: bad };
    if (old && (old.buy !== w.b || old.asset !== w.a)) return { error: bad };
    if (!old?.live) {
      if (!always) return { error: "Cannot modify canceled or filled order" };
    }
    const v = this.validate(w);
    if (v && /95%/.test(v)) return { error: v };
    if (old?.live) this.end(old, "canceled");
    const ww = always ? w : { ...w, t: { limit: { tif: "Alo" } } };
    return this.place(ww, { via: "modify", nonce, extra: { of: old?.oid } });
  }
  twap(w, nonce) {
    const c = this.coinOf(w.a);
    const s = Number(w.s);
    if (w.m < 5 || w.m > 10080) return { error: `Invalid TWAP duration: ${w.m} min(s)` };
    if (s * this.px[c].mark < 100) return { error: "TWAP order value too small. Min is $100." };
    const pos = this.szi(c);
    if (w.r && (pos === 0 || pos > 0 === w.b)) return { error: "Reduce-only TWAP order would increase position." };
    const id = ++this.twapId;
    const t = {
      id,
      coin: c,
      asset: w.a,
      buy: w.b,
      sz: s,
      ex: 0,
      ntl: 0,
      m: w.m,
      ro: !!w.r,
      rnd: !!w.t,
      ts: this.now(),
      live: true,
      actor: this.actor,
      n: this.twapSlices ?? 10,
    };
    this.twaps.set(id, t);
    this.rec("accept", {
      twapId: id,
      coin: c,
      buy: w.b,
      sz: s,
      ro: !!w.r,
      via: "twap",
      nonce,
      mark: this.px[c].mark,
      oracle: this.px[c].oracle,
    });
    this.twapRow(t, { status: "activated" });
    const dec = this.perps[w.a].szDecimals;
    const slice = Math.max(Number((s / t.n).toFixed(dec)), 10 ** -dec);
    t.timer = setInterval(() => {
      if (!t.live) return clearInterval(t.timer);
      const q = r8(Math.min(slice, t.sz - t.ex));
      if (q < EPS) {
        return this.twapEnd(t, "finished");
      }
      const m = this.px[c].mark;
      const was = this.actor;
      this.actor = t.actor;
      const o = this.newOrder(
        {
          a: t.asset,
          b: t.buy,
          p: String(m * (t.buy ? 1.03 : 0.97)),
          s: String(q),
          r: t.ro,
          t: { limit: { tif: "Ioc" } },
        },
        { twapId: id },
      );
      const before = o.filled;
      this.run(o, (txt, st) => {
        o.live = false;
        this.setStatus(o, st);
        return { error: txt };
      });
      t.ex = r8(t.ex + o.filled - before);
      t.ntl += o.filled * m;
      this.actor = was;
      this.dirty();
      if (t.sz - t.ex < EPS) this.twapEnd(t, "finished");
    }, this.sliceMs);
    this.dirty();
    return { running: { twapId: id } };
  }
  twapState(t) {
    return {
      coin: t.coin,
      user: this.owner,
      side: t.buy ? "B" : "A",
      sz: D(t.sz),
      executedSz: D(t.ex),
      executedNtl: D(t.ntl),
      minutes: t.m,
      reduceOnly: t.ro,
      randomize: t.rnd,
      stopPx: null,
      trigger: null,
      timestamp: t.ts,
    };
  }
  twapRow(t, status) {
    const r = { time: Math.floor(this.now() / 1000), state: this.twapState(t), status, twapId: t.id };
    this.twapHist.unshift(r);
    this.push("userTwapHistory", { user: this.owner, history: [r] });
    this.push("userEvents", { twapHistory: [r] }, "user");
  }
  twapEnd(t, st) {
    clearInterval(t.timer);
    t.live = false;
    this.rec("end", { twapId: t.id, coin: t.coin, status: st, left: r8(t.sz - t.ex) });
    this.twapRow(t, { status: st });
    this.dirty();
  }
  exec(body) {
    const a = body.action,
      n = body.nonce;
    const ok = (type, data) => ({ status: "ok", response: data ? { type, data } : { type: "default" } });
    const err = (s) => ({ status: "err", response: s });
    if (a.type === "approveAgent") {
      const [nm, , vu] = (a.agentName ?? "").split(" ");
      this.agents = this.agents.filter((x) => x.name !== nm);
      this.agents.push({
        name: nm || "agent",
        address: a.agentAddress.toLowerCase(),
        validUntil: vu ? Number(vu) : this.now() + 90 * 864e5,
      });
      return ok();
    }
    if (this.nonces.has(n)) return err(`Invalid nonce: duplicate nonce ${n}`);
    if (n < this.now() - 2 * 864e5 || n > this.now() + 864e5) return err("Invalid nonce: nonce too low");
    this.nonces.add(n);
    if (body.expiresAfter && body.expiresAfter < this.now()) {
      this.rec("expired", { nonce: n, type: a.type });
      return err("Action already expired");
    }
    this.rec("action", {
      type: a.type,
      nonce: n,
      count: a.orders?.length ?? a.modifies?.length ?? a.cancels?.length ?? 1,
      a,
    });
    switch (a.type) {
      case "noop":
        return ok();
      case "order": {
        const v = a.orders.map((w) => this.validate(w)).find((x) => x && !/asset=/.test(x));
        if (v && a.orders.length > 1 && /95%|invalid size|zero size/.test(v))
          return ok("order", { statuses: [{ error: v }] });
        return ok("order", { statuses: a.orders.map((w) => this.place(w, { via: "order", nonce: n })) });
      }
      case "cancel":
        return ok("cancel", { statuses: a.cancels.map((c) => this.cancel(this.orders.get(c.o), c.a)) });
      case "cancelByCloid":
        return ok("cancel", {
          statuses: a.cancels.map((c) => this.cancel(this.byCloid.get(c.cloid.toLowerCase()), c.asset)),
        });
      case "batchModify":
        return ok("order", { statuses: a.modifies.map((m) => this.modifyOne(m, a.a === true, n)) });
      case "modify": {
        const s = this.modifyOne(a, a.a === true, n);
        return s.error ? err(s.error) : ok();
      }
      case "updateLeverage": {
        const c = this.coinOf(a.asset);
        const cur = this.levOf(c);
        if (a.leverage < 1 || a.leverage > this.perps[a.asset].maxLeverage) return err("Invalid leverage value");
        if (this.szi(c) && (cur.type === "cross") !== a.isCross)
          return err("Cannot switch leverage type with open position.");
        this.lev[c] = { type: a.isCross ? "cross" : "isolated", value: a.leverage };
        this.rec("leverage", { coin: c, lev: this.lev[c] });
        this.dirty();
        return ok();
      }
      case "updateIsolatedMargin": {
        const c = this.coinOf(a.asset);
        if (!this.szi(c)) return err("Cannot update margin for empty position.");
        if (this.levOf(c).type === "cross") return err("Position does not use isolated margin.");
        this.pos[c].extra = (this.pos[c].extra ?? 0) + a.ntli / 1e6;
        this.rec("margin", { coin: c, ntli: a.ntli });
        this.dirty();
        return ok();
      }
      case "twapOrder":
        return ok("twapOrder", { status: this.twap(a.twap, n) });
      case "twapCancel": {
        const t = this.twaps.get(a.t);
        if (!t?.live)
          return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
        this.twapEnd(t, "terminated");
        return ok("twapCancel", { status: "success" });
      }
      case "scheduleCancel":
        return err("Cannot set scheduled cancel time until enough volume traded. Required: $1000000. Traded: $0.");
    }
    this.unknownTypes.add(`action ${a.type}`);
    return err("unknown");
  }
  levOf(c) {
    return this.lev[c] ?? { type: "cross", value: 20 };
  }
}
