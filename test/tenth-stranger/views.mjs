// What the exchange shows: every answer to `/info`, and the frames of its websocket, of a moment that may lie behind.
import { frontend } from "./acts.mjs";
import { markets, text, wire } from "./chain.mjs";

const native = markets.filter((market) => !market.coin.includes(":"));
const listed = (dex) => (dex ? markets.filter((market) => market.coin.startsWith(`${dex}:`)) : native);
const meta = (dex) => ({
  universe: listed(dex).map(({ coin, decimals, leverage }) => ({
    szDecimals: decimals,
    name: coin,
    maxLeverage: leverage,
    marginTableId: leverage,
  })),
  marginTables: [],
  collateralToken: 0,
});

export const context = (chain, coin) => ({
  funding: "0.0000125",
  openInterest: "100000.0",
  prevDayPx: wire(chain.mark[coin]),
  dayNtlVlm: "1000000.0",
  premium: "0.0",
  oraclePx: wire(chain.mark[coin]),
  markPx: wire(chain.mark[coin]),
  midPx: wire(chain.mark[coin]),
  impactPxs: [wire(chain.bid(coin)), wire(chain.ask(coin))],
  dayBaseVlm: "1000.0",
});

export function book(chain, coin) {
  if (!(coin in chain.mark)) return null;
  const level = (price, side) => {
    const room = Math.min(chain.room(coin, side), 1e6);
    return room > 0 ? [{ px: text(price), sz: text(room), n: 3 }] : [];
  };
  return { coin, time: Date.now(), levels: [level(chain.bid(coin), "A"), level(chain.ask(coin), "B")] };
}

export function clearinghouse(chain, state, dex = "", lag = 0) {
  const rows = Object.entries(state.held).filter(([coin]) => listed(dex).some((market) => market.coin === coin));
  let worth = dex ? 0 : state.cash;
  let margin = 0;
  let notional = 0;
  const assetPositions = rows.map(([coin, { size, entry }]) => {
    const market = markets.find((item) => item.coin === coin);
    const set = state.leverage[coin] ?? { type: "cross", value: 10 };
    const value = Math.abs(size) * chain.mark[coin];
    const profit = size * (chain.mark[coin] - entry);
    worth += profit;
    margin += value / set.value;
    notional += value;
    return {
      type: "oneWay",
      position: {
        coin,
        szi: wire(size),
        leverage: set.type === "cross" ? set : { ...set, rawUsd: wire(value / set.value - entry * size) },
        entryPx: wire(entry),
        positionValue: wire(value),
        unrealizedPnl: wire(profit),
        returnOnEquity: "0.0",
        liquidationPx: null,
        marginUsed: wire(value / set.value),
        maxLeverage: market.leverage,
        cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
      },
    };
  });
  const summary = {
    accountValue: wire(worth),
    totalNtlPos: wire(notional),
    totalRawUsd: wire(worth),
    totalMarginUsed: wire(margin),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: wire(notional / 80),
    withdrawable: wire(Math.max(0, worth - margin)),
    assetPositions,
    time: Date.now() - lag,
  };
}

const isOpen = (order) => ["open", "triggered"].includes(order.status);
const record = (order) => ({
  order: frontend(order),
  status: order.status,
  statusTimestamp: order.statusAt,
});

export const openOrders = (state, dex = "") =>
  state.orders
    .filter((order) => isOpen(order) && listed(dex).some((market) => market.coin === order.coin))
    .map(frontend);

export const twapState = (chain, item) => ({
  coin: item.coin,
  user: chain.user,
  side: item.side,
  sz: wire(item.size),
  executedSz: wire(item.done),
  executedNtl: wire(item.value),
  minutes: item.minutes,
  reduceOnly: item.reduceOnly,
  randomize: false,
  stopPx: null,
  trigger: null,
  timestamp: item.at,
});

const fillsBetween = (state, { startTime = 0, endTime = 9e15 }) =>
  state.fills.filter((fill) => fill.time >= startTime && fill.time <= endTime).slice(0, 2000);

function orderStatus(state, id) {
  const want = typeof id === "string" ? (order) => order.cloid === id.toLowerCase() : (order) => order.oid === id;
  const order = state.orders.findLast(want);
  return order ? { status: "order", order: record(order) } : { status: "unknownOid" };
}

const spotMeta = {
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
const spotContext = {
  prevDayPx: "0.2",
  dayNtlVlm: "1000.0",
  markPx: "0.2",
  midPx: "0.2",
  circulatingSupply: "1000000.0",
  coin: "PURR/USDC",
  totalSupply: "1000000.0",
  dayBaseVlm: "5000.0",
};
export const spotState = () => ({
  balances: [{ coin: "USDC", token: 0, total: "5000.0", hold: "0.0", entryNtl: "0.0" }],
});

const fees = {
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

export function info(chain, body, lag) {
  const state = chain.seenAgo(lag);
  switch (body.type) {
    case "meta":
      return meta(body.dex);
    case "metaAndAssetCtxs":
      return [meta(body.dex), listed(body.dex).map(({ coin }) => context(chain, coin))];
    case "allPerpMetas":
      return [meta(""), meta("xyz")];
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
      return spotMeta;
    case "spotMetaAndAssetCtxs":
      return [spotMeta, [spotContext]];
    case "allMids":
      return Object.fromEntries([
        ...listed(body.dex).map(({ coin }) => [coin, wire(chain.mark[coin])]),
        ...(body.dex ? [] : [["PURR/USDC", "0.2"]]),
      ]);
    case "l2Book":
      return book(chain, body.coin);
    case "clearinghouseState":
      return clearinghouse(chain, state, body.dex, body.lies ? 0 : lag);
    case "spotClearinghouseState":
      return spotState();
    case "openOrders":
    case "frontendOpenOrders":
      return openOrders(state, body.dex);
    case "historicalOrders":
      return state.orders.toReversed().map(record);
    case "orderStatus":
      return orderStatus(state, body.oid);
    case "userFills":
      return state.fills.toReversed().slice(0, 2000);
    case "userFillsByTime":
      return fillsBetween(state, body);
    case "userTwapSliceFills":
      return state.fills
        .filter((fill) => fill.twapId)
        .toReversed()
        .map((fill) => ({ fill, twapId: fill.twapId }));
    case "userTwapSliceFillsByTime":
      return fillsBetween(state, body)
        .filter((fill) => fill.twapId)
        .map((fill) => ({ fill, twapId: fill.twapId }));
    case "twapHistory":
      return state.twaps
        .flatMap((item) =>
          item.rows.map(([status, at]) => ({
            time: Math.floor(at / 1000),
            state: twapState(chain, item),
            status: { status },
            twapId: item.twapId,
          })),
        )
        .toReversed();
    case "userRateLimit":
      return { cumVlm: "100000.0", nRequestsUsed: 10, nRequestsCap: 110000, nRequestsSurplus: 0 };
    case "maxBuilderFee":
      return 0;
    case "approvedBuilders":
      return [];
    case "userRole":
      return { role: "user" };
    case "extraAgents":
      return state.agents;
    case "subAccounts":
      return null;
    case "activeAssetData": {
      const set = state.leverage[body.coin] ?? { type: "cross", value: 10 };
      return {
        user: chain.user,
        coin: body.coin,
        leverage: set,
        maxTradeSzs: ["10.0", "10.0"],
        availableToTrade: ["50000.0", "50000.0"],
        markPx: wire(chain.mark[body.coin]),
      };
    }
    case "userFees":
      return fees;
    case "userAbstraction":
      return "disabled";
    case "userDexAbstraction":
      return false;
    case "exchangeStatus":
      return { time: Date.now(), specialStatuses: null };
    case "maxMarketOrderNtls":
      return [[25, "30000000.0"]];
    case "userFunding":
    case "userNonFundingLedgerUpdates":
    case "fundingHistory":
    case "recentTrades":
    case "candleSnapshot":
    case "perpsAtOpenInterestCap":
      return [];
    default:
      return undefined;
  }
}

export function frame(chain, subscription, lag = 0) {
  const state = chain.seenAgo(lag);
  const { type, coin, dex = "", user } = subscription;
  switch (type) {
    case "allMids":
      return { mids: info(chain, { type: "allMids", dex }, 0), ...(dex ? { dex } : {}) };
    case "l2Book":
      return book(chain, coin);
    case "bbo": {
      const { time, levels } = book(chain, coin) ?? { time: Date.now(), levels: [[], []] };
      return { coin, time, bbo: [levels[0][0] ?? null, levels[1][0] ?? null] };
    }
    case "activeAssetCtx":
      return coin in chain.mark ? { coin, ctx: context(chain, coin) } : { coin, ctx: spotContext };
    case "activeAssetData":
      return info(chain, { type, coin }, 0);
    case "clearinghouseState":
      return { dex, user, clearinghouseState: clearinghouse(chain, state, dex, lag) };
    case "allDexsClearinghouseState":
      return { user, clearinghouseStates: ["", "xyz"].map((name) => [name, clearinghouse(chain, state, name, lag)]) };
    case "openOrders":
      return { dex, user, orders: openOrders(state, dex) };
    case "spotState":
      return { user, spotState: spotState() };
    case "twapStates":
      return {
        dex,
        user,
        states: state.twaps
          .filter((item) => item.status === "activated")
          .map((item) => [item.twapId, twapState(chain, item)]),
      };
    case "webData3":
      return {
        userState: {
          agentAddress: null,
          agentValidUntil: null,
          cumLedger: "0.0",
          serverTime: Date.now() - lag,
          isVault: false,
          user,
          abstraction: "disabled",
        },
        perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
      };
    default:
      return undefined;
  }
}
