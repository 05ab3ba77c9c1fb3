/**
 * Exact decimal arithmetic on strings. Money never meets a float: a value is held as a bigint count of
 * 10^-scale units for the length of one calculation and goes back to plain notation.
 */
import { trimTail } from "./trim.ts";

/** A plain decimal: optional `-`, no exponent, no leading zeros, no trailing zeros after the point, never `-0`. */
export type Decimal = string & { readonly __brand: "Decimal" };

/** What a decimal is worth in the midst of a calculation: `units` times 10^-`scale`. Exact, and not written out. */
export type Exact = { readonly units: bigint; readonly scale: number };

const PLAIN = /^(-?)([0-9]+)(?:\.([0-9]*))?$/;

/** What is in its canonical form as it stands, as nearly all is that is read; to find that out takes a tenth of taking a text apart. */
const CANONICAL = /^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/;

/** Longest text that `parseDecimal` looks at; longer ones are not numbers that an exchange would send. */
const MAX_CHARACTERS = 80;

export const ZERO = "0" as Decimal;

/** The canonical form of plain decimal text, or null when it is not plain (exponent, sign `+`, empty, NaN, over-long). */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > MAX_CHARACTERS) return null;
  // It has no sign, no leading zero and none at the end of its fraction.
  if (CANONICAL.test(text)) return text as Decimal;
  const match = PLAIN.exec(text);
  if (match === null) return null;
  const whole = (match[2] ?? "").replace(/^0+(?=[0-9])/, "");
  const fraction = trimTail(match[3] ?? "", "0");
  const magnitude = fraction === "" ? whole : `${whole}.${fraction}`;
  return (match[1] === "-" && magnitude !== "0" ? `-${magnitude}` : magnitude) as Decimal;
}

/** Like `parseDecimal`, for text that an earlier check has vouched for. Throws on anything else: a bug. */
export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text);
  if (parsed === null) throw new Error(`bug: not a plain decimal: ${text.slice(0, 40)}`);
  return parsed;
}

/** Texts that were read lately: limits, prices and sizes come again and again, and to read one takes longer than to look it up. */
const READ = new Map<Decimal, Exact>();
const MAX_READ = 4_096;

export function exact(value: Decimal): Exact {
  const known = READ.get(value);
  if (known !== undefined) return known;
  const read = readScaled(value);
  keepRead(value, read);
  return read;
}

function keepRead(value: Decimal, read: Exact): void {
  if (READ.size >= MAX_READ) READ.clear();
  READ.set(value, read);
}

function readScaled(value: Decimal): Exact {
  const point = value.indexOf(".");
  if (point === -1) return { units: BigInt(value), scale: 0 };
  return { units: BigInt(value.slice(0, point) + value.slice(point + 1)), scale: value.length - point - 1 };
}

/** The decimal that is `units` times 10^-`scale`. */
export function fromUnits(units: bigint, scale: number): Decimal {
  const negative = units < 0n;
  const digits = digitsOf(negative ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === DIGIT_ZERO) end -= 1;
  const whole = scale === 0 ? digits : digits.slice(0, point);
  const magnitude = end === point ? whole : `${whole}.${digits.slice(point, end)}`;
  return (negative && magnitude !== "0" ? `-${magnitude}` : magnitude) as Decimal;
}

const DIGIT_ZERO = 48;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Of a whole number that is not negative. The runtime writes out its own numbers three times as fast, and up to this one they are exact. */
function digitsOf(units: bigint): string {
  return units <= SAFE ? Number(units).toString() : units.toString();
}

/** The count of 10^-`scale` units in `value`, cut toward zero when it has more decimals than that. */
export function toUnits(value: Decimal, scale: number): bigint {
  const from = exact(value);
  if (from.scale <= scale) return from.units * 10n ** BigInt(scale - from.scale);
  return from.units / 10n ** BigInt(from.scale - scale);
}

function aligned(a: Decimal, b: Decimal): { left: bigint; right: bigint; scale: number } {
  const left = exact(a);
  const right = exact(b);
  const scale = Math.max(left.scale, right.scale);
  return { left: unitsAt(left, scale), right: unitsAt(right, scale), scale };
}

function unitsAt({ units, scale: from }: Exact, scale: number): bigint {
  return from === scale ? units : units * tenTo(scale - from);
}

/** Powers that are asked for again and again: a price or a size has no more decimals. */
const POWERS = Array.from({ length: 20 }, (_, exponent) => 10n ** BigInt(exponent));

function tenTo(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

/** Negative, zero or positive as `a` is below, equal to or above `b`. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  if (a === b) return 0;
  if (b === ZERO) return a.startsWith("-") ? -1 : 1;
  if (a === ZERO) return b.startsWith("-") ? 1 : -1;
  const { left, right } = aligned(a, b);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Negative, zero or positive as `a` times `b` is below, equal to or above `limit`; the product is not written out. */
export function compareProduct(a: Decimal, b: Decimal, limit: Decimal): -1 | 0 | 1 {
  return compareExact(times(exact(a), exact(b)), exact(limit));
}

export function compareExact(a: Exact, b: Exact): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const left = unitsAt(a, scale);
  const right = unitsAt(b, scale);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export function plus(a: Exact, b: Exact): Exact {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function times(a: Exact, b: Exact): Exact {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** Written out. */
export function textOf({ units, scale }: Exact): Decimal {
  return fromUnits(units, scale);
}

export function add(a: Decimal, b: Decimal): Decimal {
  if (a === ZERO || b === ZERO) return a === ZERO ? b : a;
  const { left, right, scale } = aligned(a, b);
  return fromUnits(left + right, scale);
}

/** `add`, for a running total: what it comes to is what the next amount is added to, and is not read from its text again. */
export function addTo(total: Decimal, amount: Decimal): Decimal {
  if (amount === ZERO) return total;
  const all = plus(exact(total), exact(amount));
  const text = textOf(all);
  keepRead(text, all);
  return text;
}

export function sum(amounts: readonly Decimal[]): Decimal {
  if (amounts.length < 2) return amounts[0] ?? ZERO;
  let all: Exact = { units: 0n, scale: 0 };
  for (const amount of amounts) all = plus(all, exact(amount));
  return textOf(all);
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  if (b === ZERO) return a;
  const { left, right, scale } = aligned(a, b);
  return fromUnits(left - right, scale);
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return textOf(times(exact(a), exact(b)));
}

/** a / b cut toward zero to `decimals` places. Throws on division by zero: a bug of the caller. */
export function divide(a: Decimal, b: Decimal, decimals: number): Decimal {
  const { left, right } = aligned(a, b);
  if (right === 0n) throw new Error("bug: division by zero");
  return fromUnits((left * 10n ** BigInt(decimals)) / right, decimals);
}

/** Cut toward zero to `decimals` places. */
export function truncate(value: Decimal, decimals: number): Decimal {
  return fromUnits(toUnits(value, decimals), decimals);
}

export function negate(value: Decimal): Decimal {
  if (value === "0") return value;
  return (value.startsWith("-") ? value.slice(1) : `-${value}`) as Decimal;
}

export function absolute(value: Decimal): Decimal {
  return (value.startsWith("-") ? value.slice(1) : value) as Decimal;
}

export function isZero(value: Decimal): boolean {
  return value === "0";
}

export function isNegative(value: Decimal): boolean {
  return value.startsWith("-");
}

export function smaller(a: Decimal, b: Decimal): Decimal {
  return compare(a, b) <= 0 ? a : b;
}

export function larger(a: Decimal, b: Decimal): Decimal {
  return compare(a, b) >= 0 ? a : b;
}

/** Digits after the point; trailing zeros were removed and do not count. */
export function decimalPlaces(value: Decimal): number {
  const point = value.indexOf(".");
  return point === -1 ? 0 : value.length - point - 1;
}

/** Significant figures as the exchange counts them: leading zeros do not count, nor trailing zeros of a whole number. */
export function significantFigures(value: Decimal): number {
  const digits = value.replace("-", "").replace(".", "").replace(/^0+/, "");
  return value.includes(".") ? digits.length : trimTail(digits, "0").length;
}
