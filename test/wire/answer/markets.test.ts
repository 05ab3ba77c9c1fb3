import { describe, expect, test } from "bun:test";
import { buildUniverse, findMarket } from "../../../src/core/market.ts";
import {
  collateralToken,
  parseAllMids,
  parseAllPerpMetas,
  parsePerpDexs,
  perpMarkets,
  spotMarkets,
  spotTokens,
} from "../../../src/wire/answer/markets.ts";

const META = {
  universe: [
    { szDecimals: 5, name: "BTC", maxLeverage: 40, marginTableId: 56 },
    { szDecimals: 1, name: "MATIC", maxLeverage: 20, marginTableId: 20, isDelisted: true },
    { szDecimals: 0, name: "HPOS", maxLeverage: 3, marginTableId: 3, onlyIsolated: true, marginMode: "strictIsolated" },
    { szDecimals: 2, name: "OLD", maxLeverage: 3, marginTableId: 3, onlyIsolated: true },
    { szDecimals: 2, name: "NEW", maxLeverage: 3, marginTableId: 3, marginMode: "noCross" },
  ],
  marginTables: [],
  collateralToken: 0,
};
const SPOT = {
  universe: [
    { tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true },
    { tokens: [150, 0], name: "@107", index: 107, isCanonical: false },
    { tokens: [151, 0], name: "@108", index: 108, isCanonical: false },
    { tokens: [999, 0], name: "@200", index: 200, isCanonical: false },
  ],
  tokens: [
    { name: "USDC", szDecimals: 8, weiDecimals: 8, index: 0 },
    { name: "PURR", szDecimals: 0, weiDecimals: 5, index: 1 },
    { name: "HYPE", szDecimals: 2, weiDecimals: 8, index: 150 },
    { name: "HYPE", szDecimals: 3, weiDecimals: 8, index: 151 },
  ],
};

describe("perpetuals", () => {
  test("are numbered by their place, delisted ones included", () => {
    expect(perpMarkets(0, "", META)?.map(({ name, assetId, isDelisted }) => [name, assetId, isDelisted])).toEqual([
      ["BTC", 0, false],
      ["MATIC", 1, true],
      ["HPOS", 2, false],
      ["OLD", 3, false],
      ["NEW", 4, false],
    ]);
  });

  test("of a builder's dex have a block of numbers of their own", () => {
    const meta = {
      universe: [
        { szDecimals: 4, name: "xyz:XYZ100", maxLeverage: 20 },
        { szDecimals: 3, name: "xyz:TSLA", maxLeverage: 10 },
      ],
    };
    expect(perpMarkets(1, "xyz", meta)?.map(({ name, assetId, dex }) => [name, assetId, dex])).toEqual([
      ["xyz:XYZ100", 110000, "xyz"],
      ["xyz:TSLA", 110001, "xyz"],
    ]);
    expect(perpMarkets(2, "flx", meta)?.[1]?.assetId).toBe(120001);
  });

  test("say how margin may move", () => {
    expect(perpMarkets(0, "", META)?.map(({ marginMode }) => marginMode)).toEqual([
      "any",
      "any",
      "strict_isolated",
      "isolated_only",
      "isolated_only",
    ]);
  });

  test("with one that cannot be read are unreadable: every later number would be wrong", () => {
    expect(perpMarkets(0, "", { universe: [{ name: "BTC" }] })).toBeNull();
    for (const json of [null, {}, [], { universe: {} }]) expect(perpMarkets(0, "", json)).toBeNull();
  });
});

describe("spot pairs", () => {
  test("are numbered by their index, have the base token's decimals, and go without unknown tokens", () => {
    expect(spotMarkets(SPOT)).toEqual([
      spot("PURR/USDC", 10000, 0, "PURR/USDC"),
      spot("@107", 10107, 2, "HYPE/USDC"),
      spot("@108", 10108, 3, "HYPE/USDC"),
    ]);
    expect(spotTokens(SPOT)?.length).toBe(4);
    expect(spotMarkets({ universe: [] })).toBeNull();
  });

  test("are found by pair name where exactly one has it", () => {
    const universe = buildUniverse([...(perpMarkets(0, "", META) ?? []), ...(spotMarkets(SPOT) ?? [])], 0);
    expect(findMarket(universe, "PURR/USDC")?.assetId).toBe(10000);
    expect(findMarket(universe, "HYPE/USDC")).toBeNull();
    expect(findMarket(universe, "@108")?.assetId).toBe(10108);
  });
});

function spot(name: string, assetId: number, sizeDecimals: number, pairName: string) {
  const fixed = { kind: "spot", dex: "", maxLeverage: null, marginMode: "any", isDelisted: false } as const;
  return { ...fixed, name, assetId, sizeDecimals, pairName };
}

test("dexes come with their index, the exchange's own first and as null", () => {
  expect(parsePerpDexs([null, { name: "xyz", fullName: "XYZ" }])).toEqual([
    { index: 0, name: "" },
    { index: 1, name: "xyz" },
  ]);
  expect(parsePerpDexs([null, {}])).toBeNull();
});

test("allPerpMetas comes in two forms", () => {
  expect(parseAllPerpMetas([META, META])).toEqual([META, META]);
  expect(
    parseAllPerpMetas([
      [META, []],
      [META, []],
    ]),
  ).toEqual([META, META]);
  expect(parseAllPerpMetas([[]])).toBeNull();
});

test("a dex says which token is its collateral", () => {
  expect(collateralToken({ ...META, collateralToken: 235 })).toBe(235);
  expect(collateralToken({ universe: [] })).toBe(0);
  expect(collateralToken(null)).toBeNull();
});

test("allMids", () => {
  expect(parseAllMids({ BTC: "30135.0", "@107": "28.711" })?.get("BTC")).toBe("30135" as never);
  expect(parseAllMids({ BTC: null })).toBeNull();
});
