/** What can be traded: perp dexes, their universes and margin tables, spot pairs and tokens. */
import type { MarginTable, PerpDex, PerpMarket, SpotMarket, Token, Venue } from "../engine/state.ts";
import { optional, required, text, u64 } from "../exchange/decode.ts";
import { CIRCULATING_SUPPLY, perpContext, spotContext } from "./asset-contexts.ts";
import { numberText, ratioText, usdText } from "./number-format.ts";
import { dexIndex, infoRequest, SERVER_FAULT } from "./request.ts";

/** Table ids below this are not listed: they mean one tier with that leverage. */
const FIRST_LISTED_TABLE = 50;
const EPOCH = "1970-01-01T00:00:00";

export const meta = infoRequest({ dex: optional(text) }, ({ venue }, { dex }) => {
  const index = dexIndex(venue, dex);
  return index === null ? SERVER_FAULT : metaOf(venue, index);
});

export const metaAndAssetCtxs = infoRequest({ dex: optional(text) }, ({ venue }, { dex }) => {
  const index = dexIndex(venue, dex);
  return index === null ? SERVER_FAULT : [metaOf(venue, index), perpContexts(venue, index)];
});

export const allPerpMetas = infoRequest({}, ({ venue }) => venue.dexes.map((dex) => metaOf(venue, dex.index)));

export const perpDexs = infoRequest({}, ({ venue }) =>
  venue.dexes.map((dex) => (dex.index === 0 ? null : dexRow(venue, dex))),
);

export const spotMeta = infoRequest({}, ({ venue }) => spotMetaOf(venue));

export const spotMetaAndAssetCtxs = infoRequest({}, ({ venue }) => [spotMetaOf(venue), spotContexts(venue)]);

export const marginTable = infoRequest({ id: required(u64), dex: optional(text) }, ({ venue }, { id }) => {
  const table = venue.marginTables.get(Number(id));
  if (table !== undefined) return tableOf(table);
  if (id === 0n || id >= FIRST_LISTED_TABLE) return null;
  return { description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: Number(id) }] };
});

export const perpAnnotation = infoRequest({ coin: required(text) }, () => null);

export const tokenDetails = infoRequest({ tokenId: required(text) }, ({ venue }, { tokenId }) => {
  const token = [...venue.tokens.values()].find((one) => one.tokenId === tokenId.toLowerCase());
  return token === undefined ? SERVER_FAULT : detailsOf(venue, token);
});

export const maxMarketOrderNtls = infoRequest({}, () => [
  [25, "30000000.0"],
  [20, "5000000.0"],
  [10, "2000000.0"],
  [0, "500000.0"],
]);

export const perpsAtOpenInterestCap = infoRequest({ dex: optional(text) }, ({ venue }, { dex }) => {
  const index = dexIndex(venue, dex);
  return perpsOf(venue, index ?? -1)
    .filter((perp) => perp.openInterestCap !== null && openNotional(perp) >= perp.openInterestCap)
    .map((perp) => perp.coin);
});

export const perpDexLimits = infoRequest({ dex: required(text) }, ({ venue }, { dex }) => {
  const index = dexIndex(venue, dex);
  if (index === null || index === 0) return null;
  return {
    totalOiCap: "400000000.0",
    oiSzCapPerPerp: "1000000000.0",
    maxTransferNtl: "150000000.0",
    coinToOiCap: capsOf(venue, index),
  };
});

export const perpDexStatus = infoRequest({ dex: required(text) }, ({ venue }, { dex }) => {
  const index = dexIndex(venue, dex);
  if (index === null) return null;
  let total = 0n;
  for (const account of venue.accounts.values()) total += account.cash.get(index) ?? 0n;
  return { totalNetDeposit: usdText(total) };
});

export const perpCategories = infoRequest({}, ({ venue }) =>
  perps(venue)
    .filter((perp) => perp.dex !== 0)
    .map((perp) => [perp.coin, "stocks"]),
);

export const perpConciseAnnotations = infoRequest({}, ({ venue }) =>
  perps(venue)
    .filter((perp) => perp.dex !== 0)
    .map((perp) => [perp.coin, { category: "stocks" }]),
);

export function perps(venue: Venue): PerpMarket[] {
  return [...venue.markets.values()].filter((market) => market.kind === "perp");
}

export function spots(venue: Venue): SpotMarket[] {
  return [...venue.markets.values()].filter((market) => market.kind === "spot");
}

export function perpsOf(venue: Venue, dex: number): PerpMarket[] {
  return perps(venue).filter((perp) => perp.dex === dex);
}

export function perpContexts(venue: Venue, dex: number): unknown[] {
  return perpsOf(venue, dex).map((perp) => perpContext(venue, perp));
}

export function spotContexts(venue: Venue): unknown[] {
  return spots(venue).map((spot) => spotContext(venue, spot));
}

export function metaOf(venue: Venue, dex: number): unknown {
  const listed = perpsOf(venue, dex);
  const tables = new Set(listed.map((perp) => perp.marginTableId));
  return {
    universe: listed.map(universeRow),
    marginTables: [...venue.marginTables.values()]
      .filter((table) => table.id >= FIRST_LISTED_TABLE && tables.has(table.id))
      .map((table) => [table.id, tableOf(table)]),
    collateralToken: venue.dexes.find((one) => one.index === dex)?.collateralToken ?? 0,
  };
}

/** Flags appear only when they are set. */
function universeRow(perp: PerpMarket): unknown {
  return {
    szDecimals: perp.szDecimals,
    name: perp.coin,
    maxLeverage: perp.maxLeverage,
    marginTableId: perp.marginTableId,
    ...(perp.onlyIsolated ? { onlyIsolated: true } : {}),
    ...(perp.isDelisted ? { isDelisted: true } : {}),
    ...(perp.marginMode === null ? {} : { marginMode: perp.marginMode }),
    ...(perp.growthMode ? { growthMode: "enabled", lastGrowthModeChangeTime: EPOCH } : {}),
  };
}

function tableOf(table: MarginTable): unknown {
  const marginTiers = table.tiers.map((tier) => ({
    lowerBound: numberText(tier.lowerBound),
    maxLeverage: tier.maxLeverage,
  }));
  return { description: table.description, marginTiers };
}

function dexRow(venue: Venue, dex: PerpDex): unknown {
  return {
    name: dex.name,
    fullName: dex.fullName,
    deployer: dex.deployer,
    oracleUpdater: null,
    feeRecipient: dex.feeRecipient,
    assetToStreamingOiCap: capsOf(venue, dex.index),
    subDeployers: [],
    deployerFeeScale: ratioText(dex.deployerFeeScaleE12, 10),
    lastDeployerFeeScaleChangeTime: EPOCH,
    assetToFundingMultiplier: [],
    assetToFundingInterestRate: [],
  };
}

function capsOf(venue: Venue, dex: number): unknown[] {
  return perpsOf(venue, dex).flatMap((perp) =>
    perp.openInterestCap === null ? [] : [[perp.coin, numberText(perp.openInterestCap)]],
  );
}

function openNotional(perp: PerpMarket): bigint {
  return (perp.openInterest * perp.markPrice) / 100_000_000n;
}

/** Prices are those of its pair against the quote token; a quote token itself is worth one. */
function detailsOf(venue: Venue, token: Token): unknown {
  const pair = spots(venue).find((spot) => spot.baseToken === token.index);
  const { circulatingSupply, totalSupply, midPx, markPx, prevDayPx } =
    pair === undefined ? QUOTE_CONTEXT : spotContext(venue, pair);
  return {
    name: token.name,
    maxSupply: totalSupply,
    totalSupply,
    circulatingSupply,
    szDecimals: token.szDecimals,
    weiDecimals: token.weiDecimals,
    midPx: midPx ?? markPx,
    markPx,
    prevDayPx,
    genesis: null,
    deployer: null,
    deployGas: null,
    deployTime: null,
    seededUsdc: "0.0",
    nonCirculatingUserBalances: [],
    futureEmissions: "0.0",
  };
}

const QUOTE_CONTEXT: Record<string, unknown> = {
  circulatingSupply: CIRCULATING_SUPPLY,
  totalSupply: CIRCULATING_SUPPLY,
  midPx: "1.0",
  markPx: "1.0",
  prevDayPx: "1.0",
};

export function spotMetaOf(venue: Venue): unknown {
  return { universe: spots(venue).map(pairRow), tokens: [...venue.tokens.values()].map(tokenRow) };
}

function pairRow(spot: SpotMarket): unknown {
  const { baseToken, quoteToken, coin, index, isCanonical } = spot;
  return { tokens: [baseToken, quoteToken], name: coin, index, isCanonical };
}

function tokenRow(token: Token): unknown {
  return {
    name: token.name,
    szDecimals: token.szDecimals,
    weiDecimals: token.weiDecimals,
    index: token.index,
    tokenId: token.tokenId,
    isCanonical: token.isCanonical,
    evmContract: null,
    fullName: token.fullName,
    deployerTradingFeeShare: "0.0",
  };
}
