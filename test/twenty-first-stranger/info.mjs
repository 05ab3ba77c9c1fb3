// What /info answers, and what it weighs.

import { ONE, text } from "./decimal.mjs";
import { fillRow, orderRow } from "./ledger.mjs";
import { COINS, contexts, MARKETS, meta, mids, price, spotMeta } from "./markets.mjs";

const LIGHT = new Set([
  "l2Book",
  "allMids",
  "clearinghouseState",
  "orderStatus",
  "spotClearinghouseState",
  "exchangeStatus",
]);
const BY_ROWS = new Set([
  "historicalOrders",
  "userFills",
  "userFillsByTime",
  "userFunding",
  "userNonFundingLedgerUpdates",
  "twapHistory",
  "userTwapSliceFills",
]);

export function weightOf(type, answer) {
  if (LIGHT.has(type)) return 2;
  if (type === "userRole") return 60;
  return 20 + (BY_ROWS.has(type) && Array.isArray(answer) ? Math.ceil(answer.length / 20) : 0);
}

/** `moments` says, store by store, of when the answer is. `undefined` where the type is not known. */
export function answerInfo(body, ledger, moments, world) {
  const known = ANSWERS[body.type];
  return known ? known(body, ledger, moments, world) : undefined;
}

const ANSWERS = {
  meta: (body) => meta(body.dex ?? ""),
  metaAndAssetCtxs: (body) => [meta(body.dex ?? ""), contexts(body.dex ?? "", "perp")],
  spotMeta: () => spotMeta(),
  spotMetaAndAssetCtxs: () => [spotMeta(), contexts("", "spot")],
  perpDexs: () => [null, dexRow("xyz")],
  allPerpMetas: () => [meta(""), meta("xyz")],
  allMids: (body) => mids(body.dex ?? ""),
  l2Book: (body) => book(body.coin),
  exchangeStatus: () => ({ time: Date.now(), specialStatuses: null }),
  userRole: (body, _ledger, _moments, world) => role(body.user.toLowerCase(), world),
  extraAgents: (_body, _ledger, _moments, world) => world.agents,
  subAccounts: () => null,
  maxBuilderFee: () => 0,
  approvedBuilders: () => [],
  userAbstraction: () => "default",
  userDexAbstraction: () => false,
  userRateLimit: (_body, _ledger, _moments, world) => ({
    cumVlm: "9000000.0",
    nRequestsUsed: world.actions,
    nRequestsCap: 9010000,
    nRequestsSurplus: 0,
  }),
  userFees: () => ({
    userCrossRate: "0.00045",
    userAddRate: "0.00015",
    userSpotCrossRate: "0.0007",
    userSpotAddRate: "0.0004",
    activeReferralDiscount: "0.0",
    dailyUserVlm: [],
  }),
  userFunding: () => [],
  userNonFundingLedgerUpdates: () => [],
  twapHistory: () => [],
  userTwapSliceFills: () => [],
  userTwapSliceFillsByTime: () => [],
  fundingHistory: () => [],
  perpsAtOpenInterestCap: () => [],
  maxMarketOrderNtls: () => [],
  activeAssetData: (body) => ({
    user: body.user,
    coin: body.coin,
    leverage: { type: "cross", value: 10 },
    maxTradeSzs: ["1000.0", "1000.0"],
    availableToTrade: ["500000.0", "500000.0"],
    markPx: price(body.coin),
  }),
  clearinghouseState: (body, ledger, moments) => state(ledger, moments("positions"), body.dex ?? ""),
  spotClearinghouseState: (_body, ledger, moments) => spotState(ledger, moments("balances")),
  openOrders: (body, ledger, moments) => openOrders(ledger, moments("list"), body.dex ?? ""),
  frontendOpenOrders: (body, ledger, moments) => openOrders(ledger, moments("list"), body.dex ?? ""),
  orderStatus: (body, ledger, moments) => record(ledger, moments("record"), body.oid),
  historicalOrders: (_body, ledger, moments) => history(ledger, moments("history")),
  userFills: (_body, ledger, moments) => newest(ledger, moments("fills")),
  userFillsByTime: (body, ledger, moments) => fillsByTime(ledger, moments("fills"), body),
};

function dexRow(name) {
  return {
    name,
    fullName: "XYZ",
    deployer: `0x${"8".repeat(40)}`,
    oracleUpdater: null,
    feeRecipient: `0x${"9".repeat(40)}`,
    assetToStreamingOiCap: [],
    subDeployers: [],
    deployerFeeScale: "1.0",
    lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
    assetToFundingMultiplier: [],
    assetToFundingInterestRate: [],
  };
}

function role(address, world) {
  if (address === world.owner) return { role: "user" };
  return world.agents.some((agent) => agent.address === address)
    ? { role: "agent", data: { user: world.owner } }
    : { role: "missing" };
}

function book(coin) {
  const market = MARKETS[coin];
  if (!market) return null;
  const step = market.mid / 1000;
  const level = (px) => ({ px: text(BigInt(Math.round(px * 1000)) * (ONE / 1000n)), sz: "1000.0", n: 3 });
  return { coin, time: Date.now(), levels: [[level(market.mid - step)], [level(market.mid + step)]] };
}

export function openOrders(ledger, at, dex) {
  return ledger.openAt(at, dex).map((order) => orderRow(order, ledger.leftAt(order, at)));
}

function record(ledger, at, id) {
  const order = typeof id === "string" ? ledger.byCloid.get(id) : ledger.orders.get(id);
  const version = order && ledger.versionAt(order, at);
  return version ? { status: "order", order: historyRow(order, version) } : { status: "unknownOid" };
}

function historyRow(order, version) {
  return { order: orderRow(order, version.left), status: version.status, statusTimestamp: version.at };
}

function history(ledger, at) {
  const rows = [];
  for (const order of ledger.orders.values()) {
    for (const version of order.versions) if (version.at <= at) rows.push(historyRow(order, version));
  }
  return rows.sort((one, other) => other.statusTimestamp - one.statusTimestamp).slice(0, 2000);
}

function newest(ledger, at) {
  return ledger.fills
    .filter((fill) => fill.at <= at)
    .slice(-2000)
    .reverse()
    .map(fillRow);
}

function fillsByTime(ledger, at, { startTime, endTime = Number.MAX_SAFE_INTEGER, reversed = false }) {
  const rows = ledger.fills.filter((fill) => fill.at <= at && fill.at >= startTime && fill.at <= endTime);
  return (reversed ? rows.reverse() : rows).slice(0, 2000).map(fillRow);
}

export function state(ledger, at, dex) {
  let value = 0n;
  let used = 0n;
  const assetPositions = [];
  for (const coin of COINS) {
    const market = MARKETS[coin];
    if (market.kind !== "perp" || market.dex !== dex) continue;
    const size = ledger.held(coin, at);
    if (size === 0n) continue;
    const worth = (size < 0n ? -size : size) * BigInt(market.mid);
    value += worth;
    used += marginOf(worth);
    assetPositions.push(position(coin, size, worth));
  }
  const sums = {
    accountValue: "1000000.0",
    totalNtlPos: text(value),
    totalRawUsd: "1000000.0",
    totalMarginUsed: text(used),
  };
  return {
    marginSummary: sums,
    crossMarginSummary: sums,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: "900000.0",
    assetPositions,
    time: at,
  };
}

/** Cut to a millionth, each by itself. */
function marginOf(worth) {
  return (worth / 1000n) * 100n;
}

function position(coin, size, worth) {
  return {
    type: "oneWay",
    position: {
      coin,
      szi: text(size),
      leverage: { type: "cross", value: 10 },
      entryPx: price(coin),
      positionValue: text(worth),
      unrealizedPnl: "0.0",
      returnOnEquity: "0.0",
      liquidationPx: null,
      marginUsed: text(marginOf(worth)),
      maxLeverage: 20,
      cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
    },
  };
}

export function spotState(ledger, at) {
  const holds = { USDC: 0n, PURR: 0n, HYPE: 0n };
  for (const order of ledger.openAt(at)) {
    const market = MARKETS[order.coin];
    if (market.kind !== "spot") continue;
    const left = ledger.leftAt(order, at);
    if (order.isBuy) holds.USDC += (left * order.px) / ONE;
    else holds[market.base] += left;
  }
  const row = (coin, token, total) => ({ coin, token, total: text(total), hold: text(holds[coin]), entryNtl: "0.0" });
  return {
    balances: [
      row("USDC", 0, ledger.quote(at)),
      row("PURR", 1, ledger.held("PURR/USDC", at)),
      row("HYPE", 150, ledger.held("@107", at)),
    ],
  };
}
