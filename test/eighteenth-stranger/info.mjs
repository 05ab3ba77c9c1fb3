import { dec, mul, txt } from "./decimals.mjs";
import { meta, perpDexs, spotMeta } from "./markets.mjs";

const cutList = (rows, time) => rows.filter((r) => r.at <= time);
const newest = (rows) => rows.slice(-2000).reverse();

/** What one store shows of an account as of a time of its own. */
export function answerInfo(engine, body, asOf) {
  const verb = INFO[body.type];
  if (verb === undefined) return undefined;
  const user = body.user?.toLowerCase();
  const account = user === undefined ? null : (engine.accounts.get(user) ?? null);
  return verb({ engine, body, account, time: asOf(body.type) });
}

function contexts(engine, dex) {
  return meta(dex).universe.map(({ name }) => {
    const px = txt(engine.markets.get(name).mark);
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
  });
}

function spotContexts(engine) {
  return spotMeta().universe.map(({ name }) => {
    const px = txt(engine.markets.get(name).mark);
    return {
      coin: name,
      prevDayPx: px,
      dayNtlVlm: "1000.0",
      markPx: px,
      midPx: px,
      circulatingSupply: "1000000.0",
      totalSupply: "1000000.0",
      dayBaseVlm: "1.0",
    };
  });
}

export function mids(engine, dex) {
  const shown = [...engine.markets.values()].filter((m) => m.dex === dex);
  return Object.fromEntries(shown.map((m) => [m.coin, txt(m.mark)]));
}

export function book(engine, coin) {
  const market = engine.markets.get(coin);
  if (market === undefined) return null;
  const level = (px) => [{ px: txt(px), sz: "1000.0", n: 1 }];
  return {
    coin,
    time: engine.now(),
    levels: [level(engine.bestFor(market, false)), level(engine.bestFor(market, true))],
  };
}

function openOrders({ engine, body, account, time }) {
  if (account === null) return [];
  const dex = body.dex ?? "";
  return account.asOf(time).open.filter((o) => engine.markets.get(o.coin).dex === dex);
}

function orderStatus({ body, account, time }) {
  const key = body.oid;
  const rows =
    account === null
      ? []
      : cutList(account.history, time).filter((h) => (typeof key === "string" ? h.cloid === key : h.oid === key));
  if (rows.length === 0) return { status: "unknownOid" };
  const oid = rows.reduce((most, h) => Math.max(most, h.oid), 0);
  return { status: "order", order: rows.filter((h) => h.oid === oid).at(-1).row };
}

function byTime({ body, account, time }, rows) {
  const until = body.endTime ?? Number.MAX_SAFE_INTEGER;
  const found = account === null ? [] : cutList(rows(account), time);
  return found.map((r) => r.fill ?? r.row).filter((r) => r.time >= (body.startTime ?? 0) && r.time <= until);
}

function activeAssetData({ engine, body, account }) {
  const set = account?.setting(body.coin) ?? { type: "cross", value: 1 };
  const leverage = set.type === "isolated" ? { ...set, rawUsd: "0.0" } : set;
  const mark = engine.markets.get(body.coin).mark;
  return {
    user: body.user,
    coin: body.coin,
    leverage,
    maxTradeSzs: ["1.0", "1.0"],
    availableToTrade: ["1000.0", "1000.0"],
    markPx: txt(mark),
  };
}

function subAccounts({ engine, account }) {
  const subs = account === null ? [] : [...engine.accounts.values()].filter((a) => a.master === account.address);
  if (subs.length === 0) return null;
  const now = engine.now();
  return subs.map((a) => ({
    name: "sub",
    subAccountUser: a.address,
    master: a.master,
    clearinghouseState: a.asOf(now).perpetuals[""],
    spotState: a.asOf(now).spot,
  }));
}

function userRole({ account }) {
  if (account === null) return { role: "missing" };
  return account.master === null ? { role: "user" } : { role: "subAccount", data: { master: account.master } };
}

const FEES = {
  userCrossRate: "0.00045",
  userAddRate: "0.00015",
  userSpotCrossRate: "0.0007",
  userSpotAddRate: "0.0004",
  activeReferralDiscount: "0.0",
};

const INFO = {
  meta: ({ body }) => meta(body.dex ?? ""),
  allPerpMetas: () => ["", "xyz", "abc"].map((dex) => meta(dex)),
  perpDexs: () => perpDexs(),
  spotMeta: () => spotMeta(),
  metaAndAssetCtxs: ({ engine, body }) => [meta(body.dex ?? ""), contexts(engine, body.dex ?? "")],
  spotMetaAndAssetCtxs: ({ engine }) => [spotMeta(), spotContexts(engine)],
  allMids: ({ engine, body }) => mids(engine, body.dex ?? ""),
  l2Book: ({ engine, body }) => book(engine, body.coin),
  exchangeStatus: ({ engine }) => ({ time: engine.now(), specialStatuses: null }),
  perpsAtOpenInterestCap: () => [],
  maxMarketOrderNtls: () => [[20, "15000000.0"]],
  clearinghouseState: ({ body, account, time }) => {
    const state = account.asOf(time).perpetuals[body.dex ?? ""];
    return { ...state, time };
  },
  spotClearinghouseState: ({ account, time }) => account?.asOf(time).spot ?? { balances: [] },
  openOrders,
  frontendOpenOrders: openOrders,
  orderStatus,
  historicalOrders: ({ account, time }) => newest(cutList(account.history, time)).map((h) => h.row),
  userFills: ({ account, time }) => newest(cutList(account.fills, time)).map((f) => f.fill),
  userFillsByTime: (all) => byTime(all, (a) => a.fills),
  userFunding: (all) => byTime(all, (a) => a.funding),
  userNonFundingLedgerUpdates: (all) => byTime(all, (a) => a.ledger),
  twapHistory: ({ account, time }) => newest(cutList(account.twapRows, time)).map((t) => t.row),
  userTwapSliceFills: ({ account, time }) => sliceFills(account, time),
  userTwapSliceFillsByTime: ({ account, time }) => sliceFills(account, time),
  userAbstraction: ({ account }) => account?.mode ?? "default",
  userDexAbstraction: () => null,
  userRole,
  subAccounts,
  extraAgents: ({ engine }) => engine.agents ?? [],
  userRateLimit: () => ({ cumVlm: "1000000.0", nRequestsUsed: 10, nRequestsCap: 1010000, nRequestsSurplus: 0 }),
  maxBuilderFee: () => 0,
  approvedBuilders: () => [],
  userFees: () => FEES,
  activeAssetData,
  fundingHistory: () => [],
  candleSnapshot: () => [],
  recentTrades: () => [],
  marginTable: ({ body }) => ({ description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: body.id }] }),
};

function sliceFills(account, time) {
  return newest(cutList(account.fills, time).filter((f) => f.fill.twapId !== null)).map((f) => ({
    fill: f.fill,
    twapId: f.fill.twapId,
  }));
}

/** What an account is worth in all at one of its moments, spot tokens at their marks. */
export function worthOf(engine, moment) {
  let sum = moment.worth;
  for (const { coin, total } of moment.spot.balances) {
    const pair = { USDC: null, PURR: "PURR/USDC", HYPE: "@107" }[coin];
    sum += pair === null ? dec(total) : mul(dec(total), engine.markets.get(pair).mark);
  }
  return sum;
}
