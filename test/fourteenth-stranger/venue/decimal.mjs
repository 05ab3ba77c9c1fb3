// Exact figures: a decimal is a BigInt of 1e-12.
const UNIT = 10n ** 12n;

export function dec(value) {
  if (typeof value === "bigint") return value;
  const text = String(value);
  const negative = text.startsWith("-");
  const [whole, part = ""] = (negative ? text.slice(1) : text).split(".");
  const figure = BigInt(whole || "0") * UNIT + BigInt(part.padEnd(12, "0").slice(0, 12));
  return negative ? -figure : figure;
}

export function mul(a, b) {
  return (a * b) / UNIT;
}

export function div(a, b) {
  return b === 0n ? 0n : (a * UNIT) / b;
}

export function abs(a) {
  return a < 0n ? -a : a;
}

export function min(a, b) {
  if (a < b) return a;
  return b;
}

export function max(a, b) {
  if (a > b) return a;
  return b;
}

// Plain text without trailing zeros, as Postern tells figures.
export function plain(a) {
  const sign = a < 0n ? "-" : "";
  const digits = abs(a).toString().padStart(13, "0");
  const part = digits.slice(-12).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -12)}${part === "" ? "" : `.${part}`}`;
}

// Float style of the exchange: an integer keeps its `.0`.
export function wire(a) {
  const text = plain(a);
  return text.includes(".") ? text : `${text}.0`;
}

// Cut towards zero to so many decimals.
export function cut(a, decimals) {
  const step = 10n ** BigInt(12 - decimals);
  return (a / step) * step;
}
