/** Every request type that the simulator answers; any other is a schema error, as at the exchange. */
import { MISMATCH, memberOf } from "../exchange/decode.ts";
import type { ExactJson } from "../exchange/json-text.ts";
import * as account from "./account.ts";
import { activeAssetData } from "./active-asset-data.ts";
import * as books from "./books.ts";
import { candleSnapshot } from "./candles.ts";
import { clearinghouseState } from "./clearinghouse-state.ts";
import * as elsewhere from "./elsewhere.ts";
import { userFills, userFillsByTime, userTwapSliceFills, userTwapSliceFillsByTime } from "./fills.ts";
import * as ledger from "./ledger.ts";
import * as markets from "./markets.ts";
import { frontendOpenOrders, historicalOrders, openOrders, orderStatus } from "./orders.ts";
import { portfolio } from "./portfolio.ts";
import type { InfoReader } from "./request.ts";
import { spotClearinghouseState } from "./spot-state.ts";
import { subAccounts, subAccounts2 } from "./sub-accounts.ts";
import { twapHistory } from "./twaps.ts";
import { userFees } from "./user-fees.ts";
import { webData2 } from "./web-data.ts";

const READERS: ReadonlyMap<string, InfoReader> = new Map<string, InfoReader>(
  Object.entries({
    openOrders,
    frontendOpenOrders,
    orderStatus,
    historicalOrders,
    userFills,
    userFillsByTime,
    userTwapSliceFills,
    userTwapSliceFillsByTime,
    twapHistory,
    candleSnapshot,
    userFees,
    clearinghouseState,
    spotClearinghouseState,
    activeAssetData,
    subAccounts,
    subAccounts2,
    portfolio,
    webData2,
    ...elsewhere,
    extraAgents: account.extraAgents,
    userRole: account.userRole,
    userRateLimit: account.userRateLimit,
    maxBuilderFee: account.maxBuilderFee,
    approvedBuilders: account.approvedBuilders,
    userAbstraction: account.userAbstraction,
    userDexAbstraction: account.userDexAbstraction,
    exchangeStatus: account.exchangeStatus,
    isVip: account.isVip,
    legalCheck: account.legalCheck,
    preTransferCheck: account.preTransferCheck,
    allMids: books.allMids,
    l2Book: books.l2Book,
    recentTrades: books.recentTrades,
    userNonFundingLedgerUpdates: ledger.userNonFundingLedgerUpdates,
    userFunding: ledger.userFunding,
    fundingHistory: ledger.fundingHistory,
    predictedFundings: ledger.predictedFundings,
    meta: markets.meta,
    metaAndAssetCtxs: markets.metaAndAssetCtxs,
    allPerpMetas: markets.allPerpMetas,
    perpDexs: markets.perpDexs,
    perpDexLimits: markets.perpDexLimits,
    perpDexStatus: markets.perpDexStatus,
    perpAnnotation: markets.perpAnnotation,
    perpCategories: markets.perpCategories,
    perpConciseAnnotations: markets.perpConciseAnnotations,
    perpsAtOpenInterestCap: markets.perpsAtOpenInterestCap,
    marginTable: markets.marginTable,
    maxMarketOrderNtls: markets.maxMarketOrderNtls,
    tokenDetails: markets.tokenDetails,
    spotMeta: markets.spotMeta,
    spotMetaAndAssetCtxs: markets.spotMetaAndAssetCtxs,
  }),
);

/** The type that a request names, also one that is not known; null when it names none. */
export function infoTypeOf(json: ExactJson): string | null {
  const type = Array.isArray(json) ? json[0] : memberOf(json, "type");
  return typeof type === "string" ? type : null;
}

/** `MISMATCH`: unknown type, missing or wrong member. */
export function readInfo(json: ExactJson): ReturnType<InfoReader> {
  const reader = READERS.get(infoTypeOf(json) ?? "");
  return reader === undefined ? MISMATCH : reader(json);
}

export function infoTypes(): readonly string[] {
  return [...READERS.keys()];
}
