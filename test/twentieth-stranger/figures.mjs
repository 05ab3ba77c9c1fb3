// Draws from a seed, and exact decimals: bigint in units of 1e-12.
export const ONE = 10n ** 12n;

export function parse(text) {
  const match = /^(-?)(\d+)(?:\.(\d{1,12})0*)?$/.exec(String(text));
  if (match === null) throw new Error(`no decimal: ${text}`);
  const value = BigInt(match[2]) * ONE + BigInt((match[3] ?? "").padEnd(12, "0"));
  return match[1] === "-" ? -value : value;
}

export function show(value, places = 12) {
  const step = 10n ** BigInt(12 - places);
  const cut = (value / step) * step;
  const size = cut < 0n ? -cut : cut;
  const fraction = (size % ONE).toString().padStart(12, "0").replace(/0+$/, "");
  return `${cut < 0n ? "-" : ""}${size / ONE}${fraction === "" ? "" : `.${fraction}`}`;
}

/** As the exchange writes numbers: whole ones keep `.0`. */
export function wire(value, places = 12) {
  const text = show(value, places);
  return text.includes(".") ? text : `${text}.0`;
}

export const times = (a, b) => (a * b) / ONE;
export function least(a, b) {
  if (a < b) return a;
  return b;
}
export const size = (a) => (a < 0n ? -a : a);

export class Draw {
  constructor(seed) {
    this.state = (seed * 2654435761 + 12345) >>> 0;
    for (let i = 0; i < 8; i++) this.next();
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  chance(p) {
    return this.next() < p;
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from, to) {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  of(list) {
    return list[this.whole(0, list.length - 1)];
  }

  /** `weights` is {name: weight}. */
  weighted(weights) {
    const entries = Object.entries(weights).filter(([, w]) => w > 0);
    let left = this.next() * entries.reduce((sum, [, w]) => sum + w, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left <= 0) return name;
    }
    return entries[entries.length - 1][0];
  }

  hex(digits) {
    let text = "";
    while (text.length < digits) text += this.whole(0, 15).toString(16);
    return text;
  }
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
