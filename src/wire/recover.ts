import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex } from "./hex.ts";

/** Signature as it stands in JSON; `r` and `s` may lack leading zeros, as the Python SDK prints them. */
export type SignatureParts = { r: string; s: string; v: number };

const SCALAR = /^0x[0-9a-fA-F]{1,64}$/;

/** Who signed the digest: lower-case address; null for a signature from which nobody can be recovered. */
export function recoverAddress(digest: Uint8Array, { r, s, v }: SignatureParts): string | null {
  if (digest.length !== 32 || (v !== 27 && v !== 28) || !SCALAR.test(r) || !SCALAR.test(s)) return null;
  try {
    const signature = new secp256k1.Signature(BigInt(r), BigInt(s), v - 27);
    return addressOfPublicKey(signature.recoverPublicKey(digest).toBytes(false));
  } catch {
    // Zeros, values beyond the group order, or an r that is no point of the curve.
    return null;
  }
}

/** Address of an uncompressed public key (65 bytes, the first of them 04). */
export function addressOfPublicKey(uncompressed: Uint8Array): string {
  return toHex(keccak_256(uncompressed.subarray(1)).subarray(12));
}
