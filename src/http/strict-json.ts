/**
 * JSON as this gateway takes it: what two readers could understand differently is refused. Grammar is JSON.parse's;
 * on top of it, one member a name, a few levels, whole strings, and numbers that are exactly what is written.
 */
import { trimTail } from "../core/trim.ts";

/** A body has three levels. */
const MAX_DEPTH = 8;
/** Members and entries of all lists, which is what a parser's work goes by; of the longest body, a full batch with triggers, there are 432. */
export const MAX_VALUES = 512;

const HALF_A_CHARACTER = "a string holds half of a surrogate pair";

/** Names that reach behind an object in careless code. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export type ParsedJson = { kind: "value"; value: unknown } | { kind: "fault"; reason: string };

/** The value of a body, or in words why it is refused. Never throws, never recurses deeper than the limit. */
export function parseStrictJson(bytes: Uint8Array): ParsedJson {
  const text = decode(bytes);
  if (text === null) return fault("it is not valid UTF-8");
  if (text.startsWith("\uFEFF")) return fault("it starts with a byte order mark");
  const { depth, values, members, hasDigits } = outlineOf(bytes);
  if (depth > MAX_DEPTH) return fault(`it nests deeper than ${MAX_DEPTH} levels`);
  if (values > MAX_VALUES) return fault(`it holds more than ${MAX_VALUES} values`);
  const value = parse(text, hasDigits);
  if (value === undefined) return fault("it cannot be parsed");
  const kept = { members: 0 };
  const reason = contentFault(value, kept);
  if (reason !== null) return fault(reason);
  // Of members of one name only the last is in the value.
  return kept.members === members ? { kind: "value", value } : fault("a member name comes twice in one object");
}

function fault(reason: string): ParsedJson {
  return { kind: "fault", reason };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

type Outline = {
  depth: number;
  /** Brackets that open something, and commas between strings: no fewer than there are values inside others. */
  values: number;
  /** Colons between strings: one a member, where the text is valid. */
  members: number;
  /** Between strings; without any there is no number. */
  hasDigits: boolean;
};

const [QUOTE, BACKSLASH, COLON, COMMA, ZERO, NINE] = [0x22, 0x5c, 0x3a, 0x2c, 0x30, 0x39];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * What can be told of a body before it is parsed, so that no parser meets ten thousand brackets. Linear, valid JSON or
 * not. All marks are ASCII, and no byte of a longer character of UTF-8 is.
 */
function outlineOf(bytes: Uint8Array): Outline {
  const outline = { depth: 0, values: 0, members: 0, hasDigits: false };
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COLON) outline.members += 1;
    else if (byte === COMMA) outline.values += 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      outline.values += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    else if (byte >= ZERO && byte <= NINE) outline.hasDigits = true;
    if (depth > outline.depth) outline.depth = depth;
  }
  return outline;
}

/** Where the string ends that begins there: at its second quote, or with the body. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function parse(text: string, hasNumbers: boolean): unknown {
  try {
    return hasNumbers ? JSON.parse(text, exactNumbers) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** NaN, which no schema takes, for a number that is not what its text says. */
function exactNumbers(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number") return value;
  return Number.isInteger(value) ? exactInteger(context?.source ?? "") : value;
}

const NUMBER = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The integer that a JSON number spells (`5`, `5.0`, `50e-1`), or NaN when it is none or a double cannot hold it. */
export function exactInteger(source: string): number {
  const match = NUMBER.exec(source);
  if (match === null) return Number.NaN;
  const fraction = match[2] ?? "";
  const digits = `${match[1] ?? ""}${fraction}`.replace(/^0+/, "");
  if (digits === "") return 0;
  const exponent = Number(match[3] ?? "0") - fraction.length;
  const significant = trimTail(digits, "0");
  const zeros = exponent + digits.length - significant.length;
  const value = Number(source);
  return zeros < 0 || !Number.isSafeInteger(value) ? Number.NaN : value;
}

/** Forbidden names, and strings with half a character; counts the members. */
function contentFault(value: unknown, kept: { members: number }): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : HALF_A_CHARACTER;
  if (typeof value !== "object" || value === null) return null;
  const isList = Array.isArray(value);
  for (const [name, part] of Object.entries(value)) {
    if (!isList) {
      kept.members += 1;
      if (!name.isWellFormed()) return HALF_A_CHARACTER;
      if (FORBIDDEN_NAMES.has(name)) return `the member name ${name} is not allowed`;
    }
    const reason = contentFault(part, kept);
    if (reason !== null) return reason;
  }
  return null;
}
