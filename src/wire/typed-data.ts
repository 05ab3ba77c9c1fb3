/** What is signed of typed data: EIP-712 by viem. Only what an order waits for is put together here. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { hashStruct, hashTypedData } from "viem/utils";
import { fromHex } from "./hex.ts";
import { domainFields, type TypedData, type TypedDomain } from "./wallet-form.ts";

/** The 32 bytes that a wallet signs for this typed data. */
export function typedDataDigest({ domain, types, primaryType, message }: TypedData): Uint8Array {
  // viem infers types from literals, which data of any form cannot have; it checks each value against its type as it hashes.
  const data = { domain, types, primaryType, message } as unknown as Parameters<typeof hashTypedData>[0];
  try {
    return bytesOf(hashTypedData(data));
  } catch (error) {
    throw new Error(`bug: typed data that nobody can sign: ${error}`);
  }
}

export function domainSeparator(domain: TypedDomain): Uint8Array {
  const types = { EIP712Domain: domainFields(domain) };
  return bytesOf(hashStruct({ data: domain, primaryType: "EIP712Domain", types }));
}

export function signedDigest(separator: Uint8Array, struct: Uint8Array): Uint8Array {
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), separator, struct));
}

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === null) throw new Error("bug: a hash that is no hex");
  return bytes;
}
