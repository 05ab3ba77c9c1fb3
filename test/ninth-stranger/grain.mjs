// Decimals as whole grains, values that remember when they were what, and draws from a number.

const GRAINS = 8;
const ONE = 10n ** BigInt(GRAINS);

export function grains(text) {
  const [whole, part = ""] = String(text).replace("-", "").split(".");
  const value = BigInt(whole) * ONE + BigInt(part.padEnd(GRAINS, "0").slice(0, GRAINS));
  return String(text).startsWith("-") ? -value : value;
}

/** Plain decimal text without zeros at its end. */
export function text(value) {
  const sign = value < 0n ? "-" : "";
  const digits = String(value < 0n ? -value : value).padStart(GRAINS + 1, "0");
  const part = digits.slice(-GRAINS).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -GRAINS)}${part ? `.${part}` : ""}`;
}

/** As the exchange writes it: integers keep `.0`. */
export function wire(value) {
  const plain = text(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

export const times = (a, b) => (a * b) / ONE;
export const abs = (a) => (a < 0n ? -a : a);
export const least = (a, b) => [a, b].sort((x, y) => (x < y ? -1 : 1))[0];
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** What something was at each moment: everything that the exchange shows is read from these as of a time. */
export class Past {
  rows = [];
  constructor(at, value) {
    if (value !== undefined) this.rows.push({ at, value });
  }
  set(at, value) {
    this.rows.push({ at, value });
  }
  get now() {
    return this.rows.at(-1)?.value;
  }
  at(moment) {
    for (let i = this.rows.length - 1; i >= 0; i--) if (this.rows[i].at <= moment) return this.rows[i].value;
    return undefined;
  }
}

/** Numbers below one, the same for the same seed (mulberry32). */
export function drawn(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    chance: (p) => next() < p,
    between: (a, b) => a + Math.floor(next() * (b - a + 1)),
    of: (list) => list[Math.floor(next() * list.length)],
  };
}
