/**
 * Flattening: after a stop what is held is closed by reduce-only orders that execute at once or not at all, at a bounded
 * price, one after the other in each market. What they leave is told.
 */
import { absolute, add, compare, type Decimal, isNegative, isZero, subtract, truncate, ZERO } from "./decimal.ts";
import type { Market } from "./market.ts";
import type { Side } from "./order.ts";
import type { Sums } from "./rails/exposure.ts";
import { type PriceBounds, worstPrice } from "./worst-price.ts";

/**
 * Why something is left: `not_filled` after as many tries as there are, `below_minimum`: the exchange takes no order of so
 * little, `no_price`: none within the bounds, or none could be read (its dex may not be configured), `twap_running`: a TWAP of the bot closes it, and has not
 * been seen to end, `unproven`: after a restore nobody can say whether a TWAP of after the backup bought it for the bot, `resumed`: the
 * stop was ended meanwhile.
 */
export const LEFT_REASONS = ["not_filled", "below_minimum", "no_price", "twap_running", "unproven", "resumed"] as const;
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

/** So much of a position may be a bot's beyond what its books hold there, because nobody knows who bought or sold this. Signed. */
export function unprovenPart(position: Decimal, ownNet: Decimal, { buys, sells }: Sums): Decimal {
  const most = isNegative(position) ? subtract(ownNet, sells) : add(ownNet, buys);
  return subtract(closableOf(position, most), closableOf(position, ownNet));
}

/** The order that closes it; null where no price is within the bounds. */
export function closingOrder(
  market: Market,
  closable: Decimal,
  bounds: PriceBounds,
): { side: Side; size: Decimal; price: Decimal } | null {
  const side = isNegative(closable) ? "buy" : "sell";
  const size = truncate(absolute(closable), market.sizeDecimals);
  const price = worstPrice(market, side, bounds);
  return price === null || isZero(size) ? null : { side, size, price };
}
