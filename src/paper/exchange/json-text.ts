/**
 * JSON read as the exchange reads it. `JSON.parse` cannot be used: it rounds integers above 2^53 (order ids
 * may get there), forgets a duplicate key (refused by the exchange) and refuses garbage after the first
 * value (ignored by the exchange).
 */

/** A number with a fraction or an exponent: never valid where the exchange wants a number, so only its text is kept. */
export type JsonFloat = { readonly kind: "float"; readonly text: string };
/** Keys in the order of the text, duplicates included. */
export type ExactJsonObject = { readonly kind: "object"; readonly entries: readonly (readonly [string, ExactJson])[] };
export type ExactJson = null | boolean | string | bigint | JsonFloat | ExactJsonObject | readonly ExactJson[];

/** Nesting at which the exchange's parser gives up. */
const MAX_DEPTH = 127;

/** Longer integers are kept as they are written, like what has a fraction: no number here has more than 64 bits. */
const MAX_INTEGER_CHARACTERS = 40;

const WHITESPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
/** Everything but control characters up to the closing quote; escapes are checked when they are resolved. */
const STRING = /"((?:[ !#-[\]-\uffff]|\\.)*)"/y;
const ESCAPE = /\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4})|(.))/gs;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

type Cursor = { readonly text: string; at: number };

class SyntaxFault extends Error {}

/** The first JSON value of the text, or `undefined` when the text is no JSON. What follows the value is not looked at. */
export function parseJsonText(text: string): ExactJson | undefined {
  try {
    return readValue({ text, at: 0 }, 0);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return undefined;
    throw fault;
  }
}

function readValue(cursor: Cursor, depth: number): ExactJson {
  if (depth > MAX_DEPTH) throw new SyntaxFault();
  skipWhitespace(cursor);
  const first = cursor.text[cursor.at];
  if (first === "{") return readObject(cursor, depth);
  if (first === "[") return readArray(cursor, depth);
  if (first === '"') return readString(cursor);
  if (first === "t") return readWord(cursor, "true", true);
  if (first === "f") return readWord(cursor, "false", false);
  if (first === "n") return readWord(cursor, "null", null);
  return readNumber(cursor);
}

function readObject(cursor: Cursor, depth: number): ExactJsonObject {
  const entries: (readonly [string, ExactJson])[] = [];
  cursor.at += 1;
  skipWhitespace(cursor);
  if (take(cursor, "}")) return { kind: "object", entries };
  // Ends at the end of the text at the latest: every turn consumes at least a key.
  while (true) {
    skipWhitespace(cursor);
    const key = readString(cursor);
    skipWhitespace(cursor);
    if (!take(cursor, ":")) throw new SyntaxFault();
    entries.push([key, readValue(cursor, depth + 1)]);
    skipWhitespace(cursor);
    if (take(cursor, "}")) return { kind: "object", entries };
    if (!take(cursor, ",")) throw new SyntaxFault();
  }
}

function readArray(cursor: Cursor, depth: number): readonly ExactJson[] {
  const items: ExactJson[] = [];
  cursor.at += 1;
  skipWhitespace(cursor);
  if (take(cursor, "]")) return items;
  // Ends at the end of the text at the latest: every turn consumes at least a value.
  while (true) {
    items.push(readValue(cursor, depth + 1));
    skipWhitespace(cursor);
    if (take(cursor, "]")) return items;
    if (!take(cursor, ",")) throw new SyntaxFault();
  }
}

function readString(cursor: Cursor): string {
  const raw = match(cursor, STRING)?.[1];
  if (raw === undefined) throw new SyntaxFault();
  if (!raw.includes("\\")) return raw;
  const resolved = raw.replace(ESCAPE, (_whole, simple?: string, code?: string) => {
    if (simple !== undefined) return SIMPLE_ESCAPES[simple] ?? simple;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    throw new SyntaxFault();
  });
  if (LONE_SURROGATE.test(resolved)) throw new SyntaxFault();
  return resolved;
}

function readNumber(cursor: Cursor): bigint | JsonFloat {
  const found = match(cursor, NUMBER);
  // A number that goes on in a way that no number does, such as 01 or 1. with nothing behind the point.
  if (found === null || /[0-9.eE]/.test(cursor.text[cursor.at] ?? "")) throw new SyntaxFault();
  const text = found[0];
  const isInteger = found[1] === undefined && found[2] === undefined && text.length <= MAX_INTEGER_CHARACTERS;
  return isInteger ? BigInt(text) : { kind: "float", text };
}

function readWord<T>(cursor: Cursor, word: string, value: T): T {
  if (!cursor.text.startsWith(word, cursor.at)) throw new SyntaxFault();
  cursor.at += word.length;
  return value;
}

function skipWhitespace(cursor: Cursor): void {
  match(cursor, WHITESPACE);
}

function take(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

function match(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text);
  if (found !== null) cursor.at = pattern.lastIndex;
  return found;
}

/** JSON text of a value whose bigints are written as JSON integers, which `JSON.stringify` refuses to do. */
export function jsonText(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item === undefined ? null : item)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${jsonText(member)}`);
  }
  return `{${members.join(",")}}`;
}
