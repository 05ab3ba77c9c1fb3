// POST /exchange as PROTOCOL §3 and §8 have it: nonces by signer, expiry, then the action against the ledger.
import { signerOf } from "./ink.mjs";
import { D, least, S } from "./ledger.mjs";

function err(text) {
  return { status: "err", response: text };
}
const DONE = { status: "ok", response: { type: "default" } };
function statuses(type, list) {
  return { status: "ok", response: { type, data: { statuses: list } } };
}

export class Actions {
  constructor(ledger) {
    this.ledger = ledger;
    this.agents = new Map();
    this.nonces = new Map();
    this.rules = [];
  }
  now() {
    return Date.now() + this.ledger.skew();
  }
  take(body) {
    const { action } = body;
    if (action.type === "approveAgent") return this.approve(action);
    const signer = signerOf(body, "b");
    const owner = this.agents.get(signer);
    const logged = { t: Date.now(), signer, action, nonce: body.nonce, expiresAfter: body.expiresAfter ?? null };
    this.ledger.actions.push(logged);
    logged.answer = this.judged(logged, owner, body);
    return logged.answer;
  }
  judged(logged, owner, body) {
    const { action } = body;
    if (!owner) return err(`User or API Wallet ${logged.signer} does not exist.`);
    const refused = this.nonce(logged.signer, body);
    if (refused) return err(refused);
    if (body.expiresAfter && this.now() > body.expiresAfter) return err("Action already expired");
    logged.executed = true;
    const rule = this.rules.find((r) => r.when(action));
    if (rule) {
      if (rule.once) this.rules.splice(this.rules.indexOf(rule), 1);
      return rule.answer(action, this);
    }
    this.ledger.block = Date.now();
    try {
      return this.run(action, logged);
    } finally {
      this.ledger.block = null;
    }
  }
  approve(action) {
    for (const [a, o] of this.agents) if (o.name === action.agentName) this.agents.delete(a);
    this.agents.set(action.agentAddress.toLowerCase(), { name: action.agentName });
    return DONE;
  }
  nonce(signer, { nonce }) {
    const used = this.nonces.get(signer) ?? [];
    this.nonces.set(signer, used);
    if (used.includes(nonce)) return `Invalid nonce: duplicate nonce ${nonce}`;
    const now = this.now();
    if (nonce > now + 86_400_000) return `Invalid nonce: nonce too high ${nonce} > ${now + 86_400_000}`;
    if (nonce < now - 172_800_000) return `Invalid nonce: nonce too low ${nonce} < ${now - 172_800_000}`;
    const top = [...used].sort((a, b) => b - a).slice(0, 100);
    if (top.length === 100 && nonce < top[99]) return `Invalid nonce: nonce too low ${nonce} < ${top[99]}`;
    used.push(nonce);
    return null;
  }
  run(action, logged) {
    if (action.type === "noop") return DONE;
    if (action.type === "order") return this.orders(action, logged);
    if (action.type === "cancel")
      return statuses(
        "cancel",
        action.cancels.map((c) => this.cancel(c.a, this.ledger.orders.get(BigInt(c.o)))),
      );
    if (action.type === "cancelByCloid")
      return statuses(
        "cancel",
        action.cancels.map((c) => this.cancel(c.asset, this.ledger.byCloid.get(c.cloid)?.at(-1))),
      );
    if (action.type === "batchModify")
      return statuses(
        "order",
        action.modifies.map((m) => this.modify(m, action.a, logged)),
      );
    if (action.type === "updateLeverage") return this.leverage(action, logged);
    if (action.type === "updateIsolatedMargin") return this.margin(action, logged);
    if (action.type === "twapOrder") return this.twap(action.twap, logged);
    if (action.type === "twapCancel") return this.twapCancel(action);
    if (action.type === "scheduleCancel")
      return err("Cannot set scheduled cancel time until enough volume traded. Required: $1000000. Traded: $0.0.");
    throw new Error(`action not modelled: ${action.type}`);
  }
  orders(action, logged) {
    logged.made = [];
    if (action.grouping === "normalTpsl") return err("Unexpected number of trigger orders");
    return statuses(
      "order",
      action.orders.map((o) => this.place(o, logged)),
    );
  }
  crossing(o, coin) {
    const [bid, ask] = this.ledger.bbo(coin);
    return o.b ? D(o.p) >= ask : D(o.p) <= bid;
  }
  place(o, logged, prefix = "") {
    const ledger = this.ledger;
    const coin = ledger.coin(o.a);
    if (!coin) return { error: `Invalid asset ${o.a}` };
    const order = ledger.make(o, coin);
    logged?.made?.push(order);
    const reject = (status, text) => {
      ledger.note(order, status);
      return { error: `${prefix}${text} asset=${o.a}` };
    };
    const [bid, ask] = ledger.bbo(coin);
    const szi = ledger.position(coin.name).szi;
    if (!o.r && (D(o.p) * D(o.s)) / 10n ** 8n < D("10"))
      return reject("minTradeNtlRejected", "Order must have minimum value of $10.");
    if (o.t.trigger) {
      if (ledger.isSpot(coin)) return reject("rejected", "Placing trigger orders is not enabled on spot trading yet.");
      ledger.note(order, "open");
      this.recheck(coin);
      return { resting: this.named(order) };
    }
    const can = o.b ? (szi < 0n ? -szi : 0n) : szi > 0n ? szi : 0n;
    if (o.r && can === 0n) return reject("reduceOnlyRejected", "Reduce only order would increase position.");
    if (o.r && order.rest > can) order.rest = can;
    const crosses = this.crossing(o, coin);
    const tif = o.t.limit.tif;
    if (tif === "Alo" && crosses)
      return reject(
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${short(bid)}@${short(ask)}.`,
      );
    if (tif !== "Gtc" && tif !== "Alo" && !crosses)
      return reject("iocCancelRejected", "Order could not immediately match against any resting orders.");
    if (tif === "Gtc" || tif === "Alo") ledger.note(order, "open");
    if (!crosses) return { resting: this.named(order) };
    const px = o.b ? ask : bid;
    ledger.execute(order, least(coin.depth, order.rest), px, { crossed: true });
    if (order.filled > 0n && (order.rest === 0n || tif !== "Gtc")) {
      if (order.rest > 0n) ledger.note(order, "filled");
      return { filled: { totalSz: S(order.filled), avgPx: S(px), ...this.named(order) } };
    }
    if (tif === "Gtc") return { resting: this.named(order) };
    return reject("iocCancelRejected", "Order could not immediately match against any resting orders.");
  }
  recheck(coin) {
    setTimeout(() => this.ledger.setMark(coin.name, S(coin.mark)), 20);
  }
  named(order) {
    return order.cloid ? { oid: order.oid, cloid: order.cloid } : { oid: order.oid };
  }
  cancel(asset, order) {
    if (order && order.asset === asset && this.ledger.end(order, "canceled")) return "success";
    return { error: `Order was never placed, already canceled, or filled. asset=${asset}` };
  }
  modify({ oid, order: o }, always, logged) {
    const old = typeof oid === "string" ? this.ledger.byCloid.get(oid)?.at(-1) : this.ledger.orders.get(BigInt(oid));
    const gone = !old || !this.ledger.live(old);
    logged.made = logged.made ?? [];
    if (gone && !always) return { error: "Cannot modify canceled or filled order" };
    if (!always && (o.t.trigger || o.t.limit.tif === "Ioc"))
      return { error: "Attempted to modify to invalid new order" };
    if (old && ((old.side === "B") !== o.b || old.asset !== o.a))
      return { error: "Attempted to modify to invalid new order" };
    const wire = always || o.t.trigger ? o : { ...o, t: { limit: { tif: "Alo" } } };
    if (!gone) this.ledger.end(old, "canceled");
    const answer = this.place(wire, logged);
    const made = logged.made.at(-1);
    if (made) {
      made.from = old?.oid ?? null;
      made.displaced = !gone;
    }
    return answer;
  }
  leverage(action, logged) {
    const coin = this.ledger.coin(action.asset);
    if (action.leverage < 1 || action.leverage > coin.maxLeverage) return err("Invalid leverage value");
    const list = this.ledger.leverages.get(coin.name) ?? [];
    const last = list.at(-1);
    if (last && last.cross !== action.isCross && this.ledger.position(coin.name).szi !== 0n)
      return err("Cannot switch leverage type with open position.");
    this.ledger.leverages.set(coin.name, [...list, { t: Date.now(), cross: action.isCross, value: action.leverage }]);
    logged.effect = true;
    return DONE;
  }
  margin(action, logged) {
    const coin = this.ledger.coin(action.asset);
    const p = this.ledger.position(coin.name);
    if (p.szi === 0n) return err("Cannot update margin for empty position.");
    if (this.ledger.leverages.get(coin.name)?.at(-1)?.cross !== false)
      return err("Position does not use isolated margin.");
    this.ledger.setPosition(coin.name, { ...p, margin: p.margin + BigInt(action.ntli) * 100n });
    logged.effect = true;
    return DONE;
  }
  twap(w, logged) {
    const coin = this.ledger.coin(w.a);
    const id = this.ledger.nextTwap++;
    const twap = {
      id,
      coin: coin.name,
      side: w.b ? "B" : "A",
      sz: D(w.s),
      minutes: w.m,
      reduceOnly: w.r,
      randomize: w.t,
      born: this.ledger.now(),
      executed: 0n,
      ntl: 0n,
    };
    twap.hist = [{ t: this.ledger.now(), status: "activated" }];
    this.ledger.twaps.set(id, twap);
    logged.twap = twap;
    this.ledger.tell({ kind: "twap", twap });
    return { status: "ok", response: { type: "twapOrder", data: { status: { running: { twapId: id } } } } };
  }
  twapCancel({ t }) {
    const twap = this.ledger.twaps.get(t);
    const bad = {
      status: "ok",
      response: {
        type: "twapCancel",
        data: { status: { error: "TWAP was never placed, already canceled, or filled." } },
      },
    };
    if (twap?.hist.at(-1).status !== "activated") return bad;
    twap.hist.push({ t: Date.now(), status: "terminated" });
    this.ledger.tell({ kind: "twap", twap });
    return { status: "ok", response: { type: "twapCancel", data: { status: "success" } } };
  }
}
function short(v) {
  return S(v).replace(/\.0$/, "");
}
