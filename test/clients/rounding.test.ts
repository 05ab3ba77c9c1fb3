import { expect, test } from "bun:test";
import fc from "fast-check";
import { PosternError, round } from "../../clients/typescript/postern.ts";
import { marketResource } from "../../src/actions/list-markets.ts";
import { compare, decimal } from "../../src/core/decimal.ts";
import { priceFault, sizeFault } from "../../src/core/market.ts";
import GOLDEN from "./rounding.json";
import { type Direction, goldenRows, KINDS, marketOf, roundedByCore, type What } from "./rounding.ts";

test("the golden rows that other languages are held against are what core/market makes of them", () => {
  expect(GOLDEN.length).toBeGreaterThan(500);
  expect(GOLDEN as unknown).toEqual(goldenRows());
});

test("the client makes of each golden row what core/market does", () => {
  const made = goldenRows().map(([kind, sizeDecimals, what, value, direction]) =>
    roundedOrCode(marketResource(marketOf(kind, sizeDecimals)), what, value, direction),
  );
  expect(made).toEqual(goldenRows().map(([, , , , , wanted]) => wanted ?? "rounds_to_zero"));
});

const DIGITS = fc.stringMatching(/^[0-9]{1,12}$/);
const VALUE = fc
  .tuple(DIGITS, fc.option(DIGITS))
  .map(([whole, fraction]) => (fraction === null ? whole : `${whole}.${fraction}`));
const ROW = fc.record({
  kind: fc.constantFrom(...KINDS),
  sizeDecimals: fc.integer({ min: 0, max: 8 }),
  what: fc.constantFrom<What>("price", "size"),
  value: VALUE,
  direction: fc.constantFrom<Direction>("up", "down"),
});

test("what is rounded is what the exchange takes, on the side that was named, and as near as core/market comes", () => {
  fc.assert(
    fc.property(ROW, ({ kind, sizeDecimals, what, value, direction }) => {
      const market = marketOf(kind, sizeDecimals);
      const wanted = roundedByCore(market, what, decimal(value), direction);
      const rounded = roundedOrCode(marketResource(market), what, value, direction);
      expect(rounded).toBe(wanted ?? "rounds_to_zero");
      if (wanted === null) return;
      const fault = what === "price" ? priceFault : sizeFault;
      expect(fault(market, decimal(rounded), what)).toBeNull();
      expect(compare(decimal(rounded), decimal(value)) * (direction === "up" ? 1 : -1)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2_000 },
  );
});

function roundedOrCode(market: Parameters<typeof round>[0], what: What, value: string, direction: Direction): string {
  try {
    return round(market, what, value, direction);
  } catch (error) {
    if (error instanceof PosternError) return error.code;
    throw error;
  }
}

const NO_DECIMALS = ["", " 1", "1 ", "+1", "-1", "1e3", "1,5", ".5", "5.", "0x10", "NaN", "Infinity", "١"];
test.each(NO_DECIMALS)("%p is no decimal text, and nothing is made of it", (value) => {
  expect(roundedOrCode(marketResource(marketOf("perpetual", 2)), "price", value, "down")).toBe("not_a_decimal");
});

test("a float is none either, and zero rounds to nothing", () => {
  const market = marketResource(marketOf("perpetual", 2));
  // Whoever writes JavaScript is not stopped by types.
  expect(roundedOrCode(market, "price", 1.5 as unknown as string, "down")).toBe("not_a_decimal");
  for (const zero of ["0", "0.000"]) expect(roundedOrCode(market, "size", zero, "up")).toBe("rounds_to_zero");
});
