// The state as the exchange's stores show it at a moment, in its own words.
import { size as abs, ONE, show, wire } from "./figures.mjs";
import { at, MARKETS } from "./truth.mjs";

export const META = {
  "": { universe: MARKETS.filter((m) => m.dex === "").map(universe), marginTables: [], collateralToken: 0 },
  xyz: { universe: MARKETS.filter((m) => m.dex === "xyz").map(universe), marginTables: [], collateralToken: 0 },
};

function universe({ coin, sizes, maxLeverage }) {
  return { szDecimals: sizes, name: coin, maxLeverage, marginTableId: maxLeverage };
}

const token = (name, index, decimals) => ({
  name,
  szDecimals: decimals,
  weiDecimals: 8,
  index,
  tokenId: `0x${String(index).padStart(32, "0")}`,
  isCanonical: true,
  evmContract: null,
  fullName: null,
  deployerTradingFeeShare: "0.0",
});
export const TOKENS = { 0: "USDC", 1: "PURR", 150: "HYPE" };
export const SPOT_META = {
  universe: [
    { tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true },
    { tokens: [150, 0], name: "@107", index: 107, isCanonical: false },
  ],
  tokens: [token("USDC", 0, 8), token("PURR", 1, 0), token("HYPE", 150, 2)],
};

export class Views {
  constructor(truth) {
    this.truth = truth;
  }

  recorded(order, t) {
    let found = null;
    for (const version of order.versions) if (version.t <= t && !version.part) found = version;
    return found;
  }

  front(order, version) {
    version.front ??= this.frontOf(order, version);
    return version.front;
  }

  frontOf(order, version) {
    const { trigger } = order;
    const above = trigger && (trigger.kind === "tp") === !order.buy;
    return {
      coin: order.coin,
      side: order.buy ? "B" : "A",
      limitPx: wire(order.limit),
      sz: wire(version.left),
      oid: order.oid,
      timestamp: order.t,
      triggerCondition: trigger ? `Price ${above ? "above" : "below"} ${show(trigger.price)}` : "N/A",
      isTrigger: trigger !== null && !order.fired,
      triggerPx: trigger ? wire(trigger.price) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: order.reduceOnly,
      orderType: trigger
        ? `${trigger.kind === "tp" ? "Take Profit" : "Stop"} ${trigger.market ? "Market" : "Limit"}`
        : order.slice
          ? "Twap Slice"
          : "Limit",
      origSz: wire(order.size),
      tif: trigger ? null : order.tif,
      cloid: order.cloid,
    };
  }

  orderStatus(oid, t) {
    let order = null;
    if (typeof oid === "string") {
      for (const one of this.truth.byCloid.get(oid.toLowerCase()) ?? []) if (one.t <= t) order = one;
    } else order = this.truth.orders.get(oid) ?? null;
    const version = order && this.recorded(order, t);
    if (!version || this.forgotten(order, t)) return { status: "unknownOid" };
    return {
      status: "order",
      order: { order: this.front(order, version), status: version.status, statusTimestamp: version.t },
    };
  }

  /** What has ended is forgotten once so many orders more have come. */
  forgotten(order, t) {
    return this.truth.keeps < this.truth.nextOid - order.oid && !this.truth.isLive(order, t);
  }

  openOrders(dex, t) {
    return this.truth
      .live(t)
      .filter((order) => (this.truth.markets.get(order.coin).dex ?? "") === dex)
      .sort((a, b) => b.oid - a.oid)
      .map((order) => this.front(order, this.truth.state(order, t)));
  }

  /** Newest first, a page at most. */
  history(t) {
    const rows = [];
    for (const order of this.truth.orders.values()) {
      if (this.forgotten(order, t)) continue;
      for (const [i, version] of order.versions.entries())
        if (version.t <= t && !version.part) rows.push({ order, version, i });
    }
    return rows
      .sort((a, b) => b.version.t - a.version.t || b.order.oid - a.order.oid || b.i - a.i)
      .slice(0, 2000)
      .map(({ order, version }) => ({
        order: this.front(order, version),
        status: version.status,
        statusTimestamp: version.t,
      }));
  }

  fill(row) {
    return {
      coin: row.coin,
      px: wire(row.price),
      sz: wire(row.size),
      side: row.buy ? "B" : "A",
      time: row.t,
      startPosition: wire(row.start),
      dir: row.dir,
      closedPnl: wire(row.pnl),
      hash: row.hash,
      oid: row.oid,
      crossed: row.crossed,
      fee: wire(row.fee),
      tid: row.tid,
      ...(row.order.cloid ? { cloid: row.order.cloid } : {}),
      ...(row.builderFee > 0n ? { builderFee: wire(row.builderFee) } : {}),
      ...(row.liquidation ? { liquidation: row.liquidation } : {}),
      feeToken: row.feeToken,
      twapId: row.twapId ?? null,
    };
  }

  /** Newest first, a page at most. */
  fills(t) {
    return this.page(t, 0, Infinity)
      .slice(-2000)
      .reverse()
      .map((row) => this.fill(row));
  }

  /** A page of a time: of its beginning, or of its end where it is asked for in reverse. */
  fillsByTime(t, from, to, reversed) {
    const rows = this.page(t, from, to);
    return (reversed ? rows.reverse() : rows).slice(0, 2000).map((row) => this.fill(row));
  }

  page(t, from, to) {
    return this.truth.fills.slice(-this.truth.reach).filter((row) => row.t <= t && row.t >= from && row.t <= to);
  }

  clearinghouse(dex, t) {
    const { worth, raw, notional, used, cross, withdrawable } = this.truth.account(dex, t);
    const positions = [];
    for (const market of this.truth.markets.values()) {
      if (market.spot || market.dex !== dex) continue;
      const { szi, entry, margin } = at(market.positions, t);
      if (szi === 0n) continue;
      positions.push({ type: "oneWay", position: this.position(market, { szi, entry, margin }, t) });
    }
    const summary = (accountValue) => ({
      accountValue: wire(accountValue, 6),
      totalNtlPos: wire(notional, 6),
      totalRawUsd: wire(raw, 6),
      totalMarginUsed: wire(used, 6),
    });
    return {
      marginSummary: summary(worth),
      crossMarginSummary: summary(cross),
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: wire(withdrawable, 6),
      assetPositions: positions,
      time: t,
    };
  }

  position(market, { szi, entry, margin }, t) {
    const value = (abs(szi) * this.truth.mark(market.coin, t)) / ONE;
    const profit = szi > 0n ? value - entry : entry - value;
    const { type, value: leverage } = at(market.leverages, t);
    const isolated = type === "isolated";
    const initial = entry / BigInt(leverage) || 1n;
    return {
      coin: market.coin,
      szi: wire(szi),
      leverage: isolated
        ? { type, value: leverage, rawUsd: wire(margin - (szi > 0n ? entry : -entry), 6) }
        : { type, value: leverage },
      entryPx: wire((entry * ONE) / abs(szi), 6),
      positionValue: wire(value, 6),
      unrealizedPnl: wire(profit, 6),
      returnOnEquity: wire((profit * ONE) / initial, 10),
      liquidationPx: null,
      marginUsed: wire(isolated ? margin + profit : value / BigInt(leverage), 6),
      maxLeverage: market.maxLeverage,
      cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
    };
  }

  spot(t) {
    const balances = [];
    for (const [index, versions] of this.truth.tokens) {
      const { total, entry } = at(versions, t);
      balances.push({
        coin: TOKENS[index],
        token: index,
        total: wire(total, 8),
        hold: wire(this.truth.hold(index, t), 8),
        entryNtl: wire(entry, 8),
      });
    }
    return { balances };
  }

  twapState(twap, version, user) {
    return {
      coin: twap.coin,
      user,
      side: twap.buy ? "B" : "A",
      sz: wire(twap.size),
      executedSz: wire(version.executed),
      executedNtl: wire(version.worth, 6),
      minutes: twap.minutes,
      reduceOnly: twap.reduceOnly,
      randomize: twap.randomize,
      stopPx: null,
      trigger: null,
      timestamp: twap.t,
    };
  }

  twapHistory(t, user) {
    const rows = [];
    for (const twap of this.truth.twaps) {
      let last = null;
      for (const version of twap.versions) {
        if (version.t > t) continue;
        if (last?.status === version.status) last.version = version;
        else rows.push((last = { twap, status: version.status, version, began: version.t }));
      }
    }
    return rows
      .sort((a, b) => b.began - a.began)
      .map(({ twap, status, version, began }) => ({
        time: Math.floor(began / 1000),
        state: this.twapState(twap, version, user),
        status: { status },
        twapId: twap.id,
      }));
  }

  twapStates(dex, t, user) {
    const states = [];
    for (const twap of this.truth.twaps) {
      const version = at(twap.versions, t);
      if (version?.status === "activated" && (this.truth.markets.get(twap.coin).dex ?? "") === dex)
        states.push([twap.id, this.twapState(twap, version, user)]);
    }
    return states;
  }

  twapSlices(t, from = 0, to = Infinity) {
    return this.truth.fills
      .filter((row) => row.twapId && row.t <= t && row.t >= from && row.t <= to)
      .map((row) => ({ fill: this.fill(row), twapId: row.twapId }));
  }

  book(coin, t) {
    const market = this.truth.markets.get(coin);
    const { bid, ask } = this.truth.best(coin, t);
    const level = (price, i) => ({ px: wire(price), sz: wire(ONE * BigInt(50 * (i + 1))), n: 3 });
    const range = [0, 1, 2, 3, 4];
    return {
      coin,
      time: t,
      levels: [
        range.map((i) => level(bid - market.tick * BigInt(i), i)),
        range.map((i) => level(ask + market.tick * BigInt(i), i)),
      ],
    };
  }

  context(coin, t) {
    const mark = this.truth.mark(coin, t);
    const { bid, ask } = this.truth.best(coin, t);
    const common = {
      prevDayPx: wire(mark),
      dayNtlVlm: "1000000.0",
      markPx: wire(mark),
      midPx: wire((bid + ask) / 2n),
      dayBaseVlm: "1000.0",
    };
    if (this.truth.markets.get(coin).spot)
      return { ...common, circulatingSupply: "1000000.0", coin, totalSupply: "1000000.0" };
    return {
      ...common,
      funding: "0.0000125",
      openInterest: "1000.0",
      premium: "0.0",
      oraclePx: wire(mark),
      impactPxs: [wire(bid), wire(ask)],
    };
  }

  mids(dex, t) {
    const mids = {};
    for (const market of this.truth.markets.values()) {
      if ((market.dex ?? "") !== dex) continue;
      const { bid, ask } = this.truth.best(market.coin, t);
      mids[market.coin] = wire((bid + ask) / 2n);
    }
    return mids;
  }
}
