// The true exchange: one account, what each signed action does, how orders meet the market.
import { figure, round8, significant, usd } from "./codec.mjs";
import { MARKETS, marketOf } from "./markets.mjs";
import { TWAPS } from "./twaps.mjs";

const GONE = "Order was never placed, already canceled, or filled.";

export class Chain {
  constructor({ owner, draw }) {
    Object.assign(this, { owner, draw, agents: new Map(), nonces: new Map(), orders: new Map(), byCloid: new Map() });
    Object.assign(this, {
      fills: [],
      positions: {},
      cash: 1_000_000,
      twaps: [],
      funding: [],
      leverage: {},
      log: [],
      listeners: [],
    });
    this.mids = Object.fromEntries(MARKETS.map((m) => [m.name, m.px]));
    this.nextOid = 500_000_000_000;
    this.nextTid = 1000;
    this.partial = 0.4;
    this.walk = 0;
    this.states = [];
    this.actions = 0;
    this.volume = 0;
    this.snapshot(Date.now());
  }

  /** Keeps what the account holds as of now: stores that lag show older ones. */
  snapshot(t) {
    this.states.push({ t, positions: structuredClone(this.positions), cash: this.cash, actions: this.actions });
    if (this.states.length > 4000) this.states.splice(0, 1000);
  }

  tell(event) {
    for (const listener of this.listeners) listener(event);
  }

  note(kind, rest) {
    this.log.push({ t: Date.now(), kind, ...rest });
  }

  net(coin) {
    return this.positions[coin]?.szi ?? 0;
  }

  /** A change of an order, with its time, so that each store can show it when it is due. */
  mark(order, status, t) {
    if (status !== order.status || order.versions.length === 0) order.snapshotSize = order.sz;
    order.status = status;
    order.versions.push({ t, status, sz: order.sz, snap: order.snapshotSize, isOpen: this.isOpen(order) });
    this.tell({ kind: "order", t, order: { ...order, versions: undefined } });
  }

  isOpen(order) {
    return order.status === "open" || (order.status === "triggered" && order.isResting);
  }

  living(coin) {
    return [...this.orders.values()].filter((o) => this.isOpen(o) && (!coin || o.coin === coin));
  }

  admit(body, signer, t) {
    const agent = this.agents.get(signer);
    if (!agent) return `User or API Wallet ${signer} does not exist.`;
    const set = this.nonces.get(signer) ?? new Set();
    this.nonces.set(signer, set);
    if (set.has(body.nonce)) return `Invalid nonce: duplicate nonce ${body.nonce}`;
    if (body.nonce > t + 86_400_000) return `Invalid nonce: nonce too high ${body.nonce} > ${t + 86_400_000}`;
    set.add(body.nonce);
    if (body.expiresAfter && body.expiresAfter < t) return "Action already expired";
    return null;
  }

  /** One action of a block: all of it has one time. */
  execute(body, signer) {
    const t = Date.now();
    const refusal = this.admit(body, signer, t);
    const action = body.action;
    if (refusal) {
      this.note("refused", { nonce: body.nonce, refusal, action });
      return { status: "err", response: refusal };
    }
    this.actions += action.orders?.length ?? action.modifies?.length ?? action.cancels?.length ?? 1;
    const reply = this.perform(action, t);
    this.note("action", { nonce: body.nonce, action, reply });
    this.snapshot(t);
    return reply;
  }

  perform(action, t) {
    const data = (type, statuses) => ({ status: "ok", response: { type, data: { statuses } } });
    if (action.type === "noop") return { status: "ok", response: { type: "default" } };
    if (action.type === "order") {
      const fault = action.orders.map((o) => this.staticFault(o)).find(Boolean);
      if (fault) return data("order", [{ error: fault }]);
      return data(
        "order",
        action.orders.map((o) => this.place(o, t, null)),
      );
    }
    if (action.type === "cancel")
      return data(
        "cancel",
        action.cancels.map((c) => this.cancel(this.orders.get(c.o), t)),
      );
    if (action.type === "cancelByCloid")
      return data(
        "cancel",
        action.cancels.map((c) => this.cancel(this.byCloid.get(c.cloid), t)),
      );
    if (action.type === "batchModify")
      return data(
        "order",
        action.modifies.map((m) => this.modify(m, action.a === true, t)),
      );
    if (action.type === "updateLeverage") return this.setLeverage(action);
    if (action.type === "twapOrder") return this.startTwap(action.twap, t);
    if (action.type === "twapCancel") return this.cancelTwap(action, t);
    throw new Error(`harness: no action ${action.type}`);
  }

  setLeverage(action) {
    if (this.refuseLeverage)
      return {
        status: "err",
        response:
          "Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.",
      };
    this.leverage[marketOf(action.asset).name] = {
      type: action.isCross ? "cross" : "isolated",
      value: action.leverage,
    };
    return { status: "ok", response: { type: "default" } };
  }

  staticFault(o) {
    const market = marketOf(o.a);
    if (!market) return "Invalid asset";
    if ((o.s.split(".")[1] ?? "").length > market.decimals) return "Order has invalid size.";
    const price = Number(o.p);
    if (Math.abs(price / this.mids[market.name] - 1) > 0.95)
      return "Order price cannot be more than 95% away from the reference price";
    if (!Number.isInteger(price) && (significant(o.p) > 5 || (o.p.split(".")[1] ?? "").length > 6 - market.decimals))
      return "Order has invalid price.";
    return null;
  }

  place(o, t, origin) {
    const market = marketOf(o.a);
    const order = {
      oid: this.nextOid++,
      cloid: o.c ?? null,
      coin: market.name,
      a: o.a,
      side: o.b ? "B" : "A",
      px: Number(o.p),
      sz: Number(o.s),
      origSz: Number(o.s),
      r: o.r,
      tif: o.t.limit?.tif ?? null,
      trigger: o.t.trigger ?? null,
      ts: t,
      status: "",
      versions: [],
      isResting: false,
      origin: origin?.oid ?? null,
    };
    this.orders.set(order.oid, order);
    if (order.cloid) this.byCloid.set(order.cloid, order);
    const refused = this.refusalOf(order);
    this.note("place", {
      oid: order.oid,
      cloid: order.cloid,
      coin: order.coin,
      side: order.side,
      sz: order.sz,
      px: order.px,
      r: order.r,
      trigger: order.trigger,
      tif: order.tif,
      refused: refused?.[0] ?? null,
      origin: order.origin,
      mid: this.mids[order.coin],
    });
    if (refused) {
      this.mark(order, refused[0], t);
      return { error: `${refused[1]} asset=${o.a}` };
    }
    const own = order.cloid ? { cloid: order.cloid } : {};
    if (order.trigger) {
      this.mark(order, "open", t);
      if (this.isMet(order)) this.fire(order, t);
      return { resting: { oid: order.oid, ...own } };
    }
    return this.meet(order, t, own);
  }

  meet(order, t, own) {
    if (order.tif !== "Ioc") this.mark(order, "open", t);
    const room = order.r ? Math.min(order.sz, Math.abs(this.net(order.coin))) : order.sz;
    const before = order.sz;
    if (this.crosses(order)) {
      let size = room;
      if (order.tif === "Ioc" && this.draw.chance(this.partial * 0.5))
        size = this.cut(room * this.draw.between(0.2, 0.8), order.coin) || room;
      this.fill(order, size, this.touch(order), { isTaker: true, t });
    }
    const done = round8(before - order.sz);
    if (order.tif === "Ioc") this.mark(order, "filled", t);
    else if (order.sz === 0 || (order.r && this.net(order.coin) === 0)) this.mark(order, "filled", t);
    else this.displace(order, t);
    if (order.status === "filled")
      return { filled: { totalSz: figure(done), avgPx: figure(this.touch(order)), oid: order.oid, ...own } };
    return { resting: { oid: order.oid, ...own } };
  }

  refusalOf(o) {
    if (this.refuseOnce?.(o)) return ["perpMarginRejected", "Insufficient margin to place order."];
    const net = this.net(o.coin);
    const closes = o.side === "B" ? net < 0 : net > 0;
    const isWhole = o.r && closes && o.sz >= Math.abs(net);
    if (o.sz * o.px < 10 && !isWhole && !(o.trigger && o.r))
      return ["minTradeNtlRejected", "Order must have minimum value of $10."];
    if (o.trigger) {
      if (
        o.trigger.tpsl === "sl" &&
        (o.side === "A" ? o.px > Number(o.trigger.triggerPx) : o.px < Number(o.trigger.triggerPx)) &&
        o.trigger.isMarket
      )
        return ["badTriggerPxRejected", "Invalid TP/SL price."];
      return null;
    }
    if (o.r && !closes) return ["reduceOnlyRejected", "Reduce only order would increase position."];
    if (o.tif === "Alo" && this.crosses(o))
      return [
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${this.bid(o.coin)}@${this.ask(o.coin)}.`,
      ];
    if (o.tif === "Ioc" && !this.crosses(o))
      return ["iocCancelRejected", "Order could not immediately match against any resting orders."];
    return null;
  }

  /** Of resting reduce-only orders that exceed the position the older ones go. */
  displace(order, t) {
    if (!order.r) return;
    const others = this.living(order.coin)
      .filter((o) => o.r && !o.trigger && o.side === order.side && o !== order)
      .sort((a, b) => b.ts - a.ts);
    let room = round8(Math.abs(this.net(order.coin)) - order.sz);
    for (const other of others) {
      room = round8(room - other.sz);
      if (room < 0) this.mark(other, "reduceOnlyCanceled", t);
    }
  }

  cut(size, coin) {
    const unit = 10 ** MARKETS.find((m) => m.name === coin).decimals;
    return Math.floor(size * unit) / unit;
  }

  bid(coin) {
    return Number((this.mids[coin] * 0.9999).toPrecision(5));
  }

  ask(coin) {
    return Number((this.mids[coin] * 1.0001).toPrecision(5));
  }

  touch(order) {
    return order.side === "B" ? this.ask(order.coin) : this.bid(order.coin);
  }

  crosses(order) {
    return order.side === "B" ? order.px >= this.ask(order.coin) : order.px <= this.bid(order.coin);
  }

  isMet(order) {
    const { triggerPx, tpsl } = order.trigger;
    const isAbove = (tpsl === "tp") === (order.side === "A");
    return isAbove ? this.mids[order.coin] >= Number(triggerPx) : this.mids[order.coin] <= Number(triggerPx);
  }

  fire(order, t) {
    const net = this.net(order.coin);
    this.note("fire", { oid: order.oid, cloid: order.cloid, coin: order.coin });
    if (order.r && (order.side === "B" ? net >= 0 : net <= 0)) return this.mark(order, "reduceOnlyRejected", t);
    this.mark(order, "triggered", t);
    if (order.r) order.sz = Math.min(order.sz, Math.abs(net));
    if (!order.trigger.isMarket) {
      order.isResting = true;
      order.tif = "Gtc";
      return this.mark(order, "open", t);
    }
    if (!this.crosses(order)) return this.mark(order, "marketOrderNoLiquidityRejected", t);
    this.fill(order, order.sz, this.touch(order), { isTaker: true, t });
    return this.mark(order, "filled", t);
  }

  fill(order, size, px, { isTaker, t }) {
    if (size <= 0) return;
    const coin = order.coin;
    const start = this.net(coin);
    const signed = order.side === "B" ? size : -size;
    const position = this.positions[coin] ?? { szi: 0, entry: 0 };
    const isOpening = start === 0 || Math.sign(start) === Math.sign(signed);
    const closed = isOpening ? 0 : Math.min(size, Math.abs(start));
    const pnl = round8((px - position.entry) * closed * Math.sign(start));
    const after = round8(start + signed);
    if (isOpening) position.entry = (position.entry * Math.abs(start) + px * size) / Math.abs(after);
    else if (after !== 0 && Math.sign(after) !== Math.sign(start)) position.entry = px;
    position.szi = after;
    if (after === 0) delete this.positions[coin];
    else this.positions[coin] = position;
    const fee = Math.trunc(size * px * (isTaker ? 0.00045 : 0.00015) * 1e6) / 1e6;
    this.cash = round8(this.cash + pnl - fee);
    this.volume += size * px;
    order.sz = round8(order.sz - size);
    const way = (s) => (s > 0 ? "Long" : "Short");
    const dir = isOpening
      ? `Open ${way(signed)}`
      : closed < size
        ? `${way(start)} > ${way(after)}`
        : `Close ${way(start)}`;
    const one = {
      coin,
      px: figure(px),
      sz: figure(size),
      side: order.side,
      time: t,
      startPosition: figure(start),
      dir,
      closedPnl: usd(pnl),
      hash: `0x${"ab".repeat(32)}`,
      oid: order.oid,
      crossed: isTaker,
      fee: usd(fee),
      tid: this.nextTid++,
      feeToken: "USDC",
      twapId: order.twapId ?? null,
      ...(order.cloid ? { cloid: order.cloid } : {}),
      ...(order.liquidation ? { liquidation: order.liquidation } : {}),
    };
    this.fills.push(one);
    this.note("fill", { fill: one });
    this.tell({ kind: "fill", t, fill: one });
    this.shrink(coin, order, t);
    this.snapshot(t);
  }

  /** Resting reduce-only orders follow the position down. */
  shrink(coin, cause, t) {
    const net = this.net(coin);
    for (const o of this.living(coin)) {
      if (!o.r || o === cause || (o.trigger && !o.isResting)) continue;
      if (o.side === "B" ? net >= 0 : net <= 0) this.mark(o, "reduceOnlyCanceled", t);
      else if (o.sz > Math.abs(net)) o.sz = Math.abs(net);
    }
  }

  cancel(order, t) {
    if (!order || !this.isOpen(order)) return { error: `${GONE} asset=${order?.a ?? 0}` };
    this.mark(order, "canceled", t);
    return "success";
  }

  modify({ oid, order }, isAlways, t) {
    const old = typeof oid === "number" ? this.orders.get(oid) : this.byCloid.get(oid);
    const isLiving = old && this.isOpen(old);
    if (!isLiving && !isAlways) return { error: "Cannot modify canceled or filled order" };
    const fault = this.staticFault(order);
    if (fault) return { error: fault };
    if (!isAlways && (order.t.trigger || order.t.limit.tif === "Ioc" || order.b !== (old.side === "B")))
      return { error: "Attempted to modify to invalid new order" };
    if (isLiving) this.mark(old, "canceled", t);
    const next = isAlways ? order : { ...order, t: { limit: { tif: "Alo" } } };
    return this.place(next, t, old);
  }
}

Object.assign(Chain.prototype, TWAPS);
