/** Held against figures that the exchange has shown, and against the formula itself. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Decimal, decimal, ZERO } from "../../src/core/decimal.ts";
import { type Backing, lateStop, liquidationPrice } from "../../src/core/liquidation.ts";
import type { Market } from "../../src/core/market.ts";

const MARKET: Market = {
  name: "HYPE",
  kind: "perpetual",
  dex: "",
  assetId: 1,
  sizeDecimals: 2,
  maxLeverage: 10,
  marginMode: "any",
  isDelisted: false,
  pairName: null,
};

function backing(some: { held?: string; heldValue?: string; equity: string; others?: string }): Backing {
  const { held = "0", heldValue = "0", equity, others = "0" } = some;
  return {
    held: decimal(held),
    heldValue: decimal(heldValue),
    equity: decimal(equity),
    otherMaintenance: decimal(others),
    margin: "cross",
  };
}

function entering(side: "buy" | "sell", size: string, price: string) {
  return { side, size: decimal(size), price: decimal(price) };
}

const NOTHING_MORE = entering("buy", "0", "1");

test.each([
  // What the exchange has printed of isolated positions (an account of its documents, and one of a capture).
  ["a long that stands", 10, { held: "2", heldValue: "75.652", equity: "7.525754" }, NOTHING_MORE, "35.8559189473"],
  ["the same as it is entered", 10, { equity: "7.531754" }, entering("buy", "2", "37.829"), "35.8559189473"],
  ["a short as it is entered", 10, { equity: "100" }, entering("sell", "1", "1000"), "1047.619047619"],
  ["a long behind which less is left", 10, { equity: "100", others: "50" }, entering("buy", "1", "1000"), "1000"],
  [
    "one that is added to",
    10,
    { held: "1", heldValue: "900", equity: "200" },
    entering("buy", "1", "1000"),
    "894.7368421052",
  ],
  [
    "a short that is turned",
    10,
    { held: "-1", heldValue: "-1000", equity: "200" },
    entering("buy", "2", "1000"),
    "842.1052631578",
  ],
  ["one that all of its value stands behind", 10, { equity: "1000" }, entering("buy", "1", "1000"), null],
  [
    "a short that is only made smaller",
    10,
    { held: "-3", heldValue: "-3000", equity: "1" },
    entering("buy", "1", "1000"),
    null,
  ],
])("%s is liquidated where the exchange says", (...[, maxLeverage, some, entry, price]) => {
  const found = liquidationPrice({ maxLeverage }, backing(some), entry);
  expect(found).toBe(price as Decimal | null);
});

const side = fc.constantFrom("buy", "sell");
const amount = fc.integer({ min: 1, max: 10_000_000 }).map((units) => units / 100);

test("there its equity is what it needs, and on the losing side it is less", () => {
  fc.assert(
    fc.property(
      side,
      fc.tuple(amount, amount, amount),
      fc.integer({ min: 1, max: 50 }),
      (way, [size, price, equity], most) => {
        const found = liquidationPrice(
          { maxLeverage: most },
          backing({ equity: String(equity) }),
          entering(way as "buy" | "sell", String(size), String(price)),
        );
        const sign = way === "buy" ? 1 : -1;
        const spare = (at: number) => equity + sign * size * (at - price) - (size * at) / (2 * most);
        const scale = Math.max(equity, size * price);
        if (found === null) expect(spare(0)).toBeGreaterThan(-scale * 1e-9);
        else expect(Math.abs(spare(Number(found))) / scale).toBeLessThan(1e-6);
      },
    ),
  );
});

test.each([
  ["buy", "947.36", true],
  ["buy", "947.37", false],
  ["sell", "1047.7", true],
  ["sell", "1047.5", false],
] as const)("of who is to %s, a stop at %s comes too late: %p", (way, trigger, isLate) => {
  const entry = entering(way, "1", "1000");
  const late = lateStop(MARKET, entry, { backing: backing({ equity: "100" }), triggerPrice: decimal(trigger) });
  expect(late !== null).toBe(isLate);
  const figure = way === "buy" ? "947.37" : "1047.6";
  if (isLate)
    expect(late).toStartWith(`A position of 1, filled at 1000, would be liquidated at ${figure} (cross, 100 USD`);
});

test("of nothing there is no liquidation", () => {
  expect(liquidationPrice(MARKET, backing({ equity: "0" }), entering("buy", ZERO, "1"))).toBeNull();
});
