// The same seed, the same day.
export function dice(seed) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    to: (count) => Math.floor(next() * count),
    of: (list) => list[Math.floor(next() * list.length)],
    is: (chance) => next() < chance,
  };
}
