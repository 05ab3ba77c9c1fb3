// The clock, and numbers drawn from a seed.
export const now = () => Date.now();
export const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
export function rng(seed) {
  let s = seed >>> 0 || 1;
  const f = () => {
    s |= 0;
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  f.int = (a, b) => a + Math.floor(f() * (b - a + 1));
  f.pick = (a) => a[Math.floor(f() * a.length)];
  f.chance = (p) => f() < p;
  return f;
}
