/** How often a trade places an order as its stop, and as its take-profit. Each has a number of its own, by which a restore finds it. */

/** So many are placed at most. */
export const MAX_GUARDS = 60;
/**
 * Of these the last ones are kept for what the exchange refuses or takes away: before, nothing more is entered, and nobody moves them.
 * What is held is so tried for nearly half an hour.
 */
const KEPT_GUARDS = 28;
export const MAX_WISHED_GUARDS = MAX_GUARDS - KEPT_GUARDS;

/** A guard that was refused is tried again after so long, milliseconds. An exchange that takes no orders for an hour must not use them up. */
const PAUSES: readonly { upTo: number; ms: number }[] = [
  { upTo: 12, ms: 10_000 },
  { upTo: 24, ms: 60_000 },
  { upTo: MAX_GUARDS, ms: 300_000 },
];

/** @param parts all that were placed as the same, in the order of their placing */
export function retryAfterMs(parts: readonly { refusal: string | null }[]): number {
  const refused = parts.length - 1 - parts.findLastIndex(({ refusal }) => refusal === null);
  return PAUSES.find(({ upTo }) => refused <= upTo)?.ms ?? 0;
}
