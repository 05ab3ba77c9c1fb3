// `/info`: each question reaches one of several servers, and each of those is as far behind as the scene says.
import { dec, mul, wire } from "./decimal.mjs";
import { MARKETS, meta, PERP_DEXS, spotMeta } from "./markets.mjs";

export function stateAt(venue, t) {
  let low = 0;
  let high = venue.snapshots.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (venue.snapshots[middle].t <= t) low = middle;
    else high = middle - 1;
  }
  return venue.snapshots[low].state;
}

const before = (list, t) => list.filter((row) => row.t <= t);

function context(market) {
  const mid = wire(market.mark);
  const shared = { prevDayPx: mid, dayNtlVlm: "1000000.0", markPx: mid, midPx: mid, dayBaseVlm: "1000.0" };
  if (market.kind === "spot")
    return { ...shared, circulatingSupply: "1000000.0", coin: market.coin, totalSupply: "1000000.0" };
  return {
    funding: "0.0000125",
    openInterest: "1000.0",
    premium: "0.0",
    oraclePx: mid,
    impactPxs: [mid, mid],
    ...shared,
  };
}

export function contextOf(venue, coin) {
  return context(venue.markets.get(coin));
}

export function mids(venue, dex) {
  const shown = [...venue.markets.values()].filter((market) => market.dex === dex);
  return Object.fromEntries(shown.map((market) => [market.coin, wire(market.mark)]));
}

export function bookOf(venue, coin) {
  const market = venue.markets.get(coin);
  if (market === undefined) return null;
  const sz = wire(market.depth ?? dec("1000"));
  const levels = [[{ px: wire(venue.bid(market)), sz, n: 1 }], [{ px: wire(venue.ask(market)), sz, n: 1 }]];
  return { coin, time: venue.now(), levels };
}

function orderStatus(venue, oid, t) {
  const isMine =
    typeof oid === "string" && oid.startsWith("0x")
      ? (row) => row.cloid === oid.toLowerCase()
      : (row) => row.oid === Number(oid);
  const rows = before(venue.records, t).filter(isMine);
  const last = rows.at(-1);
  if (last === undefined) return { status: "unknownOid" };
  const newest = rows.filter((row) => row.oid === Math.max(...rows.map((one) => one.oid))).at(-1);
  return { status: "order", order: { order: newest.order, status: newest.status, statusTimestamp: newest.t } };
}

function byTime(rows, body, key) {
  return rows
    .filter(
      (row) => row.wire[key] >= (body.startTime ?? 0) && row.wire[key] <= (body.endTime ?? Number.MAX_SAFE_INTEGER),
    )
    .map((row) => row.wire);
}

function fees() {
  return {
    dailyUserVlm: [],
    feeSchedule: {
      cross: "0.00045",
      add: "0.00015",
      spotCross: "0.0007",
      spotAdd: "0.0004",
      tiers: { vip: [], mm: [] },
      referralDiscount: "0.04",
      stakingDiscountTiers: [],
    },
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
  };
}

const ABOUT_MARKETS = {
  meta: (_, body) => meta(body.dex ?? ""),
  metaAndAssetCtxs: (venue, body) => {
    const shown = MARKETS.filter((market) => market.kind === "perp" && market.dex === (body.dex ?? ""));
    return [meta(body.dex ?? ""), shown.map((market) => context(venue.markets.get(market.coin)))];
  },
  allPerpMetas: () => [meta(""), meta("xyz")],
  perpDexs: () => PERP_DEXS,
  spotMeta: () => spotMeta(),
  spotMetaAndAssetCtxs: (venue) => [spotMeta(), [context(venue.markets.get("@107"))]],
  allMids: (venue, body) => mids(venue, body.dex ?? ""),
  l2Book: (venue, body) => bookOf(venue, body.coin),
  exchangeStatus: (venue) => ({ time: venue.now(), specialStatuses: null }),
  candleSnapshot: () => [],
  recentTrades: () => [],
  fundingHistory: () => [],
  perpsAtOpenInterestCap: () => [],
  perpDexLimits: () => ({
    totalOiCap: "1000000000.0",
    oiSzCapPerPerp: "1000000000.0",
    maxTransferNtl: "1000000000.0",
    coinToOiCap: [],
  }),
};

const ABOUT_USER = {
  clearinghouseState: (venue, body, t) => ({ ...stateAt(venue, t).perps[body.dex ?? ""], time: t }),
  spotClearinghouseState: (venue, _, t) => stateAt(venue, t).spot,
  openOrders: (venue, body, t) => openAt(venue, body.dex ?? "", t),
  frontendOpenOrders: (venue, body, t) => openAt(venue, body.dex ?? "", t),
  historicalOrders: (venue, _, t) =>
    before(venue.records, t)
      .slice(-2000)
      .reverse()
      .map((row) => ({ order: row.order, status: row.status, statusTimestamp: row.t })),
  orderStatus: (venue, body, t) => orderStatus(venue, body.oid, t),
  userFills: (venue, _, t) =>
    before(venue.fills, t)
      .slice(-2000)
      .reverse()
      .map((row) => row.wire),
  userFillsByTime: (venue, body, t) => byTime(before(venue.fills, t), body, "time").slice(0, 2000),
  userTwapSliceFills: (venue, _, t) => slices(venue, t).reverse(),
  userTwapSliceFillsByTime: (venue, body, t) =>
    slices(venue, t).filter((row) => row.fill.time >= body.startTime && row.fill.time <= (body.endTime ?? Infinity)),
  twapHistory: (venue, _, t) =>
    before(venue.twapRows, t)
      .map((row) => row.wire)
      .reverse(),
  userRateLimit: () => ({ cumVlm: "2854574.593578", nRequestsUsed: 2890, nRequestsCap: 2864574, nRequestsSurplus: 0 }),
  maxBuilderFee: () => 0,
  approvedBuilders: () => [],
  userRole: (venue, body) =>
    body.user.toLowerCase() === venue.user
      ? { role: "user" }
      : venue.agents.has(body.user.toLowerCase())
        ? { role: "agent", data: { user: venue.user } }
        : { role: "missing" },
  extraAgents: (venue) =>
    [...venue.agents.entries()].map(([address, agent]) => ({
      name: agent.name,
      address,
      validUntil: agent.validUntil,
    })),
  subAccounts: () => null,
  activeAssetData: (venue, body) => activeAsset(venue, body.coin),
  userFees: () => fees(),
  userNonFundingLedgerUpdates: (venue, body, t) => byTime(before(venue.ledgerUpdates, t), body, "time").slice(0, 500),
  userFunding: (venue, body, t) => byTime(before(venue.fundings, t), body, "time").slice(0, 500),
  userAbstraction: () => "default",
  userDexAbstraction: () => null,
  webData2: () => ({}),
};

function openAt(venue, dex, t) {
  return stateAt(venue, t).open.filter((order) => (order.coin.includes(":") ? order.coin.split(":")[0] : "") === dex);
}

function slices(venue, t) {
  return before(venue.fills, t)
    .filter((row) => row.wire.twapId !== null)
    .map((row) => ({ fill: row.wire, twapId: row.wire.twapId }));
}

export function activeAsset(venue, coin) {
  const market = venue.markets.get(coin);
  const leverage = venue.leverage.get(coin) ?? { type: "cross", value: market.maxLeverage };
  const size = wire(mul(dec("100000"), dec("1")));
  return {
    user: venue.user,
    coin,
    leverage,
    maxTradeSzs: [size, size],
    availableToTrade: [size, size],
    markPx: wire(market.mark),
  };
}

// Null: no such question here.
export function answer(venue, body) {
  venue.asked.set(body.type, (venue.asked.get(body.type) ?? 0) + 1);
  if (ABOUT_MARKETS[body.type]) return ABOUT_MARKETS[body.type](venue, body);
  if (!ABOUT_USER[body.type]) return undefined;
  const isOther = typeof body.user === "string" && body.user.toLowerCase() !== venue.user;
  if (isOther && body.type !== "userRole")
    return body.type === "orderStatus"
      ? { status: "unknownOid" }
      : body.type.startsWith("clearing")
        ? EMPTY(venue)
        : body.type === "spotClearinghouseState"
          ? { balances: [] }
          : [];
  return ABOUT_USER[body.type](venue, body, venue.now() - venue.lagOf(body.type));
}

const NOTHING = { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" };

function EMPTY(venue) {
  return {
    marginSummary: NOTHING,
    crossMarginSummary: NOTHING,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: "0.0",
    assetPositions: [],
    time: venue.now(),
  };
}
