/**
 * How often a trade places an order as its stop, and as its take-profit. Each has a number of its own, by which a restore
 * finds it. And how long what became of one is waited for.
 */

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

/**
 * So long what became of a guard is waited for before another goes beside it, milliseconds: of one that the exchange has never shown,
 * of one that it had, and of one that a list of open orders holds while its record says that it is over: by then no list is behind, and one
 * of both is believed. In a quiet account nothing may ever tell. All only reduce, and the old one goes when the new one stands.
 */
const LOST_GUARD_MS = 20_000;
const LOST_TAKEN_GUARD_MS = 60_000;
const LISTED_GUARD_MS = 180_000;
/** The same where all that nobody knows of would guard less than is to be guarded: the rest has nothing, whatever became of it. */
const LOST_SMALLER_GUARD_MS = 5_000;

type LostGuard = { wasTaken: boolean; isListed: boolean; unsettledForMs: number };

/**
 * The more of them nobody knows of, the longer the next one waits.
 *
 * @param isEnough they would guard all that is to be guarded, together with those that stand
 */
export function isLostAwaited(lost: readonly LostGuard[], isEnough: boolean): boolean {
  return lost.some((guard) => {
    const forMs = (isEnough ? lostMsOf(guard) : LOST_SMALLER_GUARD_MS) * lost.length;
    return guard.unsettledForMs < forMs;
  });
}

function lostMsOf({ wasTaken, isListed }: LostGuard): number {
  if (isListed) return LISTED_GUARD_MS;
  return wasTaken ? LOST_TAKEN_GUARD_MS : LOST_GUARD_MS;
}
