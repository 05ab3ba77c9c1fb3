/**
 * Orders of which more was filled, by the exchange's own answers, than the fills that are kept come to: a list of fills is not whole as
 * long as it lacks what is known.
 */
import { compare } from "../core/decimal.ts";
import { CLOCK_DOUBT_MS } from "../core/evidence.ts";
import { findAttemptByCloid } from "./attempts.ts";
import { wholeAtMost } from "./fill-holes.ts";
import { type FilledLeg, listFilledLegs } from "./filled-legs.ts";
import { NEWEST_ORDERS } from "./newest-orders.ts";
import type { Store } from "./open.ts";
import { whileUnchanged } from "./while-unchanged.ts";

/** When the first of them was sent, exchange time, unix milliseconds; infinity where every fill that is known of is kept. */
const shortSinceMs = whileUnchanged((store, accountId) => {
  const legs = listFilledLegs(store, { accountId, newest: NEWEST_ORDERS });
  const short = legs.filter(({ filled, kept }) => compare(kept, filled) < 0);
  return Math.min(...short.map((leg) => sentAtMs(store, leg)), Number.POSITIVE_INFINITY);
});

/** No fill of it is from before that, however wrong either clock was. */
function sentAtMs(store: Store, { cloid, createdAtMs }: FilledLeg): number {
  return (findAttemptByCloid(store, cloid)?.nonce ?? createdAtMs) - CLOCK_DOUBT_MS;
}

/** True where a fill that is known of is not kept yet. */
export function isShortOfFills(store: Store, accountId: string): boolean {
  return shortSinceMs(store, accountId) !== Number.POSITIVE_INFINITY;
}

/**
 * Up to when a list of fills may be called whole at most, exchange time, unix milliseconds: before a millisecond of which the exchange gives
 * only a part, and before the sending of what was filled by more than is listed. Infinity where neither is.
 */
export function toldWholeAtMost(store: Store, accountId: string): number {
  return Math.min(wholeAtMost(store, accountId), shortSinceMs(store, accountId));
}
