import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { addressBytes, fromHex } from "./hex.ts";

/** EIP-712 for flat structs: all that grants, approvals and the exchange's own messages need. */
export type TypedField = { name: string; type: "string" | "address" | "bytes32" | "uint64" | "uint256" };

export type TypedDomain = { name: string; version: string; chainId?: number; verifyingContract?: string };

export type TypedData = {
  domain: TypedDomain;
  types: { readonly [primaryType: string]: readonly TypedField[] };
  primaryType: string;
  message: { readonly [field: string]: string | number | bigint };
};

const DOMAIN_FIELDS: readonly TypedField[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** The 32 bytes that a wallet signs for this typed data. */
export function typedDataDigest(data: TypedData): Uint8Array {
  const fields = data.types[data.primaryType];
  if (fields === undefined) throw new Error(`bug: typed data without its type ${data.primaryType}`);
  return signedDigest(domainSeparator(data.domain), structHash(data.primaryType, fields, data.message));
}

/** Absent members of a domain are left out of its type, as EIP-712 asks. */
export function domainSeparator(domain: TypedDomain): Uint8Array {
  const members = new Map<string, string | number>(Object.entries(domain));
  const fields = DOMAIN_FIELDS.filter(({ name }) => members.has(name));
  return structHash("EIP712Domain", fields, Object.fromEntries(members));
}

function structHash(primaryType: string, fields: readonly TypedField[], message: TypedData["message"]): Uint8Array {
  const type = `${primaryType}(${fields.map((field) => `${field.type} ${field.name}`).join(",")})`;
  return keccak_256(
    concatBytes(keccak_256(utf8ToBytes(type)), ...fields.map((field) => word(field, message[field.name]))),
  );
}

export function signedDigest(separator: Uint8Array, struct: Uint8Array): Uint8Array {
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), separator, struct));
}

function word({ name, type }: TypedField, value: string | number | bigint | undefined): Uint8Array {
  if (value === undefined) throw new Error(`bug: typed data without ${name}`);
  switch (type) {
    case "string":
      return keccak_256(utf8ToBytes(String(value)));
    case "address":
      return leftPadded(addressBytes(String(value)));
    case "bytes32": {
      const bytes = fromHex(String(value));
      if (bytes?.length !== 32) throw new Error(`bug: ${name} is not 32 bytes`);
      return bytes;
    }
    case "uint64":
      return unsigned(name, BigInt(value), 64n);
    case "uint256":
      return unsigned(name, BigInt(value), 256n);
  }
}

function unsigned(name: string, value: bigint, bits: bigint): Uint8Array {
  // A negative number keeps its sign however far it is shifted.
  if (value >> bits !== 0n) throw new Error(`bug: ${name} does not fit ${bits} unsigned bits`);
  const bytes = fromHex(`0x${value.toString(16).padStart(64, "0")}`);
  if (bytes === null) throw new Error("bug: hex of a number");
  return bytes;
}

function leftPadded(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(32);
  padded.set(bytes, 32 - bytes.length);
  return padded;
}
