// What a signed action does when it is executed: a number is used once, what has expired is refused, one action is one block.

import { Book } from "./book.mjs";
import { byAsset, units } from "./markets.mjs";

export class Actions extends Book {
  settle() {
    if (this.shrinkLater) {
      const m = this.shrinkLater;
      this.shrinkLater = null;
      if (!m.spot) this.shrink(m);
    }
  }
  execute(rec) {
    this.blockT = null;
    this.blockT = this.tick();
    try {
      const a = this.run(rec);
      this.settle();
      return a;
    } finally {
      this.blockT = null;
    }
  }
  run(rec) {
    const { action, nonce, expiresAfter } = rec.body;
    const t = this.blockT;
    rec.execAt = t;
    if (this.nonces.has(nonce)) return { status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` };
    this.nonces.add(nonce);
    if (expiresAfter && t > expiresAfter) {
      rec.expired = true;
      return { status: "err", response: "Action already expired" };
    }
    rec.executed = true;
    const ok = (type, data) => ({ status: "ok", response: data ? { type, data } : { type } });
    switch (action.type) {
      case "noop":
        return ok("default");
      case "approveAgent": {
        this.agents = this.agents.filter((a) => a.name !== action.agentName.replace(/ valid_until.*/, ""));
        this.agents.push({
          name: (action.agentName || "").replace(/ valid_until.*/, ""),
          address: action.agentAddress.toLowerCase(),
          validUntil: Number(/valid_until (\d+)/.exec(action.agentName || "")?.[1] ?? Date.now() + 90 * 864e5),
        });
        return ok("default");
      }
      case "order": {
        const out = [];
        rec.placed = [];
        for (const w of action.orders) {
          const m = byAsset.get(w.a);
          const tif = w.t.limit?.tif;
          if (!m || !tif) {
            out.push({ error: "Invalid TIF" });
            continue;
          }
          const s = this.place({
            m,
            buy: w.b,
            px: w.p,
            u: units(m, w.s),
            tif,
            cloid: w.c,
            reduceOnly: w.r,
            via: `order#${rec.n}`,
          });
          if (s.o) rec.placed.push(s.o);
          delete s.o;
          out.push(s);
        }
        return ok("order", { statuses: out });
      }
      case "cancel":
      case "cancelByCloid": {
        const out = [];
        for (const c of action.cancels) {
          const o =
            action.type === "cancel"
              ? this.byOid.get(c.o)
              : [...this.orders].reverse().find((x) => x.cloid === c.cloid && x.coin === byAsset.get(c.asset)?.coin);
          const lap = o && this.live(o) && this.faults && t - o.ts < 2500 && this.r.chance(this.opt.doubleLap ?? 0.1);
          if (o && !lap && this.cancelOrder(o)) out.push("success");
          else {
            if (lap) this.log("lap", { oid: o.oid });
            out.push({ error: `Order was never placed, already canceled, or filled. asset=${c.a ?? c.asset}` });
          }
        }
        return ok("cancel", { statuses: out });
      }
      case "modify":
      case "batchModify": {
        const mods = action.type === "modify" ? [{ oid: action.oid, order: action.order }] : action.modifies;
        const out = [];
        rec.placed = [];
        for (const md of mods) {
          const old =
            typeof md.oid === "number"
              ? this.byOid.get(md.oid)
              : [...this.orders].reverse().find((x) => x.cloid === md.oid);
          const w = md.order,
            m = byAsset.get(w.a),
            tif0 = w.t.limit?.tif;
          const a = action.a === true;
          if (!old || old.m !== m || old.buy !== w.b) {
            out.push({
              error: !old ? "Cannot modify canceled or filled order" : "Attempted to modify to invalid new order",
            });
            continue;
          }
          if (!a && tif0 !== "Gtc" && tif0 !== "Alo") {
            out.push({ error: "Attempted to modify to invalid new order" });
            continue;
          }
          const was = this.live(old);
          if (!was && !a) {
            out.push({ error: "Cannot modify canceled or filled order" });
            continue;
          }
          if (was) this.cancelOrder(old);
          const s = this.place({
            m,
            buy: w.b,
            px: w.p,
            u: units(m, w.s),
            tif: a ? tif0 : "Alo",
            cloid: w.c,
            reduceOnly: w.r,
            via: `modify#${rec.n}`,
          });
          if (s.o) {
            rec.placed.push(s.o);
            if (was) {
              s.o.replaces = old;
              old.replacedBy = s.o;
            } else s.o.beside = old;
          }
          if (was) old.modifyCanceled = true;
          rec.oldOid = old.oid;
          delete s.o;
          out.push(s);
        }
        if (action.type === "modify") {
          const e = out[0].error;
          return e
            ? {
                status: "err",
                response:
                  (e.startsWith("Cannot") || e.startsWith("Attempted")
                    ? ""
                    : "Error placing new order during modify: ") + e,
              }
            : ok("default");
        }
        return ok("order", { statuses: out });
      }
      case "updateLeverage":
        return ok("default");
      default:
        this.log("unhandled", { action });
        return { status: "err", response: `Unsupported in this fake: ${action.type}` };
    }
  }
}
