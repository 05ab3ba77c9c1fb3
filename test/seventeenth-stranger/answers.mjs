// Which store answers which /info request, with a lag of its own and what a scene makes of it.
import { text } from "./ledger.mjs";

const STORE = {
  orderStatus: "record",
  openOrders: "open",
  frontendOpenOrders: "open",
  historicalOrders: "history",
  userFills: "fills",
  userFillsByTime: "fills",
  clearinghouseState: "state",
  spotClearinghouseState: "spot",
  twapHistory: "twaps",
  userTwapSliceFills: "fills",
  userTwapSliceFillsByTime: "fills",
};

function context(ledger, coin) {
  const mark = ledger.mark(coin);
  const px = text(mark);
  return {
    funding: "0.0000125",
    openInterest: "1000.0",
    prevDayPx: px,
    dayNtlVlm: "1000000.0",
    premium: "0.0",
    oraclePx: px,
    markPx: px,
    midPx: px,
    impactPxs: [text(ledger.touch(coin).bid), text(ledger.touch(coin).ask)],
    dayBaseVlm: "100.0",
  };
}
function spotContext(ledger, coin) {
  const px = text(ledger.mark(coin));
  return {
    prevDayPx: px,
    dayNtlVlm: "1000.0",
    markPx: px,
    midPx: px,
    circulatingSupply: "1000000.0",
    coin,
    totalSupply: "1000000.0",
    dayBaseVlm: "10.0",
  };
}
export function meta(ledger, dex) {
  return { universe: ledger.universes[dex], marginTables: [], collateralToken: dex === "xyz" ? 235 : 0 };
}
function spotMeta(ledger) {
  const tokens = ledger.tokens.map(([index, name, szDecimals, weiDecimals]) => ({
    name,
    szDecimals,
    weiDecimals,
    index,
    tokenId: `0x${index.toString(16).padStart(32, "0")}`,
    isCanonical: true,
    evmContract: null,
    fullName: null,
    deployerTradingFeeShare: "0.0",
  }));
  return { universe: ledger.spot, tokens };
}
export function book(ledger, coin) {
  if (ledger.mark(coin) === undefined) return null;
  const { bid, ask } = ledger.touch(coin);
  const sz = text(ledger.depth?.[coin] ?? 1000);
  return { coin, time: Date.now(), levels: [[{ px: text(bid), sz, n: 3 }], [{ px: text(ask), sz, n: 3 }]] };
}
function mids(ledger, dex) {
  const all = {};
  for (const m of ledger.universes[dex]) all[m.name] = text(ledger.mark(m.name));
  if (dex === "") for (const p of ledger.spot) all[p.name] = text(ledger.mark(p.name));
  return all;
}
function metaAndContexts(ledger, dex) {
  return [meta(ledger, dex), ledger.universes[dex].map((m) => context(ledger, m.name))];
}
function marketAnswer(ledger, b, dex) {
  switch (b.type) {
    case "meta":
      return meta(ledger, dex);
    case "metaAndAssetCtxs":
      return metaAndContexts(ledger, dex);
    case "allPerpMetas":
      return [meta(ledger, ""), meta(ledger, "xyz")];
    case "perpDexs":
      return [
        null,
        {
          name: "xyz",
          fullName: "XYZ",
          deployer: `0x${"8".repeat(40)}`,
          oracleUpdater: null,
          feeRecipient: null,
          assetToStreamingOiCap: [],
          subDeployers: [],
          deployerFeeScale: "1.0",
          lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
          assetToFundingMultiplier: [],
          assetToFundingInterestRate: [],
        },
      ];
    case "spotMeta":
      return spotMeta(ledger);
    case "spotMetaAndAssetCtxs":
      return [spotMeta(ledger), ledger.spot.map((p) => spotContext(ledger, p.name))];
    case "allMids":
      return mids(ledger, dex);
    case "l2Book":
      return book(ledger, b.coin);
    case "exchangeStatus":
      return { time: Date.now(), specialStatuses: null };
    case "maxMarketOrderNtls":
      return [
        [50, "15000000.0"],
        [20, "5000000.0"],
        [10, "2000000.0"],
      ];
    case "marginTable":
      return { description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: b.id }] };
    case "perpsAtOpenInterestCap":
    case "fundingHistory":
    case "candleSnapshot":
    case "recentTrades":
    case "predictedFundings":
      return [];
    case "perpDexLimits":
      return {
        totalOiCap: "1000000000.0",
        oiSzCapPerPerp: "1000000000.0",
        maxTransferNtl: "1000000.0",
        coinToOiCap: [],
      };
    case "perpDexStatus":
      return { totalNetDeposit: "5000.0" };
    default:
      return undefined;
  }
}
function accountAnswer(ledger, views, b) {
  const rate = {
    userCrossRate: "0.00045",
    userAddRate: "0.00015",
    userSpotCrossRate: "0.0007",
    userSpotAddRate: "0.0004",
  };
  switch (b.type) {
    case "userRateLimit":
      return { cumVlm: "1000000.0", nRequestsUsed: ledger.actions.length, nRequestsCap: 1010000, nRequestsSurplus: 0 };
    case "maxBuilderFee":
      return 0;
    case "userRole":
      return b.user.toLowerCase() === views.user
        ? { role: "user" }
        : ledger.agents?.some((a) => a.address === b.user.toLowerCase())
          ? { role: "agent", data: { user: views.user } }
          : { role: "missing" };
    case "extraAgents":
      return ledger.agents ?? [];
    case "subAccounts":
      return null;
    case "approvedBuilders":
    case "userFunding":
      return [];
    case "userNonFundingLedgerUpdates":
      return [{ time: ledger.began, hash: `0x${"1".repeat(64)}`, delta: { type: "deposit", usdc: "10000.0" } }].filter(
        (r) => r.time >= (b.startTime ?? 0),
      );
    case "userAbstraction":
      return ledger.mode ?? "default";
    case "userDexAbstraction":
      return null;
    case "userFees":
      return {
        dailyUserVlm: [],
        feeSchedule: {},
        ...rate,
        activeReferralDiscount: "0.0",
        trial: null,
        feeTrialEscrow: "0.0",
        nextTrialAvailableTimestamp: null,
        stakingLink: null,
        activeStakingDiscount: null,
      };
    case "activeAssetData": {
      const set = ledger.leverage(b.coin);
      const leverage = set.isCross
        ? { type: "cross", value: set.leverage }
        : { type: "isolated", value: set.leverage, rawUsd: "0.0" };
      return {
        user: views.user,
        coin: b.coin,
        leverage,
        maxTradeSzs: ["1.0", "1.0"],
        availableToTrade: ["1000.0", "1000.0"],
        markPx: text(ledger.mark(b.coin)),
      };
    }
    default:
      return undefined;
  }
}
function storeAnswer(ledger, views, b, at) {
  const dex = b.dex ?? "";
  switch (b.type) {
    case "orderStatus": {
      const o =
        typeof b.oid === "string"
          ? [...ledger.orders.values()].findLast((one) => one.cloid === b.oid && one.log[0].t <= at)
          : ledger.orders.get(Number(b.oid));
      const record = o && views.record(o, at);
      return record ? { status: "order", order: record } : { status: "unknownOid" };
    }
    case "openOrders":
      return views.plainOpen(dex, at);
    case "frontendOpenOrders":
      return views.openList(dex, at);
    case "historicalOrders":
      return views.history(at);
    case "userFills":
      return views.fills(at).reverse().slice(0, 2000);
    case "userFillsByTime": {
      const rows = views.fills(at, b.startTime, b.endTime);
      return (b.reversed ? rows.reverse() : rows).slice(0, 2000);
    }
    case "userTwapSliceFills":
      return views
        .fills(at)
        .filter((f) => f.twapId)
        .reverse()
        .map((fill) => ({ fill, twapId: fill.twapId }));
    case "userTwapSliceFillsByTime":
      return views
        .fills(at, b.startTime, b.endTime)
        .filter((f) => f.twapId)
        .map((fill) => ({ fill, twapId: fill.twapId }));
    case "clearinghouseState":
      return views.state(dex, at);
    case "spotClearinghouseState":
      return views.spotState(at);
    case "twapHistory":
      return views.twapHistory(at);
    default:
      return undefined;
  }
}

export function answerInfo(exchange, b) {
  const { ledger, views, faults } = exchange;
  const store = STORE[b.type];
  const lag = store ? faults.lagOf(store) : 0;
  const at = Date.now() - lag;
  const isOurs = b.user === undefined || b.user.toLowerCase() === views.user;
  let answer = marketAnswer(ledger, b, b.dex ?? "");
  if (answer === undefined) answer = accountAnswer(ledger, views, b);
  if (answer === undefined && isOurs) answer = storeAnswer(ledger, views, b, at);
  if (answer === undefined && store) {
    answer =
      b.type === "clearinghouseState"
        ? views.state("", 0)
        : b.type === "spotClearinghouseState"
          ? { balances: [] }
          : b.type === "orderStatus"
            ? { status: "unknownOid" }
            : [];
  }
  if (faults.info) answer = faults.info(b, answer, at) ?? answer;
  return answer;
}
