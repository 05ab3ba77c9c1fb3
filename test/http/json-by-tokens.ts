/**
 * The same language as `src/http/strict-json` takes, read token by token as it was at first: slow, and of another make.
 */
import { exactInteger, type ParsedJson } from "../../src/http/strict-json.ts";

/** A body has three levels. */
const MAX_DEPTH = 8;

/** Names that reach behind an object in careless code. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** The value of a body, or in words why it is refused. Never throws, never recurses deeper than the limit. */
export function parseByTokens(bytes: Uint8Array): ParsedJson {
  const text = decode(bytes);
  if (text === null) return fault("it is not valid UTF-8");
  if (text.startsWith("\uFEFF")) return fault("it starts with a byte order mark");
  const deep = depthFault(text);
  if (deep !== null) return fault(deep);
  const value = parse(text);
  if (value === undefined) return fault("it cannot be parsed");
  const reason = nameFault(text);
  return reason === null ? { kind: "value", value } : fault(reason);
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

const MARKS = "{}[],:";

/** Strings with their quotes, and the marks between them. Linear in the text, valid JSON or not. */
function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (MARKS.includes(character)) yield character;
    if (character !== '"') continue;
    const start = at;
    at += 1;
    while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
    yield text.slice(start, at + 1);
  }
}

/** Asked before parsing, so that no parser meets ten thousand brackets. */
function depthFault(text: string): string | null {
  let depth = 0;
  for (const token of tokensOf(text)) {
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth > MAX_DEPTH) return `it nests deeper than ${MAX_DEPTH} levels`;
  }
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, exactNumbers);
  } catch {
    return undefined;
  }
}

/** NaN, which no schema takes, for a number that is not what its text says. */
function exactNumbers(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number") return value;
  return Number.isInteger(value) ? exactInteger(context?.source ?? "") : value;
}

type Frame = { names: Set<string> | null; isName: boolean };

/** Names that come twice in one object or are forbidden, and strings with half a character. The text is valid JSON. */
function nameFault(text: string): string | null {
  const frames: Frame[] = [];
  for (const token of tokensOf(text)) {
    const frame = frames.at(-1);
    if (token === "{") frames.push({ names: new Set(), isName: true });
    else if (token === "[") frames.push({ names: null, isName: false });
    else if (token === "}" || token === "]") frames.pop();
    else if (token === "," && frame !== undefined) frame.isName = frame.names !== null;
    else if (token.startsWith('"')) {
      const reason = stringFault(token, frame?.isName === true ? frame.names : null);
      if (reason !== null) return reason;
      if (frame !== undefined) frame.isName = false;
    }
  }
  return null;
}

function stringFault(token: string, names: Set<string> | null): string | null {
  const parsed: unknown = JSON.parse(token);
  const content = String(parsed);
  if (!content.isWellFormed()) return "a string holds half of a surrogate pair";
  if (names === null) return null;
  if (FORBIDDEN_NAMES.has(content)) return `the member name ${content} is not allowed`;
  if (names.has(content)) return "a member name comes twice in one object";
  names.add(content);
  return null;
}
