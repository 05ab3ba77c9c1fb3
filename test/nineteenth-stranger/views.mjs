// What a server of the exchange shows of the truth, as of the moment that its store has come to.
import { during, lastAt } from "./truth.mjs";
import { float, ONE, over, parse, show, size, times } from "./units.mjs";

const ZERO = "0.0";

export class Views {
  constructor(truth, user) {
    this.truth = truth;
    this.user = user;
  }

  frontend(order, version) {
    const { trigger } = order;
    const kind = trigger === null ? null : trigger.tpsl === "sl" ? "Stop" : "Take Profit";
    const isAbove = trigger !== null && (trigger.tpsl === "tp") !== order.isBuy;
    return {
      coin: order.coin,
      side: order.isBuy ? "B" : "A",
      limitPx: float(order.px),
      sz: float(version.sz),
      oid: order.oid,
      timestamp: order.t,
      triggerCondition: trigger === null ? "N/A" : `Price ${isAbove ? "above" : "below"} ${show(trigger.px)}`,
      isTrigger: trigger !== null,
      triggerPx: trigger === null ? ZERO : float(trigger.px),
      children: [],
      isPositionTpsl: false,
      reduceOnly: order.reduce,
      orderType: order.twapId
        ? "Twap Slice"
        : kind === null
          ? "Limit"
          : `${kind} ${trigger.isMarket ? "Market" : "Limit"}`,
      origSz: float(order.sz),
      tif: trigger === null ? order.tif : null,
      cloid: order.cloid,
    };
  }

  orderStatus({ oid }, t) {
    const matching = this.truth.orders.filter((o) => (typeof oid === "string" ? o.cloid === oid : o.oid === oid));
    const order = matching.filter((o) => lastAt(o.versions, t) !== undefined).at(-1);
    if (order === undefined) return { status: "unknownOid" };
    const version = lastAt(order.versions, t);
    // The size of the record is that of the last change of status, not of the last fill.
    const told = order.versions.find((v) => v.status === version.status);
    const row = { order: this.frontend(order, told), status: version.status, statusTimestamp: version.t };
    return { status: "order", order: row };
  }

  openOrders(t) {
    return this.truth.orders
      .map((o) => [o, lastAt(o.versions, t)])
      .filter(([, v]) => v !== undefined && v.status === "open")
      .map(([o, v]) => this.frontend(o, v))
      .reverse();
  }

  history(t) {
    const rows = [];
    for (const order of this.truth.orders) {
      let last;
      for (const version of order.versions.filter((v) => v.t <= t)) {
        if (version.status === last) continue;
        last = version.status;
        rows.push({ order: this.frontend(order, version), status: version.status, statusTimestamp: version.t });
      }
    }
    return rows.reverse().slice(0, 2000);
  }

  fill(f) {
    return {
      coin: f.coin,
      px: float(f.px),
      sz: float(f.sz),
      side: f.isBuy ? "B" : "A",
      time: f.t,
      startPosition: float(f.start),
      dir: f.dir,
      closedPnl: float(f.pnl),
      hash: `0x${(f.twapId === null ? 0 : f.tid).toString(16).padStart(64, "0")}`,
      oid: f.oid,
      crossed: f.isTaker,
      fee: float(f.fee),
      tid: f.tid,
      ...(f.cloid ? { cloid: f.cloid } : {}),
      ...(f.liquidation ? { liquidation: { ...f.liquidation, markPx: float(f.liquidation.markPx) } } : {}),
      feeToken: "USDC",
      twapId: f.twapId,
    };
  }

  fills(t, from = 0, to = Number.POSITIVE_INFINITY) {
    return this.truth.fills.filter((f) => f.t <= t && f.t >= from && f.t <= to).map((f) => this.fill(f));
  }

  state(t, dex) {
    const native = dex === undefined || dex === "";
    const assetPositions = [];
    let value = native ? lastAt(this.truth.cash, t).usd : 0n;
    let raw = value;
    let used = 0n;
    let ntl = 0n;
    if (native)
      for (const market of this.truth.markets.values()) {
        const row = this.position(market, t);
        if (row === null) continue;
        assetPositions.push({ type: "oneWay", position: row.position });
        value += row.pnl;
        raw -= row.cost;
        used += row.used;
        ntl += row.worth;
      }
    const summary = (part) => ({
      accountValue: float(value),
      totalNtlPos: float(part(ntl)),
      totalRawUsd: float(raw),
      totalMarginUsed: float(part(used)),
    });
    return {
      marginSummary: summary((x) => x),
      crossMarginSummary: summary((x) => x),
      crossMaintenanceMarginUsed: ZERO,
      withdrawable: float(value - used),
      assetPositions,
      time: t,
    };
  }

  position(market, t) {
    const at = lastAt(this.truth.positions.get(market.name) ?? [], t);
    if (at === undefined || at.szi === 0n) return null;
    const mark = this.truth.mark(market.name, t);
    const worth = times(size(at.szi), mark);
    const pnl = times(at.szi, mark) - at.cost;
    const { value, isCross } = this.truth.leverage(market.name, t);
    const used = worth / BigInt(value);
    const position = {
      coin: market.name,
      szi: float(at.szi),
      leverage: { type: isCross ? "cross" : "isolated", value, ...(isCross ? {} : { rawUsd: ZERO }) },
      entryPx: float(over(at.cost, at.szi)),
      positionValue: float(worth),
      unrealizedPnl: float(pnl),
      returnOnEquity: ZERO,
      liquidationPx: null,
      marginUsed: float(used),
      maxLeverage: market.leverage,
      cumFunding: { allTime: ZERO, sinceOpen: ZERO, sinceChange: ZERO },
    };
    return { position, pnl, cost: at.cost, used, worth };
  }

  spot() {
    return { balances: [{ coin: "USDC", token: 0, total: "1000.0", hold: ZERO, entryNtl: ZERO }] };
  }

  meta(dex) {
    const universe =
      dex === "xyz"
        ? [{ szDecimals: 3, name: "xyz:TSLA", maxLeverage: 10, marginTableId: 10 }]
        : [...this.truth.markets.values()].map((m) => ({
            szDecimals: m.decimals,
            name: m.name,
            maxLeverage: m.leverage,
            marginTableId: m.leverage,
          }));
    return { universe, marginTables: [], collateralToken: 0 };
  }

  contexts(dex) {
    if (dex === "xyz") return [context(parse("300"), parse("300"), parse("300.1"))];
    return [...this.truth.markets.values()].map((m) => this.context(m.name));
  }

  context(coin) {
    const { bid, ask } = this.truth.best(coin);
    return context(this.truth.mark(coin), bid, ask);
  }

  book(coin) {
    const { bid, ask } = this.truth.best(coin);
    const { depth } = this.truth.market(coin);
    const level = (px, left) => [{ px: float(px), sz: float(left ?? 1000n * ONE), n: 3 }];
    return { coin, time: Date.now(), levels: [level(bid, depth.sell), level(ask, depth.buy)] };
  }

  bbo(coin) {
    const { levels, time } = this.book(coin);
    return { coin, time, bbo: [levels[0][0], levels[1][0]] };
  }

  mids(dex) {
    if (dex === "xyz") return { "xyz:TSLA": "300.0" };
    return Object.fromEntries([...this.truth.markets.keys()].map((c) => [c, float(this.truth.mark(c))]));
  }

  asset(coin, t) {
    const { value, isCross } = this.truth.leverage(coin, t);
    const mark = float(this.truth.mark(coin));
    const leverage = { type: isCross ? "cross" : "isolated", value, ...(isCross ? {} : { rawUsd: ZERO }) };
    const both = ["50000.0", "50000.0"];
    return { user: this.user, coin, leverage, maxTradeSzs: both, availableToTrade: both, markPx: mark };
  }

  twapRow(twap, version) {
    const { coin, isBuy, sz, minutes, reduce, randomize, t, id } = twap;
    const done = this.truth.fills.filter((f) => f.twapId === id && f.t <= version.t);
    const sum = (of) => float(done.reduce((a, f) => a + of(f), 0n));
    const state = { coin, user: this.user, side: isBuy ? "B" : "A", sz: float(sz), executedSz: sum((f) => f.sz) };
    Object.assign(state, { executedNtl: sum((f) => times(f.sz, f.px)), minutes, reduceOnly: reduce, randomize });
    Object.assign(state, { stopPx: null, trigger: null, timestamp: t });
    return { time: Math.floor(version.t / 1000), state, status: { status: version.status }, twapId: id };
  }

  twapHistory(t) {
    return this.truth.twaps.flatMap((w) => during(w.versions, 0, t).map((v) => this.twapRow(w, v))).reverse();
  }

  twapStates(t) {
    return this.truth.twaps
      .filter((w) => lastAt(w.versions, t)?.status === "activated")
      .map((w) => [w.id, this.twapRow(w, { t, status: "activated" }).state]);
  }
}

function context(mark, bid, ask) {
  const px = float(mark);
  const prices = { oraclePx: px, markPx: px, midPx: float((bid + ask) / 2n), impactPxs: [float(bid), float(ask)] };
  const day = { prevDayPx: px, dayNtlVlm: "1000000.0", dayBaseVlm: "100.0", openInterest: "1000.0" };
  return { funding: "0.0000125", premium: "0.0", ...prices, ...day };
}
