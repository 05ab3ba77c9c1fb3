/** The engine's one scale: bigint counts of 10^-8, and of 10^-12 where a name ends in E12. */
import type { Decimal } from "../../core/decimal.ts";
import { fromUnits, toUnits } from "../../core/decimal.ts";

export const ONE = 100_000_000n;
export const ONE_E12 = 1_000_000_000_000n;

/** Counts of 10^-8 in one micro-dollar, the smallest amount in which perpetuals are settled. */
export const MICRO = 100n;

export function units(value: Decimal): bigint {
  return toUnits(value, 8);
}

export function plain(value: bigint): Decimal {
  return fromUnits(value, 8);
}

/** Whole dollars, for limits and thresholds. */
export function dollars(whole: number): bigint {
  return BigInt(whole) * ONE;
}

/** a * b of two counts of 10^-8, cut toward zero; exact for price times size within the tick and lot rules. */
export function times(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/** a / b of two counts of 10^-8, cut toward zero. */
export function over(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

/** The part `part / whole` of `amount`, cut toward zero. */
export function share(amount: bigint, part: bigint, whole: bigint): bigint {
  return (amount * part) / whole;
}

/** `amount` times a rate in 10^-12, cut toward zero. */
export function atRate(amount: bigint, rateE12: bigint): bigint {
  return (amount * rateE12) / ONE_E12;
}

/** Cut toward zero to `decimals` places (0 to 8). */
export function cut(amount: bigint, decimals: number): bigint {
  const step = 10n ** BigInt(8 - decimals);
  return (amount / step) * step;
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** As the exchange writes numbers: no trailing zeros, but a whole number keeps ".0". */
export function wireNumber(value: bigint): string {
  const text = plain(value);
  return text.includes(".") ? text : `${text}.0`;
}
