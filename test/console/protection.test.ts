import { expect, test } from "bun:test";
import type { ApiMarket, ApiOrder, ApiPosition } from "../../src/console/api/resources.ts";
import { isBeyondLiquidation, outcomeAt, waitingOn, worstAfter } from "../../src/console/figures/protection.ts";

const LONG = { market: "ETH", side: "long", size: "2", entry_price: "3000" } as const satisfies Partial<ApiPosition>;
const SHORT = { ...LONG, side: "short" } as const;

function trigger(
  price: string,
  change: Partial<ApiOrder> = {},
  kind: "stop_loss" | "take_profit" = "stop_loss",
): ApiOrder {
  const order = { market: "ETH", side: "sell", size: "1", filled_size: "0", reduce_only: true };
  return { ...order, trigger: { price, kind, market: true }, ...change } as ApiOrder;
}

const BUY = { side: "buy" } as const;
const ROWS: [what: string, typeof LONG | typeof SHORT, ApiOrder[], expected: object | null][] = [
  ["none", LONG, [], null],
  ["part of it", LONG, [trigger("2500")], { price: "2500", size: "1", coversAll: false }],
  ["the first of two fires", LONG, [trigger("2500"), trigger("2600")], { price: "2600", size: "2", coversAll: true }],
  [
    "of a short, too",
    SHORT,
    [trigger("3500", BUY), trigger("3400", BUY)],
    { price: "3400", size: "2", coversAll: true },
  ],
  ["what is filled covers nothing", LONG, [trigger("2500", { filled_size: "0.4" })], { size: "0.6", coversAll: false }],
  ["no more than is held", LONG, [trigger("2500", { size: "9" })], { size: "2", coversAll: true }],
  ["one for the whole position", LONG, [trigger("2500", { size: "0" })], { size: "2", coversAll: true }],
  ["another market's", LONG, [trigger("2500", { market: "BTC" })], null],
  ["one that would add to it", LONG, [trigger("3500", BUY)], null],
  ["one that may increase", LONG, [trigger("2500", { reduce_only: false })], null],
  ["a profit is no stop", LONG, [trigger("3500", {}, "take_profit")], null],
];

test.each(ROWS)("the stop of a position: %s", (_what, position, orders, expected) => {
  const found = waitingOn(position, orders, "stop_loss");
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject(expected);
});

test("of two profits the nearer is told", () => {
  const orders = [trigger("3500", {}, "take_profit"), trigger("3300", {}, "take_profit")];
  expect(waitingOn(LONG, orders, "take_profit")?.price).toBe("3300");
});

const ETH = { market: "ETH", kind: "perpetual", size_decimals: 4 } as ApiMarket;

test("the worst price is one that the market takes, no further than 8 % beyond the trigger", () => {
  expect(worstAfter("2500", "sell", ETH)).toBe("2300");
  expect(worstAfter("2511.3", "sell", ETH)).toBe("2310.4");
  expect(worstAfter("2511.3", "buy", ETH)).toBe("2712.2");
  expect([worstAfter("", "sell", ETH), worstAfter("0", "sell", ETH), worstAfter("1.", "buy", ETH)]).toEqual([
    null,
    null,
    null,
  ]);
});

test("a stop beyond the liquidation price is too late", () => {
  const [long, short] = (["long", "short"] as const).map((side) => ({ side, liquidation_price: "2900" }));
  if (long === undefined || short === undefined) throw new Error("bug: two sides");
  expect([isBeyondLiquidation(long, "2900"), isBeyondLiquidation(long, "2900.1")]).toEqual([true, false]);
  expect([isBeyondLiquidation(short, "2900"), isBeyondLiquidation(short, "2899.9")]).toEqual([true, false]);
  expect(isBeyondLiquidation({ side: "long", liquidation_price: null }, "1")).toBe(false);
});

test("what a position would come to at a price has the sign of its side", () => {
  expect(outcomeAt(LONG, "2500", "2")).toBe("-1000");
  expect(outcomeAt(SHORT, "2500", "0.5")).toBe("250");
  expect(outcomeAt({ ...LONG, entry_price: null }, "2500", "2")).toBeNull();
});
