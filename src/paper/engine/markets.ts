/** The table of markets: mainnet's names, indices and margin tables as of 2026, with prices to start from. */

import type { PerpListing, SpotListing, VenueConfig } from "./config.ts";
import { DEFAULT_OPTIONS } from "./options.ts";
import type { MarginTable, MarketStats, PerpDex, Token, VenueMarket } from "./state.ts";
import { dollars, ONE, ONE_E12 } from "./units.ts";

const NOBODY = `0x${"0".repeat(40)}`;

const DEXES: PerpDex[] = [
  {
    index: 0,
    name: "",
    fullName: "",
    deployer: NOBODY,
    feeRecipient: NOBODY,
    deployerFeeScaleE12: 0n,
    collateralToken: 0,
  },
  {
    index: 1,
    name: "xyz",
    fullName: "XYZ",
    deployer: "0x88806a71d74ad0a510b350545c9ae490912f0888",
    feeRecipient: "0x97f46f90c04efb91d0d740bd263e76683ff1f904",
    deployerFeeScaleE12: ONE_E12,
    collateralToken: 0,
  },
];

const TOKENS: Token[] = [
  {
    index: 0,
    name: "USDC",
    szDecimals: 8,
    weiDecimals: 8,
    tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054",
    isCanonical: true,
    fullName: null,
  },
  {
    index: 1,
    name: "PURR",
    szDecimals: 0,
    weiDecimals: 5,
    tokenId: "0xc1fb593aeffbeb02f85e0308e9956a90",
    isCanonical: true,
    fullName: null,
  },
  {
    index: 150,
    name: "HYPE",
    szDecimals: 2,
    weiDecimals: 8,
    tokenId: "0x0d01dc56dcaaca66ad901c959b4011ec",
    isCanonical: false,
    fullName: "Hyperliquid",
  },
];

/** A table below id 50 is not listed: it stands for one tier with that leverage. */
function tiered(id: number, description: string, leverages: [number, number], secondFrom: number): MarginTable {
  return {
    id,
    description,
    tiers: [
      { lowerBound: 0n, maxLeverage: leverages[0] },
      { lowerBound: dollars(secondFrom), maxLeverage: leverages[1] },
    ],
  };
}

const MARGIN_TABLES: MarginTable[] = [
  { id: 50, description: "", tiers: [{ lowerBound: 0n, maxLeverage: 50 }] },
  tiered(51, "tiered 10x", [10, 5], 3_000_000),
  tiered(52, "tiered 10x (2)", [10, 5], 20_000_000),
  tiered(53, "tiered 20x", [20, 10], 40_000_000),
  tiered(54, "tiered 20x (2)", [20, 10], 70_000_000),
  tiered(55, "tiered 25x", [25, 15], 100_000_000),
  tiered(56, "tiered 40x", [40, 20], 150_000_000),
];

type Shape = { coin: string; dex: number; szDecimals: number; maxLeverage: number; marginTableId: number };

function perp(shape: Shape, cents: number, rest: Partial<PerpListing> = {}): PerpListing {
  return {
    ...shape,
    onlyIsolated: false,
    marginMode: null,
    growthMode: false,
    isDelisted: false,
    openInterestCap: null,
    price: BigInt(cents) * (ONE / 100n),
    ...rest,
  };
}

/** In the order of the universes: the position is the index, and a delisted market keeps its own. */
// biome-ignore format: a table is read by its columns
const PERPS: PerpListing[] = [
  perp({ coin: "BTC", dex: 0, szDecimals: 5, maxLeverage: 40, marginTableId: 56 }, 9_500_000),
  perp({ coin: "ETH", dex: 0, szDecimals: 4, maxLeverage: 25, marginTableId: 55 }, 320_000),
  perp({ coin: "ATOM", dex: 0, szDecimals: 2, maxLeverage: 5, marginTableId: 5 }, 450),
  perp({ coin: "MATIC", dex: 0, szDecimals: 1, maxLeverage: 20, marginTableId: 20 }, 38, { isDelisted: true }),
  perp({ coin: "DYDX", dex: 0, szDecimals: 1, maxLeverage: 5, marginTableId: 5 }, 62),
  perp({ coin: "SOL", dex: 0, szDecimals: 2, maxLeverage: 20, marginTableId: 54 }, 18_000),
  perp({ coin: "HPOS", dex: 0, szDecimals: 0, maxLeverage: 3, marginTableId: 3 }, 12, { onlyIsolated: true, marginMode: "strictIsolated" }),
  perp({ coin: "xyz:XYZ100", dex: 1, szDecimals: 4, maxLeverage: 25, marginTableId: 25 }, 2_465_700, { onlyIsolated: true, marginMode: "noCross", growthMode: true }),
  perp({ coin: "xyz:TSLA", dex: 1, szDecimals: 3, maxLeverage: 10, marginTableId: 10 }, 39_952, { onlyIsolated: true, marginMode: "strictIsolated", growthMode: true }),
];

const SPOTS: SpotListing[] = [
  { index: 0, coin: "PURR/USDC", baseToken: 1, quoteToken: 0, isCanonical: true, price: 18_000_000n },
  { index: 107, coin: "@107", baseToken: 150, quoteToken: 0, isCanonical: false, price: 40n * ONE },
];

/** The usual venue. `firstOid` is beyond 2^32, as the exchange's own ids are. */
export function defaultConfig(seed: number, startMs: number): VenueConfig {
  return structuredClone({
    seed,
    startMs,
    firstOid: 400_000_000_001,
    dexes: DEXES,
    tokens: TOKENS,
    marginTables: MARGIN_TABLES,
    perps: PERPS,
    spots: SPOTS,
    options: DEFAULT_OPTIONS,
  });
}

function freshStats(price: bigint): MarketStats {
  return { lastTradePrice: null, previousDayPrice: price, dayNotional: 0n, dayBase: 0n };
}

/** 0 up for the validator dex; 100000 + 10000 * dex + index for another; 10000 + index for spot. */
export function buildMarkets(config: VenueConfig): VenueMarket[] {
  const nextIndex = new Map<number, number>();
  const perps = config.perps.map((listing): VenueMarket => {
    const { price, ...rest } = listing;
    const index = nextIndex.get(listing.dex) ?? 0;
    nextIndex.set(listing.dex, index + 1);
    const asset = listing.dex === 0 ? index : 100_000 + 10_000 * listing.dex + index;
    return {
      ...rest,
      kind: "perp",
      asset,
      markPrice: price,
      oraclePrice: price,
      openInterest: 0n,
      premiumSumE12: 0n,
      premiumSamples: 0,
      fundingHistory: [],
      stats: freshStats(price),
    };
  });
  const spots = config.spots.map((listing): VenueMarket => {
    const { price, ...rest } = listing;
    const base = config.tokens.find((token) => token.index === listing.baseToken);
    if (base === undefined) throw new Error(`bug: no token ${listing.baseToken}`);
    return {
      ...rest,
      kind: "spot",
      asset: 10_000 + listing.index,
      szDecimals: base.szDecimals,
      markPrice: price,
      stats: freshStats(price),
    };
  });
  return [...perps, ...spots];
}
