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

/** The bytes of a value. Throws `bug:` on what the exchange's actions never hold: fractions, undefined, over-long. */
export function encodeMsgpack(value: MsgpackValue): Uint8Array {
  const bytes: number[] = [];
  write(bytes, value, 0);
  return Uint8Array.from(bytes);
}

function write(bytes: number[], value: MsgpackValue, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error("bug: msgpack value is nested too deep");
  if (value === null) bytes.push(0xc0);
  else if (typeof value === "boolean") bytes.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "string") writeText(bytes, value);
  else if (typeof value === "bigint") writeInteger(bytes, value);
  else if (typeof value === "number") writeInteger(bytes, exactInteger(value));
  else if (isArray(value)) {
    writeLength(bytes, value.length, 0x90, 0xdc);
    for (const item of value) write(bytes, item, depth + 1);
  } else if (typeof value === "object") {
    const entries = Object.entries(value);
    writeLength(bytes, entries.length, 0x80, 0xde);
    for (const [key, item] of entries) {
      writeText(bytes, key);
      write(bytes, item, depth + 1);
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

function writeInteger(bytes: number[], value: bigint): void {
  if (value > MAX_UNSIGNED_64 || value < MIN_SIGNED_64) throw new Error("bug: msgpack integer exceeds 64 bits");
  if (value >= 0n) {
    if (value < 0x80n) bytes.push(Number(value));
    else if (value <= 0xffn) writeBigEndian(bytes, 0xcc, value, 1);
    else if (value <= 0xffffn) writeBigEndian(bytes, 0xcd, value, 2);
    else if (value <= 0xffffffffn) writeBigEndian(bytes, 0xce, value, 4);
    else writeBigEndian(bytes, 0xcf, value, 8);
  } else if (value >= -32n) bytes.push(Number(value + 0x100n));
  else if (value >= -0x80n) writeBigEndian(bytes, 0xd0, value, 1);
  else if (value >= -0x8000n) writeBigEndian(bytes, 0xd1, value, 2);
  else if (value >= -0x80000000n) writeBigEndian(bytes, 0xd2, value, 4);
  else writeBigEndian(bytes, 0xd3, value, 8);
}

function writeBigEndian(bytes: number[], tag: number, value: bigint, byteCount: number): void {
  bytes.push(tag);
  const bits = BigInt.asUintN(byteCount * 8, value);
  for (let index = byteCount - 1; index >= 0; index -= 1) bytes.push(Number((bits >> BigInt(index * 8)) & 0xffn));
}

function writeText(bytes: number[], text: string): void {
  const encoded = UTF8.encode(text);
  if (encoded.length < 32) bytes.push(0xa0 | encoded.length);
  else if (encoded.length <= 0xff) bytes.push(0xd9, encoded.length);
  else if (encoded.length <= MAX_16_BIT) bytes.push(0xda, encoded.length >> 8, encoded.length & 0xff);
  else throw new Error("bug: msgpack text is too long");
  for (const byte of encoded) bytes.push(byte);
}

function writeLength(bytes: number[], length: number, fixedTag: number, tag16: number): void {
  if (length < 16) bytes.push(fixedTag | length);
  else if (length <= MAX_16_BIT) bytes.push(tag16, length >> 8, length & 0xff);
  else throw new Error("bug: msgpack array or map is too long");
}
