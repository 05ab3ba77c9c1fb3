/**
 * Flattening: after a stop what is held is closed by reduce-only orders that execute at once or not at all, at a bounded
 * price, one after the other in each market. What they leave is told.
 */
import {
  absolute,
  add,
  compare,
  type Decimal,
  decimal,
  isNegative,
  isZero,
  larger,
  multiply,
  smaller,
  subtract,
  truncate,
  ZERO,
} from "./decimal.ts";
import { type Market, roundPrice } from "./market.ts";
import type { Side } from "./order.ts";

/** From the best price, basis points. */
export const DEFAULT_SLIPPAGE_BPS = 50;
export const MAX_SLIPPAGE_BPS = 500;

/**
 * Why something is left: `not_filled` after as many tries as there are, `below_minimum`: the exchange takes no order of so
 * little, `no_price`: none within the bounds, or none could be read, `twap_running`: a TWAP of the bot closes it, and has not
 * been seen to end, `resumed`: the stop was ended meanwhile.
 */
export const LEFT_REASONS = ["not_filled", "below_minimum", "no_price", "twap_running", "resumed"] as const;
export type LeftReason = (typeof LEFT_REASONS)[number];

export type Left = { market: string; size: Decimal; reason: LeftReason };

export type Flatten = {
  stopId: string;
  accountId: string;
  askedAtMs: number;
  /** Hash of the API key that asked; null for the operator. */
  askedBy: string | null;
  maxSlippageBps: number;
  /** Orders that were placed for it, those of an earlier request among them. */
  steps: number;
  /** When nothing more was to be done; null while there is. */
  endedAtMs: number | null;
  left: readonly Left[];
};

/** What may be closed of a position: all of it, or for a bot no more than its own fills hold on that side. Signed. */
export function closableOf(position: Decimal, ownNet: Decimal | null): Decimal {
  if (ownNet === null) return position;
  if (isZero(ownNet) || isZero(position) || isNegative(ownNet) !== isNegative(position)) return ZERO;
  return compare(absolute(ownNet), absolute(position)) < 0 ? ownNet : position;
}

export type Prices = {
  /** Best price of the side that it executes against. */
  best: Decimal;
  /** Mark and oracle. */
  low: Decimal;
  high: Decimal;
};

/** The furthest that it may execute from mark and oracle, whatever slippage is allowed, percent. */
const MAX_DISTANCE = decimal("5");
const PERCENT = decimal("0.01");
const BASIS_POINTS = decimal("0.0001");
const ONE = decimal("1");

export type PriceBounds = {
  prices: Prices;
  maxSlippageBps: number;
  /** The distance that the bot's owner has signed, percent; null where none is. */
  maxDistance: Decimal | null;
  /** Price of the first order of this request in this market: none after it is worse. Null before it. */
  first: Decimal | null;
};

/** The order that closes it; null where no price is within the bounds. */
export function closingOrder(
  market: Market,
  closable: Decimal,
  { prices, maxSlippageBps, maxDistance, first }: PriceBounds,
): { side: Side; size: Decimal; price: Decimal } | null {
  const side = isNegative(closable) ? "buy" : "sell";
  const size = truncate(absolute(closable), market.sizeDecimals);
  const distance = multiply(maxDistance === null ? MAX_DISTANCE : smaller(maxDistance, MAX_DISTANCE), PERCENT);
  const slippage = multiply(decimal(String(maxSlippageBps)), BASIS_POINTS);
  const bounds = { prices, distance, slippage, first };
  const price = side === "sell" ? lowestSale(market, bounds) : highestPurchase(market, bounds);
  return price === null || isZero(size) ? null : { side, size, price };
}

type Bounds = { prices: Prices; distance: Decimal; slippage: Decimal; first: Decimal | null };

function lowestSale(market: Market, { prices: { best, high }, distance, slippage, first }: Bounds): Decimal | null {
  const furthest = multiply(high, subtract(ONE, distance));
  const floor = first === null ? furthest : larger(furthest, first);
  if (compare(best, floor) < 0) return null;
  const worst = larger(multiply(best, subtract(ONE, slippage)), floor);
  // The best price is one that the exchange takes: what is rounded never misses it.
  return smaller(roundPrice(market, worst, "up"), best);
}

function highestPurchase(market: Market, { prices: { best, low }, distance, slippage, first }: Bounds): Decimal | null {
  const furthest = multiply(low, add(ONE, distance));
  const ceiling = first === null ? furthest : smaller(furthest, first);
  if (compare(best, ceiling) > 0) return null;
  const worst = smaller(multiply(best, add(ONE, slippage)), ceiling);
  return larger(roundPrice(market, worst, "down"), best);
}
