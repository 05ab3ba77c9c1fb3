/** How much of a position one close takes. */
import { absolute, compare, type Decimal, decimal, isZero, multiply, truncate } from "./decimal.ts";
import type { Market } from "./market.ts";

/** An order of less, in units of the quote, the exchange takes only where it closes the whole position. */
const MINIMUM_VALUE = decimal("10");

type Closing = {
  /** What may be closed, signed. */
  closable: Decimal;
  /** Above 0, at most 1. */
  fraction: Decimal;
  /** Best price of the side that it executes against. */
  best: Decimal;
};

/**
 * Never more than the fraction, cut to the market's step; but all of what is worth less than the exchange's minimum, because
 * no part of that can be closed. Null where the part is less than one step.
 */
export function sizeToClose(market: Market, { closable, fraction, best }: Closing): Decimal | null {
  const all = absolute(closable);
  const isBelowMinimum = compare(multiply(all, best), MINIMUM_VALUE) < 0;
  const size = truncate(isBelowMinimum ? all : multiply(all, fraction), market.sizeDecimals);
  return isZero(size) ? null : size;
}
