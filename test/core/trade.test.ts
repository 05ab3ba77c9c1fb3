/** Where the guards of a trade are met, and how far they may go. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Market } from "../../src/core/market.ts";
import { isProfitMet, isStopMet, worstPriceOf } from "../../src/core/trade.ts";

const MARKET: Market = {
  name: "BTC",
  kind: "perpetual",
  dex: "",
  assetId: 0,
  sizeDecimals: 5,
  maxLeverage: 40,
  marginMode: "any",
  isDelisted: false,
  pairName: null,
};

test.each([
  ["sells, no more than a tenth below its trigger", "sell", "60000", "54000"],
  ["sells, and where a tenth is no price the next above it", "sell", "60001", "54001"],
  ["buys, no more than a tenth above its trigger", "buy", "60000", "66000"],
  ["buys, and where a tenth is no price the next below it", "buy", "60001", "66001"],
] as const)("a guard at market that %s", (_what, side, trigger, worst) => {
  expect(worstPriceOf(MARKET, side, trigger)).toBe(worst);
});

test.each([
  ["buy", "89", true, false],
  ["buy", "90", true, true],
  ["buy", "91", false, true],
  ["sell", "89", false, true],
  ["sell", "90", true, true],
  ["sell", "91", true, false],
] as const)(
  "of a trade that began with a %s a mark of %s meets a stop at 90, or a take-profit",
  (side, mark, isStop, isProfit) => {
    expect(isStopMet(side, "90", decimal(mark))).toBe(isStop);
    expect(isProfitMet(side, "90", decimal(mark))).toBe(isProfit);
  },
);
