// What /info answers, as of a moment: nothing here knows anything newer than that.
import { abs, grains, text, times, wire } from "./grain.mjs";
import { DEXES, TOKENS } from "./listing.mjs";
import { book, contexts, spotUniverse, universe } from "./shelf.mjs";

const usd = (value) => (Number(value) / 1e8).toFixed(6);

export function frontOrder(venue, order, at) {
  const { trigger } = order;
  const isStop = trigger?.tpsl === "sl";
  const isAbove = trigger && isStop === order.isBuy;
  return {
    coin: order.coin,
    side: order.isBuy ? "B" : "A",
    limitPx: wire(order.px),
    sz: wire(venue.left(order, at)),
    oid: order.oid,
    timestamp: venue.shown(order.placedAt),
    triggerCondition: trigger ? `Price ${isAbove ? "above" : "below"} ${text(grains(trigger.triggerPx))}` : "N/A",
    isTrigger: Boolean(trigger),
    triggerPx: trigger ? wire(grains(trigger.triggerPx)) : "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.isReduceOnly,
    orderType: trigger ? `${isStop ? "Stop" : "Take Profit"} ${trigger.isMarket ? "Market" : "Limit"}` : "Limit",
    origSz: wire(order.size),
    tif: order.tif,
    cloid: order.cloid,
  };
}

export function fillRow(fill) {
  return {
    coin: fill.coin,
    px: wire(fill.px),
    sz: wire(fill.size),
    side: fill.isBuy ? "B" : "A",
    time: fill.shownAt,
    startPosition: wire(fill.start),
    dir: fill.dir,
    closedPnl: wire(fill.closed),
    hash: `0x${String(fill.tid).padStart(64, "0")}`,
    oid: fill.oid,
    crossed: fill.isTaker,
    fee: wire(fill.fee),
    tid: fill.tid,
    ...(fill.cloid && !fill.isNameless ? { cloid: fill.cloid } : {}),
    feeToken: "USDC",
    twapId: fill.twapId ?? null,
    ...(fill.liquidation ? { liquidation: fill.liquidation } : {}),
  };
}

const isOpenAt = (order, at) => ["open", "triggered"].includes(order.states.at(at)?.status);

export function openOrders(venue, account, at, dex) {
  return account.orders
    .filter((of) => isOpenAt(of, at) && (venue.market(of.coin).spot ? "" : venue.market(of.coin).dex) === (dex ?? ""))
    .map((of) => frontOrder(venue, of, at));
}

export function perpState(venue, account, at, dex) {
  const name = dex ?? "";
  const cash = account.cash.get(name)?.at(at) ?? 0n;
  let worth = 0n;
  let used = 0n;
  let notional = 0n;
  const assetPositions = [];
  for (const [coin, past] of account.positions) {
    const market = venue.market(coin);
    const { size, entry } = past.at(at) ?? { size: 0n };
    if (market.dex !== name || size === 0n) continue;
    const mark = market.mid.at(at);
    const leverage = venue.leverageOf(account, coin, at);
    const value = times(abs(size), mark);
    const added = account.margin.get(coin)?.at(at) ?? 0n;
    const marginUsed = value / BigInt(leverage.value) + added;
    worth += times(size, mark);
    used += marginUsed;
    notional += value;
    assetPositions.push({
      type: "oneWay",
      position: {
        coin,
        szi: wire(size),
        leverage: leverage.type === "cross" ? leverage : { ...leverage, rawUsd: usd(marginUsed - times(size, mark)) },
        entryPx: wire(entry),
        positionValue: usd(value),
        unrealizedPnl: usd(times(size, mark - entry)),
        returnOnEquity: "0.0",
        liquidationPx: null,
        marginUsed: usd(marginUsed),
        maxLeverage: 40,
        cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
      },
    });
  }
  const summary = {
    accountValue: usd(cash + worth),
    totalNtlPos: usd(notional),
    totalRawUsd: usd(cash),
    totalMarginUsed: usd(used),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: usd(cash + worth - used),
    assetPositions,
    time: venue.shown(at),
  };
}

export function spotState(_venue, account, at) {
  const name = (token) => TOKENS.find((of) => of.index === token).name;
  const balances = [...account.tokens].map(([token, past]) => ({
    coin: name(token),
    token,
    total: wire(past.at(at) ?? 0n),
    hold: "0.0",
    entryNtl: "0.0",
  }));
  return { balances };
}

export function twapState(venue, row, at) {
  const state = row.states.at(at);
  return {
    coin: row.coin,
    user: row.account,
    side: row.isBuy ? "B" : "A",
    sz: wire(row.size),
    executedSz: wire(state.done),
    executedNtl: wire(state.worth),
    minutes: row.minutes,
    reduceOnly: row.isReduceOnly,
    randomize: row.randomize,
    stopPx: null,
    trigger: null,
    timestamp: venue.shown(row.startedAt),
  };
}

export function twapRows(venue, account, at) {
  return account.twaps
    .flatMap((row) =>
      row.states.rows
        .filter((of, i, all) => of.at <= at && (i === 0 || of.value.status !== all[i - 1].value.status))
        .map((of) => ({
          time: Math.floor(venue.shown(of.at) / 1000),
          state: twapState(venue, row, of.at),
          status: { status: of.value.status },
          twapId: row.id,
        })),
    )
    .reverse();
}

function statusOf(venue, account, oid, at) {
  const order =
    typeof oid === "number"
      ? account.orders.find((of) => of.oid === oid)
      : account.orders.findLast((of) => of.cloid === oid && of.states.at(at));
  const state = order?.states.at(at);
  if (!state) return { status: "unknownOid" };
  const shown = { ...frontOrder(venue, order, at), sz: wire(state.left) };
  return { status: "order", order: { order: shown, status: state.status, statusTimestamp: state.shownAt } };
}

const between = (rows, { startTime = 0, endTime = Number.MAX_SAFE_INTEGER }) =>
  rows.filter((of) => of.time >= startTime && of.time <= endTime);

/** Which store answers which question; each of them is behind for itself. */
export const STORE = {
  orderStatus: "status",
  frontendOpenOrders: "open",
  openOrders: "open",
  historicalOrders: "history",
  userFills: "fills",
  userFillsByTime: "fills",
  clearinghouseState: "perp",
  spotClearinghouseState: "spot",
  twapHistory: "twaps",
  userTwapSliceFills: "fills",
  userTwapSliceFillsByTime: "fills",
  exchangeStatus: "clock",
  extraAgents: "agents",
  meta: "meta",
};

/** The answer to one question, or undefined for one that is not modelled. */
export function shows(venue, deeds, at, request) {
  const none = { ...blank(), address: request.user };
  const account = venue.accounts.get(request.user?.toLowerCase()) ?? none;
  const fills = () => account.fills.filter((of) => of.at <= at).map(fillRow);
  switch (request.type) {
    case "meta":
      return universe(venue, at, request.dex ?? "");
    case "allPerpMetas":
      return DEXES.map((dex) => universe(venue, at, dex));
    case "metaAndAssetCtxs":
      return [
        universe(venue, at, request.dex ?? ""),
        contexts(
          at,
          venue.markets.filter((of) => !of.spot && of.dex === (request.dex ?? "")),
        ),
      ];
    case "spotMeta":
      return spotUniverse(venue);
    case "spotMetaAndAssetCtxs":
      return [
        spotUniverse(venue),
        contexts(
          at,
          venue.markets.filter((of) => of.spot),
        ),
      ];
    case "perpDexs":
      return [
        null,
        ...["xyz", "abc"].map((name) => ({
          name,
          fullName: name,
          deployer: "0x0000000000000000000000000000000000000001",
          oracleUpdater: null,
          feeRecipient: null,
          assetToStreamingOiCap: [],
          subDeployers: [],
          deployerFeeScale: "1.0",
          lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
        })),
      ];
    case "allMids":
      return Object.fromEntries(
        venue.markets
          .filter((of) => (of.spot ? !request.dex : of.dex === (request.dex ?? "")))
          .map((of) => [of.coin, wire(of.mid.at(at))]),
      );
    case "l2Book":
      return book(venue, at, request.coin);
    case "exchangeStatus":
      return { time: venue.shown(at), specialStatuses: null };
    case "clearinghouseState":
      return perpState(venue, account, at, request.dex);
    case "spotClearinghouseState":
      return spotState(venue, account, at);
    case "openOrders":
    case "frontendOpenOrders":
      return openOrders(venue, account, at, request.dex);
    case "orderStatus":
      return statusOf(venue, account, request.oid, at);
    case "historicalOrders":
      return account.orders
        .filter((of) => of.states.at(at))
        .map((of) => {
          const { status, shownAt, left } = of.states.at(at);
          return { order: { ...frontOrder(venue, of, at), sz: wire(left) }, status, statusTimestamp: shownAt };
        })
        .sort((a, b) => b.statusTimestamp - a.statusTimestamp)
        .slice(0, 2000);
    case "userFills":
      return fills().reverse().slice(0, 2000);
    case "userFillsByTime":
      return between(fills(), request).slice(0, 2000);
    case "userTwapSliceFills":
    case "userTwapSliceFillsByTime":
      return between(fills(), request)
        .filter((of) => of.twapId !== null)
        .map((fill) => ({ fill, twapId: fill.twapId }))
        .reverse();
    case "twapHistory":
      return twapRows(venue, account, at);
    case "extraAgents":
      return (deeds.agents.get(request.user?.toLowerCase())?.at(at) ?? []).map(({ name, address, validUntil }) => ({
        name,
        address,
        validUntil,
      }));
    case "userRole":
      return role(venue, deeds, request.user?.toLowerCase());
    case "userAbstraction":
      return "default";
    case "userDexAbstraction":
      return null;
    case "userRateLimit":
      return { cumVlm: "2854574.5", nRequestsUsed: 2890, nRequestsCap: 2864574, nRequestsSurplus: 0 };
    case "maxBuilderFee":
      return 0;
    case "approvedBuilders":
      return [];
    case "userFunding":
    case "userNonFundingLedgerUpdates":
    case "fundingHistory":
    case "candleSnapshot":
    case "recentTrades":
    case "perpsAtOpenInterestCap":
      return [];
    case "subAccounts":
      return null;
    case "userFees":
      return {
        userCrossRate: "0.00045",
        userAddRate: "0.00015",
        userSpotCrossRate: "0.0007",
        userSpotAddRate: "0.0004",
        activeReferralDiscount: "0.0",
      };
    case "activeAssetData":
      return {
        user: request.user,
        coin: request.coin,
        leverage: venue.leverageOf(account, request.coin, at),
        maxTradeSzs: ["1.0", "1.0"],
        availableToTrade: ["100.0", "100.0"],
        markPx: wire(venue.market(request.coin)?.mid.at(at) ?? 0n),
      };
    default:
      return undefined;
  }
}

function role(venue, deeds, user) {
  for (const [master, agents] of deeds.agents)
    if ((agents.now ?? []).some((of) => of.address === user)) return { role: "agent", data: { user: master } };
  const account = venue.accounts.get(user);
  if (!account) return { role: "missing" };
  return account.master ? { role: "subAccount", data: { master: account.master } } : { role: "user" };
}

const blank = () => ({
  cash: new Map(),
  positions: new Map(),
  leverage: new Map(),
  margin: new Map(),
  tokens: new Map(),
  fills: [],
  orders: [],
  twaps: [],
});
