import type { Decimal } from "../../core/decimal.ts";
import type { Market } from "../../core/market.ts";
import {
  flag,
  integer,
  integerOf,
  integerOrNull,
  moneyOf,
  orNull,
  rows,
  rowsOf,
  type Source,
  sourceOf,
  text,
  textOrNull,
} from "./read.ts";

/** Perpetuals of builder-deployed dexes are numbered from here, a block for each dex. */
const DEX_ASSET_BASE = 100_000;
const DEX_ASSET_BLOCK = 10_000;
const SPOT_ASSET_BASE = 10_000;

/**
 * Markets of one perpetuals dex from its `meta`; null when unreadable. An asset is known by its place in the list,
 * delisted ones included.
 *
 * @param dexIndex place of the dex in `perpDexs`; 0 is the exchange's own
 */
export function perpMarkets(dexIndex: number, dexName: string, meta: unknown): Market[] | null {
  const base = dexIndex === 0 ? 0 : DEX_ASSET_BASE + dexIndex * DEX_ASSET_BLOCK;
  return orNull(() => {
    const markets = rows(sourceOf(meta), "universe", (row) => perpMarket(dexName, sourceOf(row)));
    return markets.map((market, index) => ({ ...market, assetId: base + index }));
  });
}

function perpMarket(dex: string, from: Source): Omit<Market, "assetId"> {
  return {
    name: text(from, "name"),
    kind: "perpetual",
    dex,
    sizeDecimals: integer(from, "szDecimals"),
    maxLeverage: integer(from, "maxLeverage"),
    marginMode: marginMode(from),
    isDelisted: flag(from, "isDelisted"),
    pairName: null,
  };
}

/** `onlyIsolated` alone is the older word for either of the two; whether margin may leave is the exchange's to say. */
function marginMode(from: Source): Market["marginMode"] {
  const mode = textOrNull(from, "marginMode");
  if (mode === "strictIsolated") return "strict_isolated";
  return mode === "noCross" || flag(from, "onlyIsolated") ? "isolated_only" : "any";
}

/** Spot token that is the collateral of this dex; 0 is USDC. Null when unreadable. */
export function collateralToken(meta: unknown): number | null {
  return orNull(() => integerOrNull(sourceOf(meta), "collateralToken") ?? 0);
}

/** Dexes of `perpDexs` with their index; the exchange's own stands first, as null, and has the name "". */
export function parsePerpDexs(json: unknown): { index: number; name: string }[] | null {
  const names = orNull(() => rowsOf(json, (row) => (row === null ? "" : text(sourceOf(row), "name"))));
  return names === null ? null : names.map((name, index) => ({ index, name }));
}

/** The `meta` of each dex in `allPerpMetas`, by dex index, whether or not each comes with its contexts. */
export function parseAllPerpMetas(json: unknown): unknown[] | null {
  return orNull(() => rowsOf(json, (row) => (Array.isArray(row) ? sourceOf(row[0]) : sourceOf(row))));
}

export type SpotToken = { name: string; index: number; sizeDecimals: number };

/** Tokens of `spotMeta`, or null when unreadable. */
export function spotTokens(spotMeta: unknown): SpotToken[] | null {
  return orNull(() =>
    rows(sourceOf(spotMeta), "tokens", (row) => {
      const from = sourceOf(row);
      return { name: text(from, "name"), index: integer(from, "index"), sizeDecimals: integer(from, "szDecimals") };
    }),
  );
}

/**
 * Pairs of `spotMeta`; null when unreadable. Their numbers have gaps, so the place in the list means nothing. A pair
 * whose token is not listed is left out: its size decimals are unknown, so nothing could be ordered there.
 */
export function spotMarkets(spotMeta: unknown): Market[] | null {
  const tokens = spotTokens(spotMeta);
  if (tokens === null) return null;
  const byIndex = new Map(tokens.map((token) => [token.index, token]));
  return orNull(() => rows(sourceOf(spotMeta), "universe", (row) => spotMarket(byIndex, sourceOf(row))).flat());
}

function spotMarket(tokens: ReadonlyMap<number, SpotToken>, from: Source): Market[] {
  const [base, quote] = rows(from, "tokens", (token) => tokens.get(integerOf(token)));
  if (base === undefined || quote === undefined) return [];
  const market: Market = {
    name: text(from, "name"),
    kind: "spot",
    dex: "",
    assetId: SPOT_ASSET_BASE + integer(from, "index"),
    sizeDecimals: base.sizeDecimals,
    maxLeverage: null,
    marginMode: "any",
    isDelisted: false,
    pairName: `${base.name}/${quote.name}`,
  };
  return [market];
}

/** Mid prices of `allMids` by coin; null when unreadable. */
export function parseAllMids(json: unknown): ReadonlyMap<string, Decimal> | null {
  return orNull(() => new Map(Object.entries(sourceOf(json)).map(([coin, price]) => [coin, moneyOf(price)])));
}
