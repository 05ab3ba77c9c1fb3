/** How far an order at market may go: from the best price by what was asked, and never far from mark and oracle. */
import { add, compare, type Decimal, decimal, larger, multiply, smaller, subtract } from "./decimal.ts";
import { type Market, roundPrice } from "./market.ts";
import type { Side } from "./order.ts";

/** From the best price, basis points. */
export const DEFAULT_SLIPPAGE_BPS = 50;
export const MAX_SLIPPAGE_BPS = 500;

export type Prices = {
  /** Best price of the side that it executes against. */
  best: Decimal;
  /** Mark and oracle. */
  low: Decimal;
  high: Decimal;
};

/** The furthest that it may execute from mark and oracle, whatever slippage is allowed, percent. */
export const MAX_DISTANCE_PERCENT = decimal("5");
const PERCENT = decimal("0.01");
const BASIS_POINTS = decimal("0.0001");
const ONE = decimal("1");

export type PriceBounds = {
  prices: Prices;
  maxSlippageBps: number;
  /** The distance that the bot's owner has signed, percent; null where none is. */
  maxDistance: Decimal | null;
  /** Price of the first order of one request in this market: none after it is worse. Null before it. */
  first: Decimal | null;
};

/** A price that the exchange takes, never worse than the bounds; null where the best price is beyond them already. */
export function worstPrice(
  market: Market,
  side: Side,
  { prices, maxSlippageBps, maxDistance, first }: PriceBounds,
): Decimal | null {
  const percent = maxDistance === null ? MAX_DISTANCE_PERCENT : smaller(maxDistance, MAX_DISTANCE_PERCENT);
  const distance = multiply(percent, PERCENT);
  const slippage = multiply(decimal(String(maxSlippageBps)), BASIS_POINTS);
  const bounds = { prices, distance, slippage, first };
  return side === "sell" ? lowestSale(market, bounds) : highestPurchase(market, bounds);
}

type PriceLimits = { prices: Prices; distance: Decimal; slippage: Decimal; first: Decimal | null };

function lowestSale(
  market: Market,
  { prices: { best, high }, distance, slippage, first }: PriceLimits,
): Decimal | null {
  const furthest = multiply(high, subtract(ONE, distance));
  const floor = first === null ? furthest : larger(furthest, first);
  if (compare(best, floor) < 0) return null;
  const worst = larger(multiply(best, subtract(ONE, slippage)), floor);
  // The best price is one that the exchange takes: what is rounded never misses it.
  return smaller(roundPrice(market, worst, "up"), best);
}

function highestPurchase(
  market: Market,
  { prices: { best, low }, distance, slippage, first }: PriceLimits,
): Decimal | null {
  const furthest = multiply(low, add(ONE, distance));
  const ceiling = first === null ? furthest : smaller(furthest, first);
  if (compare(best, ceiling) > 0) return null;
  const worst = smaller(multiply(best, add(ONE, slippage)), ceiling);
  return larger(roundPrice(market, worst, "down"), best);
}
