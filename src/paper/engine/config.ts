/** What a venue is made from: its listings and its switches. */
import type { EngineOptions } from "./options.ts";
import type { MarginTable, PerpDex, PerpMarket, SpotMarket, Token } from "./state.ts";

export type VenueConfig = {
  seed: number;
  startMs: number;
  firstOid: number;
  dexes: PerpDex[];
  tokens: Token[];
  marginTables: MarginTable[];
  perps: PerpListing[];
  spots: SpotListing[];
  options: EngineOptions;
};

export type PerpListing = Pick<
  PerpMarket,
  | "coin"
  | "dex"
  | "szDecimals"
  | "maxLeverage"
  | "marginTableId"
  | "onlyIsolated"
  | "marginMode"
  | "growthMode"
  | "isDelisted"
> & { price: bigint; openInterestCap: bigint | null };

export type SpotListing = Pick<SpotMarket, "index" | "coin" | "baseToken" | "quoteToken" | "isCanonical"> & {
  price: bigint;
};
