import {
  compare,
  type Decimal,
  decimalPlaces,
  divide,
  fromUnits,
  significantFigures,
  toUnits,
  truncate,
} from "./decimal.ts";

/** One tradable market, as the exchange lists it. */
export type Market = {
  /** The exchange's own name, case-sensitive: `BTC`, `xyz:TSLA`, `PURR/USDC`, `@107`. */
  name: string;
  kind: "perpetual" | "spot";
  /** Name of the perpetuals dex; `""` for the native one and for spot. */
  dex: string;
  /** The number that orders carry: index, 100000 + 10000 * dex + index, or 10000 + spot index. */
  assetId: number;
  /** Decimals of a size in this market, 0 or more. */
  sizeDecimals: number;
  /** Largest whole leverage; null for spot. */
  maxLeverage: number | null;
  /** `isolated_only` can take margin out again, `strict_isolated` cannot. */
  marginMode: "any" | "isolated_only" | "strict_isolated";
  isDelisted: boolean;
  /** `BASE/QUOTE` of a spot pair, by token names; null for perpetuals. Not unique. */
  pairName: string | null;
};

/** All markets known at one moment. */
export type Universe = {
  /** By canonical name. */
  byName: ReadonlyMap<string, Market>;
  /** `BASE/QUOTE` to canonical name, only where exactly one pair has it. */
  byPairName: ReadonlyMap<string, string>;
  byAssetId: ReadonlyMap<number, Market>;
  /** Wall time of the reading, unix milliseconds. */
  readAtMs: number;
};

export function buildUniverse(markets: readonly Market[], readAtMs: number): Universe {
  const byName = new Map(markets.map((market) => [market.name, market]));
  const pairs = new Map<string, string | null>();
  for (const { pairName, name } of markets) {
    if (pairName === null) continue;
    pairs.set(pairName, pairs.has(pairName) ? null : name);
  }
  const unique = [...pairs].filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    byName,
    byPairName: new Map(unique),
    byAssetId: new Map(markets.map((market) => [market.assetId, market])),
    readAtMs,
  };
}

export function findMarket(universe: Universe, name: string): Market | null {
  return universe.byName.get(name) ?? universe.byName.get(universe.byPairName.get(name) ?? "") ?? null;
}

/** These markets, by the names given, with null for what is none; null where no list has been read. */
export function marketsNamed(
  universe: Universe | null,
  names: readonly string[],
): Record<string, Market | null> | null {
  return universe === null ? null : Object.fromEntries(names.map((name) => [name, findMarket(universe, name)]));
}

/** The one name under which a market's orders, fills and positions are kept, by any that it is called; as it is where it is none. */
export function canonicalName(universe: Universe, name: string): string {
  return findMarket(universe, name)?.name ?? name;
}

/** Spot pairs are named `PURR/USDC` or `@107`; perpetuals have neither mark. */
export function isSpot(market: string): boolean {
  return market.includes("/") || market.startsWith("@");
}

/** In which fees are paid, but for those of purchases on spot. */
const CASH = "USDC";

/** A fill whose fee was taken out of what was bought. */
export function isPaidInKind(fill: { market: string; side: "buy" | "sell"; feeToken: string }): boolean {
  return isSpot(fill.market) && fill.side === "buy" && fill.feeToken !== CASH;
}

/** Name of the perpetuals dex of a market, by its name; `""` for the native one and for spot. */
export function dexOf(market: string): string {
  const colon = market.indexOf(":");
  return colon === -1 ? "" : market.slice(0, colon);
}

/** Most names to suggest for one that does not exist. */
const MAX_SUGGESTIONS = 3;

/** Up to three names near one that does not exist: same letters in another case, same base, same start. */
export function suggestMarkets(universe: Universe, name: string): string[] {
  const wanted = name.toLowerCase();
  const base = wanted.replace(/^[^:]*:/, "").split(/[/_-]/, 1)[0] ?? "";
  const score = (candidate: string): number => {
    const lower = candidate.toLowerCase();
    if (lower === wanted) return 3;
    if (lower === base || lower.endsWith(`:${base}`) || lower.startsWith(`${base}/`)) return 2;
    return base.length > 1 && lower.includes(base) ? 1 : 0;
  };
  return [...universe.byName.keys(), ...universe.byPairName.keys()]
    .map((candidate) => ({ candidate, points: score(candidate) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || a.candidate.length - b.candidate.length)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

export const MAX_SIGNIFICANT_FIGURES = 5;
const MAX_PRICE_DECIMALS = { perpetual: 6, spot: 8 } as const;

/** Decimals that a price may have in this market, where it is no whole number. */
export function priceDecimals({ kind, sizeDecimals }: Pick<Market, "kind" | "sizeDecimals">): number {
  return Math.max(0, MAX_PRICE_DECIMALS[kind] - sizeDecimals);
}

/**
 * Says why the exchange would refuse a price, or null when it would take it.
 *
 * Asked before sending: the exchange's own refusal comes a round trip later, costs quota, and as prose. We
 * never round to fit, because the client asked for this price and not for a near one.
 *
 * Source: Hyperliquid docs, "Tick and lot size": at most 5 significant figures and 6 - szDecimals decimals
 * (perpetuals) or 8 - szDecimals (spot); whole numbers always pass. Read 2026-11-21.
 */
export function priceFault(market: Market, price: Decimal, field: string): string | null {
  const decimals = decimalPlaces(price);
  if (decimals === 0) return null;
  const allowed = priceDecimals(market);
  const figures = significantFigures(price);
  if (decimals <= allowed && figures <= MAX_SIGNIFICANT_FIGURES) return null;
  const keep = keptDecimals(market, price);
  return (
    `${field} ${price} is not a valid price on ${market.name}: at most ${MAX_SIGNIFICANT_FIGURES} significant figures ` +
    `and ${allowed} decimals. Nearest valid: ${nearest(price, keep)}.`
  );
}

/** The nearest price that the exchange takes, not below (`up`) or not above it (`down`): for what we price ourselves. */
export function roundPrice(market: Market, price: Decimal, way: "up" | "down"): Decimal {
  const keep = keptDecimals(market, price);
  const below = truncate(price, keep);
  return way === "down" || compare(below, price) === 0 ? below : fromUnits(toUnits(below, keep) + 1n, keep);
}

/** Decimals that a price of this size may have. */
function keptDecimals(market: Market, price: Decimal): number {
  const allowed = priceDecimals(market);
  const wholeFigures = significantFigures(price) - decimalPlaces(price);
  return Math.max(0, Math.min(allowed, MAX_SIGNIFICANT_FIGURES - wholeFigures));
}

/** Says why the exchange would refuse a size, or null when it would take it. */
export function sizeFault(market: Market, size: Decimal, field: string): string | null {
  if (decimalPlaces(size) <= market.sizeDecimals) return null;
  return (
    `${field} ${size} has more decimals than ${market.name} allows (${market.sizeDecimals}). ` +
    `Nearest valid: ${nearest(size, market.sizeDecimals)}.`
  );
}

/** Rounded half up to `decimals`; only ever shown, never sent; at least one unit, because zero is no suggestion. */
function nearest(value: Decimal, decimals: number): Decimal {
  const finer = toUnits(value, decimals + 1);
  const units = (finer + 5n) / 10n;
  return fromUnits(units === 0n ? 1n : units, decimals);
}

/** `filled_size` times price summed over fills, divided by the size: exact, cut to 8 decimals (null without fills). */
export function averagePrice(notional: Decimal, size: Decimal): Decimal | null {
  return size === "0" ? null : divide(notional, size, 8);
}
