// The exchange itself: one account against a market of outsiders. What it executes is the truth that the judge goes by.
import { abs, cut, dec, div, min, mul, wire } from "./decimal.mjs";
import { MARKETS } from "./markets.mjs";
import { directionOf, snapshotOf } from "./state.mjs";

const TAKER = { perp: dec("0.00045"), spot: dec("0.0007") };
const MAKER = { perp: dec("0.00015"), spot: dec("0.0004") };

export class Engine {
  constructor(user) {
    this.user = user;
    this.listeners = [];
    this.markets = new Map(MARKETS.map((market) => [market.coin, { ...market, mark: dec(market.price), depth: null }]));
    this.cash = { "": dec("100000"), xyz: dec("50000") };
    this.positions = new Map();
    this.spot = { USDC: dec("50000"), HYPE: 0n };
    this.spotEntry = 0n;
    this.leverage = new Map();
    this.open = new Map();
    this.twaps = new Map();
    this.twapRows = [];
    this.records = [];
    this.fills = [];
    this.fundings = [];
    this.ledgerUpdates = [];
    this.snapshots = [];
    this.nextOid = 400000000001;
    this.nextTid = 1000001;
    this.nextTwap = 90001;
    this.actions = [];
    this.snap();
  }

  now() {
    return this.block ?? Date.now();
  }

  market(asset) {
    return [...this.markets.values()].find((market) => market.asset === asset);
  }

  on(listener) {
    this.listeners.push(listener);
  }

  emit(kind, data) {
    for (const listener of this.listeners) listener(kind, data);
  }

  szi(coin) {
    return this.positions.get(coin)?.szi ?? 0n;
  }

  bid(market) {
    return market.bid ?? market.mark - this.tick(market);
  }

  ask(market) {
    return market.ask ?? market.mark + this.tick(market);
  }

  tick(market) {
    return market.kind === "spot" ? dec("0.01") : market.mark >= dec("10000") ? dec("1") : dec("0.1");
  }

  frontend(order) {
    const type =
      order.trigger === null
        ? "Limit"
        : `${order.trigger.tpsl === "sl" ? "Stop" : "Take Profit"} ${order.trigger.isMarket ? "Market" : "Limit"}`;
    const isUp = order.trigger !== null && (order.trigger.tpsl === "tp") !== order.isBuy;
    return {
      coin: order.coin,
      side: order.isBuy ? "B" : "A",
      limitPx: wire(order.px),
      sz: wire(order.sz),
      oid: order.oid,
      timestamp: order.ts,
      triggerCondition: order.trigger === null ? "N/A" : `Price ${isUp ? "above" : "below"} ${wire(order.trigger.px)}`,
      isTrigger: order.trigger !== null,
      triggerPx: order.trigger === null ? "0.0" : wire(order.trigger.px),
      children: [],
      isPositionTpsl: false,
      reduceOnly: order.reduceOnly,
      orderType: type,
      origSz: wire(order.origSz),
      tif: order.trigger === null ? order.tif : null,
      cloid: order.cloid ?? null,
    };
  }

  record(order, status, snapshot = false) {
    const t = this.now();
    const shown = this.frontend(order);
    this.records.push({ t, oid: order.oid, cloid: order.cloid, status, order: shown });
    const update = {
      coin: shown.coin,
      side: shown.side,
      limitPx: shown.limitPx,
      sz: shown.sz,
      oid: shown.oid,
      timestamp: shown.timestamp,
      origSz: shown.origSz,
    };
    if (order.cloid) update.cloid = order.cloid;
    if (order.reduceOnly) update.reduceOnly = true;
    if (!snapshot) this.emit("orderUpdates", [{ order: update, status, statusTimestamp: t }]);
  }

  close(order, status) {
    this.open.delete(order.oid);
    this.record(order, status);
  }

  // Books one execution: position, cash, fee, fill.
  fill(order, px, sz, extra = {}) {
    const crossed = extra.isTaker === true;
    const market = this.markets.get(order.coin);
    const rate = (crossed ? TAKER : MAKER)[market.kind];
    const before = market.kind === "spot" ? this.spot.HYPE : this.szi(order.coin);
    const row = market.kind === "spot" ? this.bookSpot(order.isBuy, px, sz, rate) : this.book(order, px, sz, rate);
    const t = this.now();
    const wired = {
      coin: order.coin,
      px: wire(px),
      sz: wire(sz),
      side: order.isBuy ? "B" : "A",
      time: t,
      startPosition: wire(before),
      dir: directionOf(market, order.isBuy, before, sz),
      closedPnl: wire(row.closed),
      hash: extra.twapId ? `0x${"0".repeat(64)}` : `0x${String(this.nextTid).padStart(64, "a")}`,
      oid: order.oid,
      crossed,
      fee: wire(row.fee),
      tid: this.nextTid++,
      feeToken: row.feeToken,
      twapId: extra.twapId ?? null,
    };
    if (order.cloid) wired.cloid = order.cloid;
    if (extra.liquidation)
      wired.liquidation = { liquidatedUser: this.user, markPx: wire(market.mark), method: "market" };
    order.sz -= sz;
    order.filled = (order.filled ?? 0n) + sz;
    order.value = (order.value ?? 0n) + mul(px, sz);
    this.fills.push({ t, wire: wired, cloid: order.cloid });
    this.emit("userFills", [wired]);
    return wired;
  }

  book({ coin, isBuy }, px, sz, rate) {
    const market = this.markets.get(coin);
    const scale = market.dex === "" ? 1n : 2n;
    const fee = cut(mul(mul(px, sz), rate * scale), 6);
    const position = this.positions.get(market.coin) ?? { szi: 0n, entry: 0n, funding: 0n };
    const signed = isBuy ? sz : -sz;
    let closed = 0n;
    const isSame = position.szi === 0n || position.szi > 0n === isBuy;
    if (isSame) {
      position.entry = div(mul(position.entry, abs(position.szi)) + mul(px, sz), abs(position.szi) + sz);
    } else {
      const part = min(sz, abs(position.szi));
      closed = cut(mul(px - position.entry, position.szi > 0n ? part : -part), 6);
      if (sz > part) position.entry = px;
    }
    position.szi += signed;
    if (position.szi === 0n) this.positions.delete(market.coin);
    else this.positions.set(market.coin, position);
    this.cash[market.dex] += closed - fee;
    return { closed, fee, feeToken: "USDC" };
  }

  bookSpot(isBuy, px, sz, rate) {
    const gross = mul(px, sz);
    if (isBuy) {
      const fee = cut(mul(sz, rate), 8);
      this.spotEntry += gross;
      this.spot.USDC -= gross;
      this.spot.HYPE += sz - fee;
      return { closed: 0n, fee, feeToken: "HYPE" };
    }
    const fee = cut(mul(gross, rate), 8);
    const cost = this.spot.HYPE === 0n ? 0n : div(mul(this.spotEntry, sz), this.spot.HYPE);
    this.spotEntry -= cost;
    this.spot.USDC += gross - fee;
    this.spot.HYPE -= sz;
    return { closed: cut(gross - cost, 8), fee, feeToken: "USDC" };
  }

  // A reduce-only order that rests is never larger than what it can reduce.
  prune() {
    for (const order of [...this.open.values()]) {
      if (!order.reduceOnly || order.trigger !== null) continue;
      const szi = this.szi(order.coin);
      if (szi === 0n || szi > 0n === order.isBuy) this.close(order, "reduceOnlyCanceled");
      else if (order.sz > abs(szi)) order.sz = abs(szi);
    }
  }

  submit(request) {
    const market = this.markets.get(request.coin);
    const order = { ...request, oid: this.nextOid++, ts: this.now(), origSz: request.sz, filled: 0n, value: 0n };
    const refuse = (status, text) => {
      this.record(order, status);
      return { error: `${text} asset=${market.asset}` };
    };
    const szi = this.szi(order.coin);
    const isWhole = order.reduceOnly && order.sz >= abs(szi);
    if (mul(order.px, order.sz) < dec("10") && !isWhole)
      return refuse("minTradeNtlRejected", "Order must have minimum value of $10.");
    if (order.trigger !== null) {
      this.open.set(order.oid, order);
      this.record(order, "open");
      return { resting: this.named(order) };
    }
    if (order.reduceOnly) {
      if (szi === 0n || szi > 0n === order.isBuy)
        return refuse("reduceOnlyRejected", "Reduce only order would increase position.");
      order.sz = min(order.sz, abs(szi));
    }
    const best = order.isBuy ? this.ask(market) : this.bid(market);
    const doesCross = order.isBuy ? order.px >= best : order.px <= best;
    if (order.tif === "Alo" && doesCross) {
      return refuse(
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${wire(this.bid(market))}@${wire(this.ask(market))}.`,
      );
    }
    if (market.kind === "spot" && this.lacks(market, order))
      return refuse("insufficientSpotBalanceRejected", "Insufficient spot balance");
    return this.match(order, market, doesCross, refuse);
  }

  lacks(market, order) {
    let held = order.isBuy ? this.spot.USDC : this.spot.HYPE;
    for (const other of this.open.values()) {
      if (other.coin === market.coin && other.isBuy === order.isBuy)
        held -= order.isBuy ? mul(other.px, other.sz) : other.sz;
    }
    return held < (order.isBuy ? mul(order.px, order.sz) : order.sz);
  }

  match(order, market, doesCross, refuse) {
    const best = order.isBuy ? this.ask(market) : this.bid(market);
    for (const other of [...this.open.values()]) {
      const isMet =
        other.coin === order.coin &&
        other.isBuy !== order.isBuy &&
        other.trigger === null &&
        (order.isBuy ? order.px >= other.px && other.px <= best : order.px <= other.px && other.px >= best);
      if (isMet) this.close(other, "selfTradeCanceled");
    }
    if (doesCross) {
      const part = market.depth === null ? order.sz : min(order.sz, market.depth);
      if (part > 0n) this.fill(order, best, part, { isTaker: true });
    }
    if (order.sz > 0n && (order.tif === "Gtc" || order.tif === "Alo")) {
      this.open.set(order.oid, order);
      this.record(order, "open");
      this.prune();
      return { resting: this.named(order) };
    }
    if (order.filled === 0n)
      return refuse("iocCancelRejected", "Order could not immediately match against any resting orders.");
    this.record(order, "filled");
    this.prune();
    return {
      filled: {
        totalSz: wire(order.filled),
        avgPx: wire(cut(div(order.value, order.filled), 8)),
        ...this.named(order),
      },
    };
  }

  named(order) {
    return order.cloid ? { oid: order.oid, cloid: order.cloid } : { oid: order.oid };
  }

  // An outsider trades with an order that rests.
  hit(oid, size) {
    const order = this.open.get(oid);
    if (order === undefined) return null;
    let part = size === undefined ? order.sz : min(dec(size), order.sz);
    if (order.reduceOnly) part = min(part, abs(this.szi(order.coin)));
    if (part === 0n) return null;
    const fill = this.fill(order, order.px, part);
    if (order.sz === 0n) this.close(order, "filled");
    this.prune();
    this.snap();
    return fill;
  }

  cancel(find) {
    const order = [...this.open.values()].find(find);
    if (order === undefined) return null;
    this.close(order, "canceled");
    return order;
  }

  setPrice(coin, price) {
    const market = this.markets.get(coin);
    market.mark = dec(price);
    for (const order of [...this.open.values()]) {
      if (order.coin !== coin || !this.open.has(order.oid)) continue;
      if (order.trigger !== null) this.tryTrigger(order, market);
      else if (order.isBuy ? order.px >= this.ask(market) : order.px <= this.bid(market)) this.hit(order.oid);
    }
    this.snap();
  }

  tryTrigger(order, market) {
    const isUp = (order.trigger.tpsl === "tp") !== order.isBuy;
    if (isUp ? market.mark < order.trigger.px : market.mark > order.trigger.px) return;
    this.open.delete(order.oid);
    this.record(order, "triggered");
    const szi = this.szi(order.coin);
    if (order.reduceOnly && (szi === 0n || szi > 0n === order.isBuy)) return this.record(order, "reduceOnlyRejected");
    if (order.reduceOnly) order.sz = min(order.sz, abs(szi));
    const best = order.isBuy ? this.ask(market) : this.bid(market);
    if (order.isBuy ? order.px >= best : order.px <= best) {
      this.fill(order, best, order.sz, { isTaker: true });
      this.record(order, "filled");
    } else if (order.trigger.isMarket) this.record(order, "marketOrderNoLiquidityRejected");
    else {
      this.open.set(order.oid, { ...order, trigger: null, tif: "Gtc" });
      this.record(order, "open");
    }
    this.prune();
  }

  // What the exchange takes when a position is liquidated: nobody's order.
  liquidate(coin, size) {
    const szi = this.szi(coin);
    const market = this.markets.get(coin);
    const order = {
      coin,
      isBuy: szi < 0n,
      px: market.mark,
      sz: size === undefined ? abs(szi) : dec(size),
      oid: this.nextOid++,
      ts: this.now(),
      reduceOnly: true,
      trigger: null,
      tif: "LiquidationMarket",
    };
    order.origSz = order.sz;
    this.fill(order, market.mark, order.sz, { isTaker: true, liquidation: true });
    this.record(order, "filled");
    this.prune();
    this.snap();
  }

  // By the owner's own hand, at the exchange's own page.
  byHand(coin, isBuy, size, options = {}) {
    const market = this.markets.get(coin);
    const px = options.px === undefined ? (isBuy ? this.ask(market) : this.bid(market)) : dec(options.px);
    const status = this.submit({
      coin,
      isBuy,
      px,
      sz: dec(size),
      reduceOnly: options.reduceOnly ?? false,
      tif: options.tif ?? "Ioc",
      trigger: options.trigger ?? null,
      cloid: null,
    });
    this.snap();
    return status;
  }

  pay(coin, rate) {
    const market = this.markets.get(coin);
    const position = this.positions.get(coin);
    // Dated some tens of milliseconds past the hour.
    const time = this.now() - (this.now() % 3600000) + 37;
    if (position === undefined) return null;
    const usdc = -cut(mul(mul(position.szi, market.mark), dec(rate)), 6);
    this.cash[market.dex] += usdc;
    position.funding -= usdc;
    const row = {
      time,
      hash: `0x${"0".repeat(64)}`,
      delta: { type: "funding", coin, usdc: wire(usdc), szi: wire(position.szi), fundingRate: rate, nSamples: 24 },
    };
    this.fundings.push({ t: this.now(), wire: row });
    this.emit("userFundings", [row]);
    this.snap();
    return row;
  }

  snap() {
    this.snapshots.push({ t: this.now(), state: snapshotOf(this) });
    if (this.snapshots.length > 6000) this.snapshots.splice(0, 2000);
    this.emit("state", null);
  }
}
