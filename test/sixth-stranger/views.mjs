// Three servers, each with stores that lag apart; what `/info` answers as of the moment that a store has come to.

import { figure, usd } from "./codec.mjs";
import { MARKETS } from "./markets.mjs";

const STORES = ["record", "open", "history", "fills", "positions", "twaps", "rate", "stream", "clock"];

export class Server {
  constructor(chain, sickness) {
    Object.assign(this, { chain, sickness, lags: {}, shown: {} });
    this.change();
  }

  /** New lags; a store never goes back behind what this server has shown. */
  change() {
    const { draw } = this.chain;
    for (const store of STORES)
      this.lags[store] = draw.chance(0.12)
        ? draw.between(0, this.sickness)
        : draw.between(20, Math.min(900, this.sickness));
    this.lags.clock = Math.min(this.lags.clock, 1500);
  }

  asOf(store) {
    const t = Math.max(this.shown[store] ?? 0, Date.now() - this.lags[store]);
    this.shown[store] = t;
    return t;
  }
}

const at = (versions, t) => {
  for (let i = versions.length - 1; i >= 0; i--) if (versions[i].t <= t) return versions[i];
  return null;
};

export function frontend(o, _version, size) {
  const trigger = o.trigger;
  const kind = trigger
    ? `${trigger.tpsl === "sl" ? "Stop" : "Take Profit"} ${trigger.isMarket ? "Market" : "Limit"}`
    : o.isSlice
      ? "Twap Slice"
      : "Limit";
  const isAbove = trigger && (trigger.tpsl === "tp") === (o.side === "A");
  return {
    coin: o.coin,
    side: o.side,
    limitPx: figure(o.px),
    sz: figure(size),
    oid: o.oid,
    timestamp: o.ts,
    triggerCondition: trigger ? `Price ${isAbove ? "above" : "below"} ${trigger.triggerPx}` : "N/A",
    isTrigger: Boolean(trigger),
    triggerPx: trigger ? figure(Number(trigger.triggerPx)) : "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: o.r,
    orderType: kind,
    origSz: figure(o.origSz),
    tif: trigger ? null : o.tif,
    cloid: o.cloid,
  };
}

export function openOrders(chain, t) {
  const rows = [];
  for (const o of chain.orders.values()) {
    const version = at(o.versions, t);
    if (version?.isOpen) rows.push(frontend(o, version, version.sz));
  }
  return rows.reverse();
}

export function orderStatus(chain, t, wanted) {
  const order =
    typeof wanted === "number"
      ? chain.orders.get(wanted)
      : [...chain.orders.values()].filter((o) => o.cloid === wanted.toLowerCase() && at(o.versions, t)).at(-1);
  const version = order && at(order.versions, t);
  if (!version) return { status: "unknownOid" };
  const since = order.versions.find((v) => v.status === version.status);
  return {
    status: "order",
    order: { order: frontend(order, version, version.snap), status: version.status, statusTimestamp: since.t },
  };
}

export function history(chain, t) {
  const rows = [];
  for (const o of chain.orders.values()) {
    let last = null;
    for (const version of o.versions) {
      if (version.t <= t && version.status !== last)
        rows.push({ order: frontend(o, version, version.snap), status: version.status, statusTimestamp: version.t });
      last = version.status;
    }
  }
  return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp || b.order.oid - a.order.oid).slice(0, 2000);
}

export function stateOf(chain, t) {
  const states = chain.states;
  for (let i = states.length - 1; i >= 0; i--) if (states[i].t <= t) return states[i];
  return states[0];
}

export function clearinghouse(chain, t, dex) {
  const state = dex ? { positions: {}, cash: 0 } : stateOf(chain, t);
  let equity = state.cash;
  let used = 0;
  let notional = 0;
  const assetPositions = Object.entries(state.positions).map(([coin, p]) => {
    const mark = chain.mids[coin];
    const lever = chain.leverage[coin] ?? { type: "cross", value: 20 };
    const value = Math.abs(p.szi) * mark;
    const pnl = p.szi * (mark - p.entry);
    equity += pnl;
    used += value / lever.value;
    notional += value;
    return {
      type: "oneWay",
      position: {
        coin,
        szi: figure(p.szi),
        leverage: {
          ...lever,
          ...(lever.type === "isolated" ? { rawUsd: usd(value / lever.value - p.entry * p.szi) } : {}),
        },
        entryPx: figure(p.entry),
        positionValue: usd(value),
        unrealizedPnl: usd(pnl),
        returnOnEquity: figure((pnl / (Math.abs(p.szi) * p.entry)) * lever.value),
        liquidationPx: null,
        marginUsed: usd(value / lever.value),
        maxLeverage: MARKETS.find((m) => m.name === coin).leverage,
        cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
      },
    };
  });
  const signed = Object.entries(state.positions).reduce((sum, [coin, p]) => sum + p.szi * chain.mids[coin], 0);
  const summary = {
    accountValue: usd(equity),
    totalNtlPos: usd(notional),
    totalRawUsd: usd(equity - signed),
    totalMarginUsed: usd(used),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: usd(equity - Math.max(used, notional * 0.1)),
    assetPositions,
    time: Math.floor(t),
  };
}

export function twapState(chain, twap, version) {
  return {
    coin: twap.coin,
    user: chain.owner,
    side: twap.side,
    sz: figure(twap.sz),
    executedSz: figure(version.executed),
    executedNtl: figure(version.ntl),
    minutes: twap.minutes,
    reduceOnly: twap.r,
    randomize: twap.randomize,
    stopPx: null,
    trigger: null,
    timestamp: twap.ts,
  };
}

export function twapHistory(chain, t) {
  const rows = [];
  for (const twap of chain.twaps) {
    const shown = twap.versions.filter((v) => v.t <= t);
    const kinds = [...new Set(shown.map((v) => v.status))];
    for (const status of kinds) {
      const version = shown.filter((v) => v.status === status).at(-1);
      rows.push({
        time: Math.floor(version.t / 1000),
        state: twapState(chain, twap, version),
        status: { status },
        twapId: twap.twapId,
      });
    }
  }
  return rows.reverse();
}

export function runningTwaps(chain, t) {
  return chain.twaps
    .map((twap) => [twap, at(twap.versions, t)])
    .filter(([, v]) => v?.status === "activated")
    .map(([twap, v]) => [twap.twapId, twapState(chain, twap, v)]);
}

const meta = (dex) => ({
  universe: dex
    ? [{ szDecimals: 3, name: `${dex}:TSLA`, maxLeverage: 10, marginTableId: 10 }]
    : MARKETS.map((m) => ({
        szDecimals: m.decimals,
        name: m.name,
        maxLeverage: m.leverage,
        marginTableId: m.leverage,
      })),
  marginTables: [],
  collateralToken: 0,
});

export function assetContext(chain, coin) {
  const px = figure(chain.mids[coin] ?? 200);
  return {
    funding: "0.0000125",
    openInterest: "1000.0",
    prevDayPx: px,
    dayNtlVlm: "1000000.0",
    premium: "0.0",
    oraclePx: px,
    markPx: px,
    midPx: px,
    impactPxs: [px, px],
    dayBaseVlm: "100.0",
  };
}

export function book(chain, coin) {
  if (chain.mids[coin] === undefined) return null;
  const side = (px) => [{ px: figure(px), sz: "100.0", n: 5 }];
  return { coin, time: Date.now(), levels: [side(chain.bid(coin)), side(chain.ask(coin))] };
}

const SPOT = {
  universe: [{ tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true }],
  tokens: [
    {
      name: "USDC",
      szDecimals: 8,
      weiDecimals: 8,
      index: 0,
      tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054",
      isCanonical: true,
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: "0.0",
    },
    {
      name: "PURR",
      szDecimals: 0,
      weiDecimals: 5,
      index: 1,
      tokenId: "0xc1fb593aeffbeb02f85e0308e9956a90",
      isCanonical: true,
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: "0.0",
    },
  ],
};

function fillsBetween(chain, t, q) {
  return chain.fills.filter((f) => f.time <= t && f.time >= (q.startTime ?? 0) && f.time <= (q.endTime ?? Infinity));
}

export const ANSWERS = {
  meta: (_c, _s, q) => meta(q.dex),
  metaAndAssetCtxs: (c, _s, q) => [meta(q.dex), meta(q.dex).universe.map((m) => assetContext(c, m.name))],
  allPerpMetas: () => [meta(""), meta("xyz")],
  perpDexs: () => [
    null,
    {
      name: "xyz",
      fullName: "XYZ",
      deployer: `0x${"8".repeat(40)}`,
      oracleUpdater: null,
      feeRecipient: null,
      assetToStreamingOiCap: [],
      deployerFeeScale: "1.0",
    },
  ],
  spotMeta: () => SPOT,
  spotMetaAndAssetCtxs: () => [
    SPOT,
    [
      {
        prevDayPx: "0.1",
        dayNtlVlm: "0.0",
        markPx: "0.1",
        midPx: "0.1",
        circulatingSupply: "1.0",
        coin: "PURR/USDC",
        totalSupply: "1.0",
        dayBaseVlm: "0.0",
      },
    ],
  ],
  allMids: (c, _s, q) => (q.dex ? {} : Object.fromEntries(Object.entries(c.mids).map(([k, v]) => [k, figure(v)]))),
  l2Book: (c, _s, q) => book(c, q.coin),
  clearinghouseState: (c, s, q) => clearinghouse(c, s.asOf("positions"), q.dex),
  spotClearinghouseState: () => ({ balances: [] }),
  openOrders: (c, s, q) => (q.dex ? [] : openOrders(c, s.asOf("open"))),
  frontendOpenOrders: (c, s, q) => (q.dex ? [] : openOrders(c, s.asOf("open"))),
  historicalOrders: (c, s) => history(c, s.asOf("history")),
  orderStatus: (c, s, q) => orderStatus(c, s.asOf("record"), q.oid),
  userFills: (c, s, q) => fillsBetween(c, s.asOf("fills"), q).reverse().slice(0, 2000),
  userFillsByTime: (c, s, q) =>
    (q.reversed ? fillsBetween(c, s.asOf("fills"), q).reverse() : fillsBetween(c, s.asOf("fills"), q)).slice(0, 2000),
  userTwapSliceFills: (c, s) =>
    c.fills.filter((f) => f.twapId && f.time <= s.asOf("fills")).map((fill) => ({ fill, twapId: fill.twapId })),
  userTwapSliceFillsByTime: (c, s, q) =>
    fillsBetween(c, s.asOf("fills"), q)
      .filter((f) => f.twapId)
      .map((fill) => ({ fill, twapId: fill.twapId })),
  twapHistory: (c, s) => twapHistory(c, s.asOf("twaps")),
  userRateLimit: (c, s) => ({
    cumVlm: figure(c.volume),
    nRequestsUsed: stateOf(c, s.asOf("rate")).actions,
    nRequestsCap: 1_000_000,
    nRequestsSurplus: 0,
  }),
  maxBuilderFee: () => 0,
  userRole: () => ({ role: "user" }),
  extraAgents: (c) => [...c.agents].map(([address, a]) => ({ name: a.name, address, validUntil: a.validUntil })),
  subAccounts: () => null,
  activeAssetData: (c, _s, q) => ({
    user: c.owner,
    coin: q.coin,
    leverage: c.leverage[q.coin] ?? { type: "cross", value: 20 },
    maxTradeSzs: ["100.0", "100.0"],
    availableToTrade: ["900000.0", "900000.0"],
    markPx: figure(c.mids[q.coin]),
  }),
  userFees: () => ({
    dailyUserVlm: [],
    feeSchedule: {},
    userCrossRate: "0.00045",
    userAddRate: "0.00015",
    userSpotCrossRate: "0.0007",
    userSpotAddRate: "0.0004",
    activeReferralDiscount: "0.0",
    trial: null,
    feeTrialEscrow: "0.0",
    nextTrialAvailableTimestamp: null,
    stakingLink: null,
    activeStakingDiscount: { bpsOfMaxSupply: "0.0", discount: "0.0" },
  }),
  userFunding: (c, _s, q) => c.funding.filter((f) => f.time >= q.startTime && f.time <= (q.endTime ?? Infinity)),
  userNonFundingLedgerUpdates: () => [],
  userAbstraction: () => "default",
  userDexAbstraction: () => null,
  exchangeStatus: (_c, s) => ({ time: Math.floor(s.asOf("clock")), specialStatuses: null }),
  maxMarketOrderNtls: () => [[20, "5000000.0"]],
  perpsAtOpenInterestCap: () => [],
  marginTable: () => ({ description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: 20 }] }),
  candleSnapshot: () => [],
  recentTrades: () => [],
  fundingHistory: () => [],
  approvedBuilders: () => [],
};

export function answer(chain, server, query) {
  const make = ANSWERS[query.type];
  if (!make) throw new Error(`harness: no question ${query.type}`);
  return make(chain, server, query);
}
