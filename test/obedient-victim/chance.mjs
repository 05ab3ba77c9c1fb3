// Draws that a seed decides.
export const openChance = (seed) => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least, most) => least + Math.floor(next() * (most - least + 1));
  const one = (list) => list[Math.floor(next() * list.length)];
  /** Of `[weight, what]`. */
  const weighed = (rows) => {
    let left = next() * rows.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, what] of rows) {
      left -= weight;
      if (left <= 0) return what;
    }
    return rows[0][1];
  };
  const fate = () =>
    weighed([
      [88, "plain"],
      [4, "lost"],
      [3, "neverArrived"],
      [2, "late"],
      [3, "doubled"],
    ]);
  return { next, between, one, weighed, fate, isLucky: (part) => next() < part };
};
