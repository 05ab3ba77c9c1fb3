import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fromUnits } from "../../src/core/decimal.ts";
import { priceFault } from "../../src/core/market.ts";
import type { VenueMarket } from "../../src/paper/engine/state.ts";
import { readPriceFile, tickAt, tickedPrice, walked } from "../../src/paper/prices.ts";
import { bench, START_MS } from "./support.ts";

const { venue } = bench({ hasMarketMaker: false }).paper;
const markets = [...venue.markets.values()];
const anyMarket = fc.constantFrom(...markets);
/** From a thousandth of a cent to ten million dollars. */
const anyPrice = fc.bigInt({ min: 1_000n, max: 1_000_000_000_000_000n });

/** The fault that the gateway's own rules find in a price, or null. */
function faultOf(market: VenueMarket, price: bigint): string | null {
  const known = {
    name: market.coin,
    kind: market.kind === "perp" ? "perpetual" : "spot",
    dex: "",
    assetId: market.asset,
    sizeDecimals: market.szDecimals,
    maxLeverage: null,
    marginMode: "any",
    isDelisted: false,
    pairName: null,
  } as const;
  return priceFault(known, fromUnits(price, 8), "price");
}

test("the rules of the gateway find something to say about 95.123456", () => {
  expect(markets.every((market) => faultOf(market, 9_512_345_600n) !== null)).toBe(true);
});

describe("a quoted price", () => {
  test("is one that the market takes, and never above what was meant by more than a tick", () => {
    fc.assert(
      fc.property(anyMarket, anyPrice, (market, price) => {
        const ticked = tickedPrice(market, price);
        expect(faultOf(market, ticked)).toBeNull();
        expect(ticked <= price || ticked === tickedPrice(market, 1n)).toBe(true);
      }),
    );
  });

  test("moves by a tick to the next one that the market takes", () => {
    fc.assert(
      fc.property(anyMarket, anyPrice, (market, price) => {
        const ticked = tickedPrice(market, price);
        const next = ticked + tickAt(market, ticked);
        expect(faultOf(market, next)).toBeNull();
      }),
    );
  });

  test("of the walk stays above nothing and near its listing", () => {
    fc.assert(
      fc.property(anyPrice, fc.integer({ min: 1, max: 2 ** 32 - 1 }), (anchor, seed) => {
        let price = anchor;
        for (let step = 0; step < 50; step += 1) price = walked(price, anchor, (seed + step * 7_919) >>> 0 || 1);
        expect(price > 0n).toBe(true);
        expect(price < anchor * 2n).toBe(true);
      }),
    );
  });
});

describe("a price file", () => {
  const FILE = "# BTC falls\n0,BTC,95000\n\n5000,BTC,94000.5\n5000, ETH, 3100\n9000,BTC,93000\n";

  test("is replayed from the start of the run", async () => {
    const started = bench({ prices: readPriceFile(FILE) });
    const seen: unknown[] = [];
    for (const atMs of [1_000, 4_000, 5_000, 10_000, 60_000]) {
      started.pass(START_MS + atMs - started.nowMs);
      const mids = (await started.info({ type: "allMids" })) as Record<string, string>;
      seen.push([atMs, mids["BTC"], mids["ETH"]]);
    }
    expect(seen).toEqual([
      [1_000, "95000.0", "3200.0"],
      [4_000, "95000.0", "3200.0"],
      [5_000, "94000.0", "3100.0"],
      [10_000, "93000.0", "3100.0"],
      [60_000, "93000.0", "3100.0"],
    ]);
  });

  // biome-ignore format: one mistake a row
  const WRONG: readonly [string, number][] = [
    ["0,BTC\n", 1],
    ["0,BTC,95000,1\n", 1],
    ["0,BTC,95000\nx,BTC,1\n", 2],
    ["5,BTC,95000\n4,BTC,1\n", 2],
    ["0,BTC,1e5\n", 1],
    ["-1,BTC,1\n", 1],
  ];
  test.each(WRONG)("such as %j is refused for its line %d", (text, line) => {
    expect(() => readPriceFile(text)).toThrow(`price file, line ${line}:`);
  });
});
