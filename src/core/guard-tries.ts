/** How often a trade places an order as its stop, and as its take-profit. Each has a number of its own, by which a restore finds it. */

/** So many are placed at most. */
export const MAX_GUARDS = 60;
/**
 * Of these the last ones are kept for what the exchange refuses or takes away: before, nothing more is entered, and nobody moves them.
 * What is held is so tried for nearly half an hour.
 */
const KEPT_GUARDS = 28;
export const MAX_WISHED_GUARDS = MAX_GUARDS - KEPT_GUARDS;

/**
 * So long what became of a guard is waited for before another goes beside it, milliseconds: of one that the exchange has never shown,
 * of one that it had, and of one that a list of open orders holds while its record says that it is over: by then no list is behind, and one
 * of both is believed. In a quiet account nothing may ever tell. All only reduce, and the old one goes when the new one stands.
 */
const LOST_GUARD_MS = 20_000;
const LOST_TAKEN_GUARD_MS = 60_000;
const LISTED_GUARD_MS = 180_000;

export function awaitedForMs({ wasTaken, isListed }: { wasTaken: boolean; isListed: boolean }): number {
  if (isListed) return LISTED_GUARD_MS;
  return wasTaken ? LOST_TAKEN_GUARD_MS : LOST_GUARD_MS;
}

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
