import { add, type Decimal, larger, subtract, ZERO } from "./decimal.ts";

/** One of its entry, or of a guard. Exchange time, unix milliseconds. */
export type TradeFill = { timeMs: number; size: Decimal; isOfEntry: boolean };

/**
 * What its guards have filled beyond what the trade held at that time. A stop waits for the whole entry before any of it fills: fired by
 * then, it closes what others have opened in the market, and what the entry fills after that is held nevertheless.
 */
export function closedOfOthers(fills: readonly TradeFill[]): Decimal {
  let held = ZERO;
  let beyond = ZERO;
  // In the same millisecond it is the entry that fills, and the guard that closes it.
  for (const { size, isOfEntry } of fills.toSorted(
    (a, b) => a.timeMs - b.timeMs || Number(b.isOfEntry) - Number(a.isOfEntry),
  )) {
    const left = isOfEntry ? add(held, size) : subtract(held, size);
    held = larger(left, ZERO);
    beyond = add(beyond, subtract(held, left));
  }
  return beyond;
}
