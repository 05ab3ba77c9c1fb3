/**
 * JSON whose integers survive. `JSON.parse` rounds 9007199254740993; native ids are 64-bit, so integers outside
 * the safe range become bigint here and bigint is written back as a JSON integer.
 */

/** Where an integer outside the safe range may begin; not inside an id of digits. Most texts take the short way. */
const LONG_DIGITS = /(?:^|[\s:,[-])[0-9]{16}/;
/** Ids have 64 bits, 20 digits; what is longer by far is none, and costs more than its length to read. */
const INTEGER = /^-?[0-9]{1,40}$/;

/** The value of a JSON text, with unsafe integers as bigint; undefined when it is not JSON. Never throws. */
export function parseJson(text: string): unknown {
  try {
    if (!LONG_DIGITS.test(text)) return JSON.parse(text);
    // The third argument of a reviver is newer than the type of JSON.parse in TypeScript's library.
    return JSON.parse(text, keepInteger as (key: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}

function keepInteger(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return context.source !== undefined && INTEGER.test(context.source) ? BigInt(context.source) : value;
}

/** Decimal digits as a JSON integer: a number where that is exact. */
export function jsonInteger(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

export type Writable =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Writable[]
  | { readonly [key: string]: Writable };

/** JSON text in the order of the keys, without spaces; bigint becomes an integer. */
export function writeJson(value: Writable): string {
  try {
    return JSON.stringify(value);
  } catch {
    // The runtime's own writer is faster by far, and throws on a bigint.
    return writeWithIntegers(value);
  }
}

function writeWithIntegers(value: Writable): string {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(writeWithIntegers).join(",")}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${writeWithIntegers(member)}`);
  return `{${members.join(",")}}`;
}

/** `Array.isArray` narrows a readonly array to `any[]`. */
function isArray(value: Writable): value is readonly Writable[] {
  return Array.isArray(value);
}
