// The one true log: what was executed, and when. Everything that is shown is derived from the versions kept here.

import { byAsset, byCoin, MARKETS, round } from "./markets.mjs";
import { settleFill } from "./money.mjs";

const LIVE = new Set(["open", "triggered"]);

export class Engine {
  constructor({ clockOffMs = 0 } = {}) {
    this.clockOffMs = clockOffMs;
    this.log = [];
    this.orders = new Map();
    this.versions = new Map();
    this.fills = [];
    this.states = [];
    this.twaps = new Map();
    this.twapRows = [];
    this.nonces = new Map();
    this.nextOid = 5_000_000_001;
    this.nextTwap = 77001;
    this.nextTid = 10_000_001;
    this.positions = new Map();
    this.leverage = new Map();
    this.leverageRows = [];
    this.cash = { "": 1_000_000, xyz: 100_000 };
    this.spot = { USDC: 100_000, PURR: 0 };
    this.mark = new Map(MARKETS.map((market) => [market.coin, market.px]));
    this.depth = new Map();
    this.gap = new Map();
    this.listeners = [];
    this.keepState();
  }

  now() {
    return Date.now() + this.clockOffMs;
  }

  note(kind, fields) {
    const row = { at: Date.now(), time: this.now(), kind, ...fields };
    this.log.push(row);
    return row;
  }

  changed(what, detail) {
    for (const listener of this.listeners) listener(what, detail);
  }

  keepState() {
    const positions = [...this.positions.values()]
      .filter((position) => position.szi !== 0)
      .map((position) => ({ ...position }));
    this.states.push({ at: Date.now(), time: this.now(), positions, cash: { ...this.cash }, spot: { ...this.spot } });
    this.changed("state");
  }

  keep(order, kind, status = order.status) {
    const rows = this.versions.get(order.oid) ?? [];
    this.versions.set(order.oid, rows);
    const version = { at: Date.now(), time: this.now(), kind, status, sz: order.sz, px: order.px };
    rows.push(version);
    this.changed("order", { order, version });
  }

  setStatus(order, status) {
    order.status = status;
    order.statusAt = this.now();
    this.keep(order, "status");
    this.note("status", { oid: order.oid, cloid: order.cloid, status, filled: order.filled });
  }

  settingOf(coin) {
    return this.leverage.get(coin) ?? { isCross: true, leverage: Math.min(20, byCoin.get(coin).maxLeverage) };
  }

  positionOf(coin) {
    const found = this.positions.get(coin);
    if (found) return found;
    const fresh = { coin, szi: 0, entry: 0, margin: 0 };
    this.positions.set(coin, fresh);
    return fresh;
  }

  book(coin) {
    const { tick } = byCoin.get(coin);
    const middle = this.mark.get(coin);
    const gap = this.gap.get(coin);
    const size = this.depth.get(coin) ?? { bid: 1e6, ask: 1e6 };
    // A gap makes the market thin: the best prices are that far away, as parts of the mark.
    const away = (k, side) => tick * k + middle * ((side === "ask" ? gap?.ask : gap?.bid) ?? 0);
    const level = (k, side) => ({
      px: round(Math.round((middle + (side === "ask" ? 1 : -1) * away(k, side)) / tick) * tick),
      sz: size[side],
    });
    return {
      bids: size.bid > 0 ? [1, 2, 3, 4, 5].map((k) => level(k, "bid")) : [],
      asks: size.ask > 0 ? [1, 2, 3, 4, 5].map((k) => level(k, "ask")) : [],
    };
  }

  live() {
    return [...this.orders.values()].filter((order) => LIVE.has(order.status));
  }

  // ---- orders

  place(wire, origin, batch) {
    const market = byAsset.get(wire.a);
    const order = {
      oid: this.nextOid++,
      cloid: wire.c ?? null,
      coin: market.coin,
      asset: wire.a,
      buy: wire.b,
      px: Number(wire.p),
      sz: Number(wire.s),
      orig: Number(wire.s),
      ro: wire.r === true,
      tif: wire.t.limit?.tif ?? null,
      trigger: wire.t.trigger ? { ...wire.t.trigger, px: Number(wire.t.trigger.triggerPx) } : null,
      filled: 0,
      filledNtl: 0,
      status: "new",
      madeAt: this.now(),
      statusAt: this.now(),
      origin,
    };
    this.orders.set(order.oid, order);
    this.note("placed", {
      oid: order.oid,
      cloid: order.cloid,
      coin: order.coin,
      buy: order.buy,
      sz: order.sz,
      px: order.px,
      ro: order.ro,
      trigger: order.trigger,
      tif: order.tif,
      origin,
      batch,
    });
    return order.trigger ? this.armTrigger(order, market) : this.enter(order, market);
  }

  refuse(order, status, words) {
    this.setStatus(order, status);
    return { error: `${words} asset=${order.asset}` };
  }

  armTrigger(order, market) {
    if (market.dex === "spot")
      return this.refuse(order, "rejected", "Placing trigger orders is not enabled on spot trading yet.");
    const worse = order.buy ? order.px >= order.trigger.px : order.px <= order.trigger.px;
    if (order.trigger.isMarket && !worse) return this.refuse(order, "badTriggerPxRejected", "Invalid TP/SL price.");
    this.setStatus(order, "open");
    const taken = { resting: { oid: order.oid, ...(order.cloid ? { cloid: order.cloid } : {}) } };
    this.fireTriggers(order.coin);
    return taken;
  }

  // What a reduce-only order may still close; the exchange shrinks it, and takes older ones away.
  room(order) {
    const { szi } = this.positionOf(order.coin);
    return order.buy ? Math.max(0, -szi) : Math.max(0, szi);
  }

  enter(order, market) {
    const notional = order.sz * order.px;
    const closesAll = order.ro && round(order.sz) >= round(this.room(order));
    if (notional < 10 && !closesAll)
      return this.refuse(order, "minTradeNtlRejected", "Order must have minimum value of $10.");
    if (order.ro) {
      const room = this.room(order);
      if (room <= 0) return this.refuse(order, "reduceOnlyRejected", "Reduce only order would increase position.");
      order.sz = Math.min(order.sz, room);
    }
    if (market.dex === "spot" && !this.affordable(order))
      return this.refuse(order, "insufficientSpotBalanceRejected", "Insufficient spot balance");
    if (order.tif === "Alo" && this.crosses(order)) {
      const { bids, asks } = this.book(order.coin);
      return this.refuse(
        order,
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${bids[0]?.px}@${asks[0]?.px}.`,
      );
    }
    this.take(order);
    if (order.sz <= 0) this.setStatus(order, "filled");
    else if (order.tif === "Ioc" || order.tif === "FrontendMarket") {
      if (order.filled === 0)
        return this.refuse(order, "iocCancelRejected", "Order could not immediately match against any resting orders.");
      this.setStatus(order, "filled");
    } else {
      this.setStatus(order, "open");
      if (order.ro) this.displaceOlder(order);
    }
    this.trimReduceOnly(order.coin);
    const name = order.cloid ? { cloid: order.cloid } : {};
    if (order.status === "filled")
      return {
        filled: {
          totalSz: String(round(order.filled)),
          avgPx: String(round(order.filledNtl / order.filled, 6)),
          oid: order.oid,
          ...name,
        },
      };
    return { resting: { oid: order.oid, ...name } };
  }

  affordable(order) {
    const held = this.live().filter((other) => other.coin === order.coin && other.buy === order.buy);
    if (order.buy)
      return this.spot.USDC - held.reduce((sum, other) => sum + other.sz * other.px, 0) >= order.sz * order.px;
    return this.spot.PURR - held.reduce((sum, other) => sum + other.sz, 0) >= order.sz;
  }

  crosses(order) {
    const { bids, asks } = this.book(order.coin);
    const best = order.buy ? asks[0]?.px : bids[0]?.px;
    return best !== undefined && (order.buy ? order.px >= best : order.px <= best);
  }

  // Own orders on the other side are met in their turn, and give way without a trade.
  take(order) {
    const { bids, asks } = this.book(order.coin);
    for (const level of order.buy ? asks : bids) {
      if (order.sz <= 0 || (order.buy ? order.px < level.px : order.px > level.px)) break;
      this.meetOwn(order, level.px);
      this.fill(order, Math.min(order.sz, level.sz), level.px);
    }
    if (order.sz > 0) this.meetOwn(order, order.px);
  }

  meetOwn(order, px) {
    for (const other of this.live()) {
      if (
        other === order ||
        other.coin !== order.coin ||
        other.buy === order.buy ||
        (other.trigger && other.status !== "triggered")
      )
        continue;
      if (order.buy ? px >= other.px : px <= other.px) this.setStatus(other, "selfTradeCanceled");
    }
  }

  displaceOlder(newer) {
    const room = this.room(newer);
    const others = this.live().filter(
      (order) =>
        order.ro &&
        order.coin === newer.coin &&
        order.buy === newer.buy &&
        order !== newer &&
        (!order.trigger || order.status === "triggered"),
    );
    let sum = newer.sz + others.reduce((total, order) => total + order.sz, 0);
    for (const order of others.sort((a, b) => a.oid - b.oid)) {
      if (round(sum) <= round(room)) return;
      sum -= order.sz;
      this.setStatus(order, "reduceOnlyCanceled");
    }
  }

  trimReduceOnly(coin) {
    for (const order of this.live()) {
      if (!order.ro || order.sz <= 0 || order.coin !== coin || (order.trigger && order.status !== "triggered"))
        continue;
      const room = this.room(order);
      if (room <= 0) this.setStatus(order, "reduceOnlyCanceled");
      else if (order.sz > room) {
        order.sz = round(room);
        this.keep(order, "size");
      }
    }
  }

  fill(order, size, px, how = {}) {
    const sz = round(size);
    if (sz <= 0) return;
    order.sz = round(order.sz - sz);
    order.filled = round(order.filled + sz);
    order.filledNtl += sz * px;
    const row = settleFill(this, order, { sz, px, isTaker: true, ...how });
    this.fills.push(row);
    const { oid, cloid, coin, buy, origin, ro, start, twapId } = row;
    this.note("fill", { oid, cloid, coin, buy, sz, px, origin, ro, start, twapId });
    this.keepState();
    this.changed("fill", row);
    if (byCoin.get(coin).dex !== "spot") this.trimReduceOnly(coin);
    if (order.sz > 0) this.keep(order, "size");
  }

  // A stranger takes what rests here, as much of it as is named.
  hit(oid, size) {
    const order = this.orders.get(oid);
    if (!order || !LIVE.has(order.status) || (order.trigger && order.status !== "triggered")) return false;
    const sz = Math.min(size ?? order.sz, order.sz);
    this.fill(order, sz, order.px, { isTaker: false });
    if (order.sz <= 0 && LIVE.has(order.status)) this.setStatus(order, "filled");
    return true;
  }

  move(coin, px) {
    this.mark.set(coin, px);
    this.note("mark", { coin, px });
    this.changed("mark", { coin });
    for (const order of this.live()) {
      if (order.coin !== coin || (order.trigger && order.status !== "triggered")) continue;
      if (order.buy ? order.px > px : order.px < px) this.hit(order.oid);
    }
    this.fireTriggers(coin);
  }

  fireTriggers(coin) {
    const mark = this.mark.get(coin);
    for (const order of this.live()) {
      if (order.coin !== coin || !order.trigger || order.status === "triggered") continue;
      const above = (order.trigger.tpsl === "tp") !== order.buy;
      if (above ? mark >= order.trigger.px : mark <= order.trigger.px) this.fire(order);
    }
  }

  fire(order) {
    this.setStatus(order, "triggered");
    if (order.ro) {
      const room = this.room(order);
      if (room <= 0) return this.setStatus(order, "reduceOnlyRejected");
      order.sz = Math.min(order.sz, room);
    }
    this.take(order);
    if (order.sz <= 0) this.setStatus(order, "filled");
    else if (order.trigger.isMarket)
      this.setStatus(order, order.filled > 0 ? "filled" : "marketOrderNoLiquidityRejected");
  }

  cancel(order, status = "canceled") {
    if (!order || !LIVE.has(order.status)) return false;
    this.setStatus(order, status);
    return true;
  }

  newestByCloid(cloid) {
    let found;
    for (const order of this.orders.values()) if (order.cloid === cloid) found = order;
    return found;
  }
}
