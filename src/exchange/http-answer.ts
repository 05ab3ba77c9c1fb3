/** Bytes of an HTTP/1 answer into its status and body. Anything that could be read in two ways is not read at all. */
import { trimTail } from "../core/trim.ts";

export type AnswerReading =
  /** Nothing more can be said before there are so many bytes. */
  | { kind: "incomplete"; atLeast: number }
  | { kind: "unreadable"; reason: string }
  /** `isLast`: the connection ends here, by the answer's own words or because something stands behind it. */
  | { kind: "whole"; httpStatus: number; body: Uint8Array; isLast: boolean };

/** Of the status line and all headers, without the empty line after them. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** 1xx answers before the one that counts. */
const MAX_INTERIM = 8;
const MAX_CHUNKS = 1_024;
/** Of the line before a chunk: its length and extensions, which are passed over. */
const MAX_CHUNK_LINE_BYTES = 256;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** RFC 9112, 5: no space before the colon, no folded lines. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,7})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;
const LENGTH = /^[0-9]{1,15}$/;

const MALFORMED: AnswerReading = { kind: "unreadable", reason: "malformed answer" };

/** Fields that say where the body ends and how it is written: the others have to be well-formed, and say nothing to us. */
const KEPT: ReadonlySet<string> = new Set(["connection", "content-encoding", "content-length", "transfer-encoding"]);

type Head = {
  httpStatus: number;
  minor: string;
  /** Values of those that are kept by lower-case name, in the order in which they came. */
  fields: ReadonlyMap<string, readonly string[]>;
};

/** An answer that says no length is not read: its end could not be told from a cut. */
export function readAnswer(bytes: Buffer): AnswerReading {
  let start = 0;
  for (let nth = 0; nth <= MAX_INTERIM; nth += 1) {
    const end = bytes.indexOf("\r\n\r\n", start, "latin1");
    if (end === -1) {
      // Up to three of the four bytes that end a head may be there.
      return bytes.length - start > MAX_HEAD_BYTES + 3 ? MALFORMED : incomplete(bytes.length + 1);
    }
    const head = end - start > MAX_HEAD_BYTES ? null : readHead(bytes.toString("latin1", start, end));
    // Nobody has asked to switch protocols.
    if (head === null || head.httpStatus === 101) return MALFORMED;
    start = end + 4;
    if (head.httpStatus >= 200) return readBodyOf(head, bytes, start);
  }
  return MALFORMED;
}

function readHead(text: string): Head | null {
  const [first = "", ...lines] = text.split("\r\n");
  const [, minor, status] = STATUS_LINE.exec(first) ?? [];
  if (minor === undefined || status === undefined) return null;
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    const key = name.toLowerCase();
    if (!KEPT.has(key)) continue;
    const known = fields.get(key);
    const text = trimBlanks(value);
    if (known === undefined) fields.set(key, [text]);
    else known.push(text);
  }
  return { httpStatus: Number(status), minor, fields };
}

/** `trim()` would take more for white space than HTTP does. */
function trimBlanks(text: string): string {
  return trimTail(text.replace(/^[ \t]+/, ""), " \t");
}

function readBodyOf({ httpStatus, minor, fields }: Head, bytes: Buffer, start: number): AnswerReading {
  const coding = fields.get("content-encoding") ?? [];
  // None was asked for.
  if (coding.some((value) => value.toLowerCase() !== "identity")) return { kind: "unreadable", reason: "coded answer" };
  const words = (fields.get("connection") ?? []).flatMap((value) => value.toLowerCase().split(",").map(trimBlanks));
  const isLast = minor === "0" || words.includes("close");
  const lengths = fields.get("content-length") ?? [];
  const transfer = fields.get("transfer-encoding") ?? [];
  const body = (from: Uint8Array, end: number): AnswerReading => ({
    kind: "whole",
    httpStatus,
    body: from,
    isLast: isLast || end !== bytes.length,
  });
  if (transfer.length > 0) {
    const isChunked = transfer.length === 1 && transfer[0]?.toLowerCase() === "chunked";
    if (!isChunked || lengths.length > 0 || minor === "0") return MALFORMED;
    return readChunks(bytes, start, body);
  }
  const [length] = lengths;
  if (lengths.length > 1 || (length !== undefined && !LENGTH.test(length))) return MALFORMED;
  // Not every server heeds that these have no body, whatever length they say.
  if (httpStatus === 204 || httpStatus === 304) {
    return { kind: "whole", httpStatus, body: new Uint8Array(), isLast: true };
  }
  if (length === undefined) return { kind: "unreadable", reason: "answer without a length" };
  const end = start + Number(length);
  return bytes.length < end ? incomplete(end) : body(bytes.subarray(start, end), end);
}

/** Trailers are refused: nobody has asked for any. */
function readChunks(
  bytes: Buffer,
  start: number,
  whole: (body: Uint8Array, end: number) => AnswerReading,
): AnswerReading {
  const chunks: Uint8Array[] = [];
  let at = start;
  for (let nth = 0; nth < MAX_CHUNKS; nth += 1) {
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    if (lineEnd === -1) return bytes.length - at > MAX_CHUNK_LINE_BYTES + 1 ? MALFORMED : incomplete(bytes.length + 1);
    const [, size] =
      lineEnd - at > MAX_CHUNK_LINE_BYTES ? [] : (CHUNK_LINE.exec(bytes.toString("latin1", at, lineEnd)) ?? []);
    if (size === undefined) return MALFORMED;
    const from = lineEnd + 2;
    const to = from + Number.parseInt(size, 16);
    at = to + 2;
    if (bytes.length < at) return incomplete(at);
    if (bytes.toString("latin1", to, at) !== "\r\n") return MALFORMED;
    if (to === from) return whole(Buffer.concat(chunks), at);
    chunks.push(bytes.subarray(from, to));
  }
  return MALFORMED;
}

function incomplete(atLeast: number): AnswerReading {
  return { kind: "incomplete", atLeast };
}
