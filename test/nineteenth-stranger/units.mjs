// Exact figures: a decimal is a bigint of hundred-millionths.
export const ONE = 100_000_000n;

export function parse(text) {
  const [whole, part = ""] = String(text).replace("-", "").split(".");
  const value = BigInt(whole) * ONE + BigInt(part.padEnd(8, "0").slice(0, 8));
  return String(text).startsWith("-") ? -value : value;
}

export function show(value) {
  const sign = value < 0n ? "-" : "";
  const size = value < 0n ? -value : value;
  const part = (size % ONE).toString().padStart(8, "0").replace(/0+$/, "");
  return `${sign}${size / ONE}${part === "" ? "" : `.${part}`}`;
}

/** As the exchange writes money: a whole number keeps its `.0`. */
export function float(value) {
  const text = show(value);
  return text.includes(".") ? text : `${text}.0`;
}

export const times = (a, b) => (a * b) / ONE;
export const over = (a, b) => (a * ONE) / b;
export const size = (a) => (a < 0n ? -a : a);

export function least(a, b) {
  if (a < b) return a;
  return b;
}

export function most(a, b) {
  if (a > b) return a;
  return b;
}

/** A number from a seed, the same each time; `draw(n)` is below n. */
export function random(seed) {
  let state = (Math.imul(seed % 4294967296, 2654435761) + 12345) >>> 0 || 1;
  return (n) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return Math.floor((state / 4294967296) * n);
  };
}

export const rest = (ms) => new Promise((done) => setTimeout(done, ms));
