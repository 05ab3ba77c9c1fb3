/** Everything that looks random: derived from the seed and from counters, so that a replay repeats it. */
import type { Venue } from "./state.ts";

const MASK_64 = (1n << 64n) - 1n;

/** splitmix64: one well mixed 64-bit word for every input word. */
function mixed(word: bigint): bigint {
  let mix = (word + 0x9e3779b97f4a7c15n) & MASK_64;
  mix = ((mix ^ (mix >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64;
  mix = ((mix ^ (mix >> 27n)) * 0x94d049bb133111ebn) & MASK_64;
  return mix ^ (mix >> 31n);
}

/** 32 bytes in hex, different for every (seed, counter). */
export function hashOf(seed: number, counter: number): string {
  const start = mixed(BigInt(seed)) ^ BigInt(counter);
  let hex = "";
  for (let word = 0n; word < 4n; word += 1n) {
    hex += mixed(start + (word << 60n))
      .toString(16)
      .padStart(16, "0");
  }
  return `0x${hex}`;
}

/** The address of something that the venue itself makes, such as a sub-account. */
export function addressOf(seed: number, counter: number): string {
  return `0x${hashOf(seed, counter).slice(26)}`;
}

export const ZERO_HASH = `0x${"0".repeat(64)}`;

/** The exchange's trade id: a 50-bit hash of (buyer oid, seller oid). */
export function tradeId(buyerOid: number, sellerOid: number): number {
  return Number(mixed(mixed(BigInt(buyerOid)) ^ BigInt(sellerOid)) >> 14n);
}

/** The next number of 0 up to `bound` - 1 from the venue's own sequence. */
export function nextRandom(venue: Venue, bound: number): number {
  venue.randomState = (venue.randomState + 1n) & MASK_64;
  return Number(mixed(venue.randomState) % BigInt(bound));
}
