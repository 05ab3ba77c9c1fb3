/** Randomness of the market maker: seeded, and with a state that a snapshot can hold. */

/** 32 bits, never 0. */
export type ChanceState = number;

export function startChance(seed: number): ChanceState {
  // Spreads small seeds over all bits; a seed of 0 would stay 0 for ever.
  return (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ 0xc2b2ae35) >>> 0 || 1;
}

/** The next state, which is the random number too (xorshift32). */
export function nextChance(state: ChanceState): ChanceState {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  next ^= next << 5;
  return next >>> 0;
}

/** A whole number in [-span, span]. */
export function spread(state: ChanceState, span: number): number {
  return (state % (2 * span + 1)) - span;
}
