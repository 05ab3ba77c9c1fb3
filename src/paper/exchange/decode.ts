/**
 * Decoders with the strictness of the exchange's typed structs. Each yields its value in canonical form
 * (what the exchange hashes, whatever the client wrote) or `MISMATCH`, which the server answers with 422.
 */
import { trimTail } from "../../core/trim.ts";
import type { ExactJson } from "./json-text.ts";

export const MISMATCH = Symbol("mismatch");
export type Decoded<T> = T | typeof MISMATCH;
export type Decoder<T> = (json: ExactJson) => Decoded<T>;

/** A member of a struct: `dropped` members are left out of the canonical form when absent, `nulled` ones are written as null. */
export type Field<T> = { readonly decode: Decoder<T>; readonly whenAbsent: "refuse" | "drop" | "null" };
export type Fields = Readonly<Record<string, Field<unknown>>>;
type DroppedKeys<F extends Fields> = { [K in keyof F]: undefined extends ValueOf<F[K]> ? K : never }[keyof F];
type ValueOf<T> = T extends Field<infer V> ? V : never;
export type StructOf<F extends Fields> = { readonly [K in Exclude<keyof F, DroppedKeys<F>>]: ValueOf<F[K]> } & {
  readonly [K in DroppedKeys<F>]?: Exclude<ValueOf<F[K]>, undefined>;
};

const MAX_U64 = (1n << 64n) - 1n;
const MAX_U32 = (1n << 32n) - 1n;
const MAX_I64 = (1n << 63n) - 1n;
/** Longest decimal that is looked at, characters. */
const MAX_DECIMAL_CHARACTERS = 64;
/** Decimals that the exchange keeps; a ninth one may only be zero. */
const MAX_DECIMALS = 8;

export function required<T>(decode: Decoder<T>): Field<T> {
  return { decode, whenAbsent: "refuse" };
}

/** Absent, or null: not part of the canonical form. */
export function optional<T>(decode: Decoder<T>): Field<T | undefined> {
  return { decode: (json) => (json === null ? undefined : decode(json)), whenAbsent: "drop" };
}

/** Absent, or null: null in the canonical form. */
export function nullable<T>(decode: Decoder<T>): Field<T | null> {
  return { decode: (json) => (json === null ? null : decode(json)), whenAbsent: "null" };
}

/** A flag that is only ever `true` in the canonical form: a client that signed `false` recovers as somebody else. */
export function flag(): Field<true | undefined> {
  return {
    decode: (json) => (json === true ? true : json === false || json === null ? undefined : MISMATCH),
    whenAbsent: "drop",
  };
}

/** An object with these members, which come out in the order of `fields`. A known key that comes twice is refused always. */
export function struct<F extends Fields>(fields: F, unknownKeys: "refuse" | "ignore"): Decoder<StructOf<F>> {
  const names = Object.keys(fields);
  return (json) => {
    const members = membersOf(json);
    if (members === null) return MISMATCH;
    const found = new Map<string, ExactJson>();
    for (const [key, value] of members) {
      if (!names.includes(key)) {
        if (unknownKeys === "refuse") return MISMATCH;
        continue;
      }
      if (found.has(key)) return MISMATCH;
      found.set(key, value);
    }
    const values: Record<string, unknown> = {};
    for (const name of names) {
      const field = fields[name];
      if (field === undefined) continue;
      const decoded = decodeMember(field, found.get(name));
      if (decoded === MISMATCH) return MISMATCH;
      if (decoded !== undefined) values[name] = decoded;
    }
    // Every member was decoded by the field of its name, which is what StructOf says.
    return values as StructOf<F>;
  };
}

function membersOf(json: ExactJson): readonly (readonly [string, ExactJson])[] | null {
  if (json === null || typeof json !== "object" || !("kind" in json) || json.kind !== "object") return null;
  return json.entries;
}

function decodeMember(field: Field<unknown>, json: ExactJson | undefined): unknown {
  if (json !== undefined) return field.decode(json);
  if (field.whenAbsent === "refuse") return MISMATCH;
  return field.whenAbsent === "null" ? null : undefined;
}

/** The one value of key `name`; `undefined` when it is absent, comes twice, or the value is no object. */
export function memberOf(json: ExactJson, name: string): ExactJson | undefined {
  const values = (membersOf(json) ?? []).filter(([key]) => key === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}

export function text(json: ExactJson): Decoded<string> {
  return typeof json === "string" ? json : MISMATCH;
}

export function boolean(json: ExactJson): Decoded<boolean> {
  return typeof json === "boolean" ? json : MISMATCH;
}

export function u64(json: ExactJson): Decoded<bigint> {
  return typeof json === "bigint" && json >= 0n && json <= MAX_U64 ? json : MISMATCH;
}

export function u32(json: ExactJson): Decoded<number> {
  return typeof json === "bigint" && json >= 0n && json <= MAX_U32 ? Number(json) : MISMATCH;
}

export function i64(json: ExactJson): Decoded<bigint> {
  return typeof json === "bigint" && json >= -MAX_I64 - 1n && json <= MAX_I64 ? json : MISMATCH;
}

export function literal<T extends string>(...allowed: readonly T[]): Decoder<T> {
  return (json) => allowed.find((one) => one === json) ?? MISMATCH;
}

export function list<T>(decode: Decoder<T>): Decoder<readonly T[]> {
  return (json) => {
    if (!Array.isArray(json)) return MISMATCH;
    const values: T[] = [];
    for (const item of json) {
      const value = decode(item);
      if (value === MISMATCH) return MISMATCH;
      values.push(value);
    }
    return values;
  };
}

/** An object with exactly one member, whose key says which it is. */
export function variant<A, B>(first: Decoder<A>, second: Decoder<B>): Decoder<A | B> {
  return (json) => {
    if (membersOf(json)?.length !== 1) return MISMATCH;
    const decoded = first(json);
    return decoded === MISMATCH ? second(json) : decoded;
  };
}

export function either<A, B>(first: Decoder<A>, second: Decoder<B>): Decoder<A | B> {
  return (json) => {
    const decoded = first(json);
    return decoded === MISMATCH ? second(json) : decoded;
  };
}

/** An unsigned decimal string without trailing zeros: plain notation, the ninth decimal and later ones zero. */
export function decimalText(json: ExactJson): Decoded<string> {
  if (typeof json !== "string" || json.length > MAX_DECIMAL_CHARACTERS) return MISMATCH;
  const parts = /^([0-9]*)(?:\.([0-9]*))?$/.exec(json);
  if (parts === null || !/[0-9]/.test(json)) return MISMATCH;
  const whole = (parts[1] ?? "").replace(/^0+/, "");
  const fraction = trimTail(parts[2] ?? "", "0");
  if (fraction.length > MAX_DECIMALS) return MISMATCH;
  return fraction === "" ? whole || "0" : `${whole || "0"}.${fraction}`;
}

function lowerHex(digits: number): Decoder<string> {
  const pattern = new RegExp(`^(?:0x)?([0-9a-fA-F]{${digits}})$`);
  return (json) => {
    const found = typeof json === "string" ? pattern.exec(json)?.[1] : undefined;
    return found === undefined ? MISMATCH : `0x${found.toLowerCase()}`;
  };
}

/** Any case, with or without `0x`; canonical is lower case with it. */
export const address: Decoder<string> = lowerHex(40);
/** 128 bits, any case, with or without `0x`; canonical is lower case with it. */
export const cloid: Decoder<string> = lowerHex(32);

/** Half of a signature: up to 32 bytes of hex, possibly without its leading zeros. */
export function signatureWord(json: ExactJson): Decoded<string> {
  return typeof json === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(json) ? json : MISMATCH;
}
