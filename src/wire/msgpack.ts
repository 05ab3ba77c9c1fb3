/**
 * The part of MessagePack that the exchange hashes: nil, booleans, integers in their smallest form, strings,
 * arrays and maps in insertion order. Our own, because JavaScript packages write integers of 2^32 and more as
 * floats, and native order ids are larger than that: the exchange would recover another signer.
 */

export type MsgpackValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly MsgpackValue[]
  | { readonly [key: string]: MsgpackValue };

/** Largest nesting of arrays and maps; an action has five levels. */
const MAX_DEPTH = 16;
const MAX_16_BIT = 0xffff;
const MAX_UNSIGNED_64 = 2n ** 64n - 1n;
const MIN_SIGNED_64 = -(2n ** 63n);

const UTF8 = new TextEncoder();

/** What an order takes, and to spare; most actions never need more. */
const FIRST_BYTES = 512;

/** Where the bytes go: one piece of memory, that grows by doubling. An array of numbers, and bytes for each text, are four times the garbage. */
type Sink = { bytes: Uint8Array; length: number };

/** The bytes of a value. Throws `bug:` on what the exchange's actions never hold: fractions, undefined, over-long. */
export function encodeMsgpack(value: MsgpackValue): Uint8Array {
  const sink: Sink = { bytes: new Uint8Array(FIRST_BYTES), length: 0 };
  write(sink, value, 0);
  return sink.bytes.subarray(0, sink.length);
}

/** Makes room for `count` bytes and returns where they begin. */
function reserve(sink: Sink, count: number): number {
  const start = sink.length;
  sink.length += count;
  if (sink.length > sink.bytes.length) {
    const larger = new Uint8Array(Math.max(sink.length, 2 * sink.bytes.length));
    larger.set(sink.bytes);
    sink.bytes = larger;
  }
  return start;
}

function push(sink: Sink, byte: number): void {
  const at = reserve(sink, 1);
  sink.bytes[at] = byte;
}

function write(sink: Sink, value: MsgpackValue, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error("bug: msgpack value is nested too deep");
  if (value === null) push(sink, 0xc0);
  else if (typeof value === "boolean") push(sink, value ? 0xc3 : 0xc2);
  else if (typeof value === "string") writeText(sink, value);
  else if (typeof value === "bigint") writeInteger(sink, value);
  else if (typeof value === "number") writeInteger(sink, exactInteger(value));
  else if (isArray(value)) {
    writeLength(sink, value.length, 0x90, 0xdc);
    for (const item of value) write(sink, item, depth + 1);
  } else if (typeof value === "object") {
    const names = Object.keys(value);
    writeLength(sink, names.length, 0x80, 0xde);
    for (const name of names) {
      writeText(sink, name);
      // A member that is there; `undefined` is refused as such.
      write(sink, value[name] as MsgpackValue, depth + 1);
    }
  } else throw new Error(`bug: no msgpack for ${typeof value}`);
}

/** `Array.isArray` narrows a readonly array to `any[]`. */
function isArray(value: MsgpackValue): value is readonly MsgpackValue[] {
  return Array.isArray(value);
}

function exactInteger(value: number): bigint {
  if (!Number.isSafeInteger(value)) throw new Error("bug: msgpack number is not a safe integer");
  return BigInt(value);
}

function writeInteger(sink: Sink, value: bigint): void {
  if (value > MAX_UNSIGNED_64 || value < MIN_SIGNED_64) throw new Error("bug: msgpack integer exceeds 64 bits");
  if (value >= 0n) {
    if (value < 0x80n) push(sink, Number(value));
    else if (value <= 0xffn) writeBigEndian(sink, 0xcc, value, 1);
    else if (value <= 0xffffn) writeBigEndian(sink, 0xcd, value, 2);
    else if (value <= 0xffffffffn) writeBigEndian(sink, 0xce, value, 4);
    else writeBigEndian(sink, 0xcf, value, 8);
  } else if (value >= -32n) push(sink, Number(value + 0x100n));
  else if (value >= -0x80n) writeBigEndian(sink, 0xd0, value, 1);
  else if (value >= -0x8000n) writeBigEndian(sink, 0xd1, value, 2);
  else if (value >= -0x80000000n) writeBigEndian(sink, 0xd2, value, 4);
  else writeBigEndian(sink, 0xd3, value, 8);
}

function writeBigEndian(sink: Sink, tag: number, value: bigint, byteCount: number): void {
  push(sink, tag);
  const bits = BigInt.asUintN(byteCount * 8, value);
  for (let index = byteCount - 1; index >= 0; index -= 1) push(sink, Number((bits >> BigInt(index * 8)) & 0xffn));
}

function writeText(sink: Sink, text: string): void {
  const encoded = isAscii(text) ? null : UTF8.encode(text);
  const length = encoded === null ? text.length : encoded.length;
  if (length < 32) push(sink, 0xa0 | length);
  else if (length <= 0xff) pushAll(sink, 0xd9, length);
  else if (length <= MAX_16_BIT) pushAll(sink, 0xda, length >> 8, length & 0xff);
  else throw new Error("bug: msgpack text is too long");
  const start = reserve(sink, length);
  if (encoded !== null) sink.bytes.set(encoded, start);
  else for (let index = 0; index < length; index += 1) sink.bytes[start + index] = text.charCodeAt(index);
}

/** All that an action holds is; its bytes are its characters. */
function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

function pushAll(sink: Sink, ...bytes: readonly number[]): void {
  for (const byte of bytes) push(sink, byte);
}

function writeLength(sink: Sink, length: number, fixedTag: number, tag16: number): void {
  if (length < 16) push(sink, fixedTag | length);
  else if (length <= MAX_16_BIT) pushAll(sink, tag16, length >> 8, length & 0xff);
  else throw new Error("bug: msgpack array or map is too long");
}
