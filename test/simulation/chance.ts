/** The only randomness of a run: everything that happens is a function of the seed. */
export type Chance = {
  /** 0 to 1, 1 excluded. */
  fraction(): number;
  /** Whole number, both ends included. */
  between(least: number, most: number): number;
  isLucky(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** An independent stream, so that one part of a run does not shift the draws of another. */
  split(): Chance;
};

/** sfc32, seeded through splitmix32 so that neighbouring seeds have nothing in common. */
export function openChance(seed: number): Chance {
  let mix = seed >>> 0;
  function spread(): number {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }
  let a = spread();
  let b = spread();
  let c = spread();
  let counter = 1;

  function next(): number {
    const sum = (a + b + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = ((c << 21) | (c >>> 11)) >>> 0;
    c = (c + sum) >>> 0;
    return sum;
  }
  for (let warmUp = 0; warmUp < 12; warmUp += 1) next();

  const chance: Chance = {
    fraction: () => next() / 2 ** 32,
    between: (least, most) => least + Math.floor((next() / 2 ** 32) * (most - least + 1)),
    isLucky: (probability) => next() / 2 ** 32 < probability,
    pick(from) {
      const picked = from[Math.floor((next() / 2 ** 32) * from.length)];
      if (picked === undefined) throw new Error("bug: nothing to pick from");
      return picked;
    },
    split: () => openChance(next()),
  };
  return chance;
}
