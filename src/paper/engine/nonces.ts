/** Nonces per signer: the 100 highest are the floor, and every one seen in the window is a duplicate. */
import type { Address, NonceSet, Venue } from "./state.ts";

const KEPT_NONCES = 100;
const PAST_MS = 2 * 86_400_000;
const FUTURE_MS = 86_400_000;
/** Measured: both ends of the window are this much narrower. */
const WINDOW_MARGIN_MS = 120_000;
/** Nonces remembered below the floor, per signer; the lowest are forgotten first. */
const MAX_SEEN_NONCES = 100_000;

/** The text of a refusal, or null: then the nonce may be used. */
export function nonceFault(venue: Venue, signer: Address, nonce: number, nowMs: number): string | null {
  const lowest = nowMs - PAST_MS + WINDOW_MARGIN_MS;
  const highest = nowMs + FUTURE_MS - WINDOW_MARGIN_MS;
  const set = venue.nonces.get(signer);
  if (set?.seen.has(nonce) === true) return `Invalid nonce: duplicate nonce ${nonce}`;
  if (nonce > highest) return `Invalid nonce: nonce too high ${nonce} > ${highest}`;
  if (nonce < lowest) return `Invalid nonce: nonce too low ${nonce} < ${lowest}`;
  const floor = set === undefined || set.highest.length < KEPT_NONCES ? null : (set.highest[0] ?? null);
  if (floor !== null && nonce < floor) return `Invalid nonce: nonce too low ${nonce} < ${floor}`;
  return null;
}

export function useNonce(venue: Venue, signer: Address, nonce: number, nowMs: number): void {
  let set = venue.nonces.get(signer);
  if (set === undefined) {
    set = { highest: [], seen: new Set() };
    venue.nonces.set(signer, set);
  }
  set.seen.add(nonce);
  keepSorted(set.highest, nonce);
  if (set.highest.length > KEPT_NONCES) set.highest.shift();
  if (set.seen.size > 2 * KEPT_NONCES) forgetOld(set, nowMs - PAST_MS);
}

function keepSorted(highest: number[], nonce: number): void {
  let at = highest.length;
  while (at > 0 && (highest[at - 1] ?? 0) > nonce) at -= 1;
  highest.splice(at, 0, nonce);
}

/** Insertion order is close to ascending: what has left the window is found at the front. */
function forgetOld(set: NonceSet, before: number): void {
  for (const nonce of set.seen) {
    if (nonce >= before && set.seen.size <= MAX_SEEN_NONCES) return;
    set.seen.delete(nonce);
  }
}
