// What each store of each server shows: what was true `lag` ago. No two stores agree, and lags change.
import { text } from "./codec.mjs";
import { levels, metaOf, spotMetaOf } from "./markets.mjs";

export const STORES = ["records", "open", "history", "fills", "positions", "spot", "rate", "twaps", "stream"];

/** Three servers, each with a lag of its own for every store. */
export function servers(draw) {
  const list = [0, 1, 2].map((index) => ({
    index,
    lag: Object.fromEntries(STORES.map((s) => [s, draw.between(20, 900)])),
  }));
  return {
    list,
    any: () => draw.from(list),
    /** Lags change: mostly under a second, sometimes one store of one server is behind by seconds. */
    shift(most) {
      for (const server of list)
        for (const store of STORES)
          if (draw.chance(0.3)) server.lag[store] = draw.chance(0.12) ? draw.between(0, most) : draw.between(20, 900);
    },
    heal() {
      for (const server of list) for (const store of STORES) server.lag[store] = 100;
    },
  };
}

const upTo = (rows, t) => rows.filter((r) => r.t <= t);
const asOf = (line, t) => {
  let found = null;
  for (const point of line ?? []) if (point.t <= t) found = point;
  return found;
};
const state = (account, name, t, none) => JSON.parse(asOf(account.lines.get(name), t)?.json ?? JSON.stringify(none));

export function perpState(account, dex, t) {
  return {
    ...state(account, `perp:${dex}`, t, {
      marginSummary: ZERO,
      crossMarginSummary: ZERO,
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: "0.0",
      assetPositions: [],
    }),
    time: t,
  };
}
const ZERO = { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" };

export const openState = (account, dex, t) => state(account, `open:${dex}`, t, []);
export const spotState = (account, t) => state(account, "spot", t, { balances: [] });
export const twapStates = (account, t) => state(account, "twaps", t, []);
export const fillsUpTo = (account, t) => upTo(account.fills, t).map((r) => r.fill);

function orderStatus(account, oid, t) {
  const wanted = typeof oid === "string" && oid.startsWith("0x") ? oid.toLowerCase() : Number(oid);
  const orders = [...account.orders.values()].filter(
    (o) => o.rows.length > 0 && (o.oid === wanted || o.cloid === wanted),
  );
  for (const o of orders.reverse()) {
    const rows = upTo(o.rows, t);
    if (rows.length === 0) continue;
    const { order, status, statusTimestamp } = rows[rows.length - 1].row;
    return { status: "order", order: { order, status, statusTimestamp } };
  }
  return { status: "unknownOid" };
}

function fills(account, request, t) {
  const all = fillsUpTo(account, t);
  if (request.type === "userFills") return all.slice(-2000).reverse();
  const picked = all
    .filter((f) => f.time >= request.startTime && (request.endTime === undefined || f.time <= request.endTime))
    .slice(0, 2000);
  return request.reversed ? picked.reverse() : picked;
}

export function context(market) {
  const px = text(market.price);
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
    dayBaseVlm: "1000.0",
  };
}

export function spotContext(market) {
  const px = text(market.price);
  return {
    prevDayPx: px,
    dayNtlVlm: "1000000.0",
    markPx: px,
    midPx: px,
    circulatingSupply: "1000000.0",
    coin: market.name,
    totalSupply: "1000000.0",
    dayBaseVlm: "1000.0",
  };
}

export function book(chain, coin) {
  const market = chain.lists.coin(coin);
  if (!market) return null;
  const side = (isBuyer) => levels(market, isBuyer).map((l) => ({ px: text(l.px), sz: text(l.sz), n: 1 }));
  return { coin, time: Date.now(), levels: [side(false), side(true)] };
}

function publicInfo(chain, request) {
  const { lists } = chain;
  const inDex = (dex) => lists.dexes.find((d) => d.name === (dex ?? ""))?.universe ?? [];
  switch (request.type) {
    case "meta":
      return metaOf(lists, request.dex);
    case "metaAndAssetCtxs":
      return [metaOf(lists, request.dex), inDex(request.dex).map(context)];
    case "allPerpMetas":
      return lists.dexes.map((d) => metaOf(lists, d.name));
    case "perpDexs":
      return lists.dexes.map((d) =>
        d.name === ""
          ? null
          : {
              name: d.name,
              fullName: d.name,
              deployer: `0x${"8".repeat(40)}`,
              oracleUpdater: null,
              feeRecipient: null,
              assetToStreamingOiCap: [],
              deployerFeeScale: "1.0",
            },
      );
    case "spotMeta":
      return spotMetaOf(lists);
    case "spotMetaAndAssetCtxs":
      return [spotMetaOf(lists), lists.pairs.map(spotContext)];
    case "allMids":
      return Object.fromEntries(
        [...inDex(request.dex), ...(request.dex ? [] : lists.pairs)].map((m) => [m.name, text(m.price)]),
      );
    case "l2Book":
      return book(chain, request.coin);
    case "exchangeStatus":
      return { time: Date.now(), specialStatuses: null };
    case "recentTrades":
    case "candleSnapshot":
    case "fundingHistory":
    case "perpsAtOpenInterestCap":
      return [];
    default:
      return undefined;
  }
}

/** Answers one `/info` question from one server; undefined where the type is unknown. */
export function info(chain, request, server) {
  const found = publicInfo(chain, request);
  if (found !== undefined) return found;
  const user = request.user?.toLowerCase();
  const account = chain.accounts.get(user);
  const at = (store) => Date.now() - server.lag[store];
  switch (request.type) {
    case "userRole":
      return role(chain, user);
    case "extraAgents":
      return [...chain.agents]
        .filter(([, a]) => a.master === user)
        .map(([address, a]) => ({ name: a.name, address, validUntil: a.until }));
    case "subAccounts":
      return subAccounts(chain, user);
    case "maxBuilderFee":
      return 0;
    case "userAbstraction":
      return "default";
    case "clearinghouseState":
      return account
        ? perpState(account, request.dex ?? "", at("positions"))
        : {
            marginSummary: ZERO,
            crossMarginSummary: ZERO,
            crossMaintenanceMarginUsed: "0.0",
            withdrawable: "0.0",
            assetPositions: [],
            time: Date.now(),
          };
    case "userFunding":
    case "userNonFundingLedgerUpdates":
      return [];
    default:
      return account ? ofAccount(chain, account, request, at) : user ? [] : undefined;
  }
}

function role(chain, user) {
  if (chain.agents.has(user)) return { role: "agent", data: { user: chain.agents.get(user).master } };
  if (chain.accounts.get(user)?.isVault) return { role: "vault" };
  if (chain.masters.has(user)) return { role: "subAccount", data: { master: chain.masters.get(user) } };
  return { role: chain.accounts.has(user) ? "user" : "missing" };
}

function subAccounts(chain, user) {
  const mine = [...chain.masters].filter(([sub, master]) => master === user && !chain.accounts.get(sub).isVault);
  if (mine.length === 0) return null;
  return mine.map(([sub]) => ({
    name: "sub",
    subAccountUser: sub,
    master: user,
    clearinghouseState: perpState(chain.accounts.get(sub), "", Date.now()),
    spotState: spotState(chain.accounts.get(sub), Date.now()),
  }));
}

function ofAccount(chain, account, request, at) {
  switch (request.type) {
    case "spotClearinghouseState":
      return spotState(account, at("spot"));
    case "openOrders":
    case "frontendOpenOrders":
      return openState(account, request.dex ?? "", at("open"));
    case "orderStatus":
      return orderStatus(account, request.oid, at("records"));
    case "historicalOrders":
      return upTo(account.history, at("history"))
        .slice(-2000)
        .reverse()
        .map((r) => r.row);
    case "userFills":
    case "userFillsByTime":
      return fills(account, request, at("fills"));
    case "userTwapSliceFills":
    case "userTwapSliceFillsByTime":
      return fillsUpTo(account, at("fills"))
        .filter((f) => f.twapId !== null)
        .reverse()
        .map((fill) => ({ fill, twapId: fill.twapId }));
    case "twapHistory":
      return upTo(account.twapRows, at("twaps"))
        .map((r) => r.row)
        .reverse();
    case "userRateLimit":
      return {
        cumVlm: text(account.volume),
        nRequestsUsed: account.used,
        nRequestsCap: 10000 + Number(account.volume / 10n ** 12n),
        nRequestsSurplus: 0,
      };
    case "userFees":
      return {
        dailyUserVlm: [],
        feeSchedule: {},
        userCrossRate: "0.00045",
        userAddRate: "0.00015",
        userSpotCrossRate: "0.0007",
        userSpotAddRate: "0.0004",
        activeReferralDiscount: "0.0",
      };
    case "activeAssetData":
      return activeAsset(chain, account, request.coin);
    default:
      return undefined;
  }
}

function activeAsset(chain, account, coin) {
  const market = chain.lists.coin(coin);
  if (!market || market.kind === "spot") return undefined;
  const { type, value } = chain.setting(account, market);
  const position = account.positions.get(coin);
  const leverage =
    type === "isolated" ? { type, value, rawUsd: position ? text(position.collateral) : "0.0" } : { type, value };
  return {
    user: account.address,
    coin,
    leverage,
    maxTradeSzs: ["1.0", "1.0"],
    availableToTrade: ["100.0", "100.0"],
    markPx: text(market.price),
  };
}
