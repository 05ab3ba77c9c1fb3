// Sizes and prices as whole numbers of a hundred-millionth.

export const ONE = 100_000_000n;

export function units(text) {
  const [whole, fraction = ""] = String(text).replace("-", "").split(".");
  const value = BigInt(whole) * ONE + BigInt(fraction.padEnd(8, "0").slice(0, 8) || "0");
  return String(text).startsWith("-") ? -value : value;
}

/** As the exchange writes: no zeros at the end, but `.0` after a whole number. */
export function text(value) {
  const positive = value < 0n ? -value : value;
  const fraction = (positive % ONE).toString().padStart(8, "0").replace(/0+$/, "") || "0";
  return `${value < 0n ? "-" : ""}${positive / ONE}.${fraction}`;
}

/** A number that a seed decides: mulberry32. */
export function dice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    chance: (share) => next() < share,
    between: (low, high) => low + next() * (high - low),
    whole: (low, high) => Math.floor(low + next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)],
  };
}
