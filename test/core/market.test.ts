import { expect, test } from "bun:test";
import fc from "fast-check";
import { decimal, fromUnits } from "../../src/core/decimal.ts";
import {
  averagePrice,
  buildUniverse,
  findMarket,
  type Market,
  priceFault,
  sizeFault,
  suggestMarkets,
} from "../../src/core/market.ts";

function market(some: Partial<Market> & Pick<Market, "name">): Market {
  return {
    kind: "perpetual",
    dex: "",
    assetId: 0,
    sizeDecimals: 5,
    maxLeverage: 40,
    marginMode: "any",
    isDelisted: false,
    pairName: null,
    ...some,
  };
}

const BTC = market({ name: "BTC" });
const UNIVERSE = buildUniverse(
  [
    BTC,
    market({ name: "kPEPE", assetId: 5, sizeDecimals: 0 }),
    market({ name: "xyz:TSLA", dex: "xyz", assetId: 110_000, sizeDecimals: 3 }),
    market({ name: "PURR/USDC", kind: "spot", assetId: 10_000, sizeDecimals: 0, pairName: "PURR/USDC" }),
    market({ name: "@107", kind: "spot", assetId: 10_107, sizeDecimals: 2, pairName: "HYPE/USDC" }),
    market({ name: "@200", kind: "spot", assetId: 10_200, sizeDecimals: 2, pairName: "FAKE/USDC" }),
    market({ name: "@201", kind: "spot", assetId: 10_201, sizeDecimals: 2, pairName: "FAKE/USDC" }),
  ],
  1,
);

test.each([
  ["BTC", "BTC"],
  ["xyz:TSLA", "xyz:TSLA"],
  ["PURR/USDC", "PURR/USDC"],
  ["HYPE/USDC", "@107"],
  ["btc", null],
  ["TSLA", null],
  ["", null],
  ["__proto__", null],
  ["constructor", null],
])("the market %j is found as %j", (name, found) => {
  expect(findMarket(UNIVERSE, name)?.name ?? null).toBe(found);
});

test("a pair name that two pairs have names neither of them", () => {
  expect(findMarket(UNIVERSE, "FAKE/USDC")).toBeNull();
});

test.each([
  ["btc", ["BTC"]],
  ["TSLA", ["xyz:TSLA"]],
  ["BTC-USD", ["BTC"]],
  ["pepe", ["kPEPE"]],
  ["x", []],
])("%j is answered with %j", (name, suggestions) => {
  expect(suggestMarkets(UNIVERSE, name)).toEqual(suggestions);
});

test("at most three names are suggested", () => {
  const many = buildUniverse(
    ["ABC1", "ABC2", "ABC3", "ABC4"].map((name) => market({ name })),
    1,
  );
  expect(suggestMarkets(many, "abc")).toHaveLength(3);
});

test.each([
  ["perpetual", 5, "64250", null],
  ["perpetual", 5, "123456789", null],
  ["perpetual", 5, "64250.1", "64250"],
  ["perpetual", 5, "6425.5", null],
  ["perpetual", 5, "6425.55", "6425.6"],
  ["perpetual", 5, "0.12", "0.1"],
  ["perpetual", 0, "0.012345", null],
  ["perpetual", 0, "0.0123456", "0.012346"],
  ["perpetual", 0, "1.23456", "1.2346"],
  ["spot", 0, "0.00012345", null],
  ["spot", 2, "0.0012345", "0.001235"],
  ["perpetual", 5, "0.000001", "0.1"],
] as const)("a price of a %s with %i size decimals: %s, nearest valid %p", (kind, sizeDecimals, price, nearest) => {
  const fault = priceFault(market({ name: "M", kind, sizeDecimals }), decimal(price), "price");
  if (nearest === null) expect(fault).toBeNull();
  else expect(fault).toEndWith(`Nearest valid: ${nearest}.`);
});

test("the nearest valid price of a refused one is itself taken", () => {
  const prices = fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 14n }), fc.integer({ min: 1, max: 12 }))
    .map(([units, scale]) => fromUnits(units, scale));
  const kinds = fc.constantFrom<Market["kind"]>("perpetual", "spot");
  fc.assert(
    fc.property(prices, kinds, fc.integer({ min: 0, max: 6 }), (price, kind, sizeDecimals) => {
      const on = market({ name: "M", kind, sizeDecimals });
      const fault = priceFault(on, price, "price");
      if (fault === null) return;
      const nearest = /Nearest valid: (.*)\.$/.exec(fault)?.[1] ?? "";
      expect(priceFault(on, decimal(nearest), "price")).toBeNull();
    }),
  );
});

test.each([
  ["0.00001", null],
  ["1", null],
  ["0.000001", "0.00001"],
  ["0.123456", "0.12346"],
])("a size of %s with five decimals allowed: nearest valid %p", (size, nearest) => {
  const fault = sizeFault(BTC, decimal(size), "size");
  if (nearest === null) expect(fault).toBeNull();
  else expect(fault).toEndWith(`Nearest valid: ${nearest}.`);
});

test("an average price is exact and cut to eight decimals", () => {
  expect(averagePrice(decimal("0"), decimal("0"))).toBeNull();
  expect(averagePrice(decimal("2"), decimal("3"))).toBe(decimal("0.66666666"));
  expect(averagePrice(decimal("64250.5"), decimal("0.5"))).toBe(decimal("128501"));
});
