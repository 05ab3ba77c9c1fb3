import { type Decimal, parseDecimal } from "../../core/decimal.ts";

/**
 * Reading members out of untrusted JSON. The readers throw at the first member that is missing or of another shape;
 * `orNull` is the only way in, so no parser of this folder lets an exception out. Members that nobody asks for are
 * never looked at: the exchange adds new ones without notice.
 */

export type Source = { readonly [key: string]: unknown };

/** Longest list that is read; the exchange's own caps are 2,000 records, 5,000 open orders and some hundred markets. */
const MAX_ROWS = 20_000;

/** What `read` makes of the value, or null when the value has another shape. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function refuse(what: string): never {
  throw new Error(`unreadable: ${what}`);
}

export function sourceOf(value: unknown): Source {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse("object");
  // Checked above: an object that is neither null nor an array has string keys with unknown values.
  return value as Source;
}

export function source(from: Source, key: string): Source {
  return sourceOf(own(from, key));
}

export function sourceOrNull(from: Source, key: string): Source | null {
  const value = own(from, key);
  return value === undefined || value === null ? null : sourceOf(value);
}

/** One row that cannot be read makes the list unreadable: a list with a hole would prove what it does not show. */
export function rowsOf<T>(value: unknown, row: (value: unknown) => T): T[] {
  if (!Array.isArray(value) || value.length > MAX_ROWS) refuse("list");
  return value.map((item: unknown) => row(item));
}

export function rows<T>(from: Source, key: string, row: (value: unknown) => T): T[] {
  return rowsOf(own(from, key), row);
}

export function text(from: Source, key: string): string {
  const value = own(from, key);
  return typeof value === "string" ? value : refuse(key);
}

export function textOrNull(from: Source, key: string): string | null {
  const value = own(from, key);
  return value === undefined || value === null ? null : text(from, key);
}

export function oneOf<const T extends string>(from: Source, key: string, allowed: readonly T[]): T {
  const value = own(from, key);
  return allowed.find((candidate) => candidate === value) ?? refuse(key);
}

/** Absent is false. */
export function flag(from: Source, key: string): boolean {
  const value = own(from, key);
  if (value === undefined || value === null) return false;
  return typeof value === "boolean" ? value : refuse(key);
}

/** Money, price or size; `25.0` becomes `25`. */
export function money(from: Source, key: string): Decimal {
  return moneyOf(own(from, key));
}

export function moneyOf(value: unknown): Decimal {
  // The exchange writes them as texts; a plain JSON number says the same.
  const written = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  return (typeof written === "string" ? parseDecimal(written) : null) ?? refuse("decimal");
}

export function moneyOrNull(from: Source, key: string): Decimal | null {
  const value = own(from, key);
  return value === undefined || value === null ? null : moneyOf(value);
}

export function integer(from: Source, key: string): number {
  return integerOf(own(from, key));
}

export function integerOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : refuse("integer");
}

/** Seconds, and microseconds, of this century: no time in milliseconds of any year that the exchange has seen. */
const SECONDS = { from: 1e9, to: 1e11 };
const MICROSECONDS_FROM = 1e14;

/** Unix milliseconds. What can only be another unit is refused: taken for milliseconds, it would be older or newer than everything. */
export function timeMs(from: Source, key: string): number {
  const value = integer(from, key);
  const isOtherUnit = (value >= SECONDS.from && value < SECONDS.to) || value >= MICROSECONDS_FROM;
  return isOtherUnit ? refuse(`${key} in milliseconds`) : value;
}

/** Unix seconds; what can only be milliseconds, or finer, is refused. */
export function timeS(from: Source, key: string): number {
  const value = integer(from, key);
  return value >= SECONDS.to ? refuse(`${key} in seconds`) : value;
}

/** Unix milliseconds. */
export function timeMsOrNull(from: Source, key: string): number | null {
  const value = own(from, key);
  return value === undefined || value === null ? null : timeMs(from, key);
}

export function integerOrNull(from: Source, key: string): number | null {
  const value = own(from, key);
  return value === undefined || value === null ? null : integerOf(value);
}

/** Native id as decimal digits. A number that JSON.parse has rounded is refused, never passed on. */
export function nativeId(from: Source, key: string): string {
  return nativeIdOf(own(from, key));
}

export function nativeIdOf(value: unknown): string {
  if (typeof value === "bigint" && value >= 0n) return value.toString();
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value.toString() : refuse("id");
}

/** Native id of something that the exchange has numbered: it counts from 1, and what would be 0 was never filled in. */
export function givenId(from: Source, key: string): string {
  const id = nativeId(from, key);
  return id === "0" ? refuse("id") : id;
}

export function nativeIdOrNull(from: Source, key: string): string | null {
  const value = own(from, key);
  return value === undefined || value === null ? null : nativeIdOf(value);
}

function own(from: Source, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
