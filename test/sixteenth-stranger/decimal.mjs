// Decimals as integers of 10^-12, and the exchange's way of printing them.
const SCALE = 10n ** 12n;
export function d(text) {
  const [, sign, whole, fraction = ""] = /^(-?)(\d*)(?:\.(\d*))?$/.exec(String(text)) ?? [];
  if (whole === undefined) throw new Error(`no decimal: ${text}`);
  const value = BigInt(whole || "0") * SCALE + BigInt(fraction.padEnd(12, "0").slice(0, 12));
  return sign ? -value : value;
}
export function times(a, b) {
  return (a * b) / SCALE;
}
export function over(a, b) {
  return (a * SCALE) / b;
}
export function abs(a) {
  return a < 0n ? -a : a;
}
export function cut(a, places) {
  const unit = 10n ** BigInt(12 - places);
  return (a / unit) * unit;
}
// As our own ledger writes it: no trailing zeros, and no point where there is no fraction.
export function plain(a) {
  const digits = abs(a).toString().padStart(13, "0");
  const fraction = digits.slice(-12).replace(/0+$/, "");
  return `${a < 0n ? "-" : ""}${digits.slice(0, -12)}${fraction ? `.${fraction}` : ""}`;
}
// As the exchange writes it: integers keep ".0".
export function wire(a) {
  const text = plain(a);
  return text.includes(".") ? text : `${text}.0`;
}
export function random(seed) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return function next() {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
