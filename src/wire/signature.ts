/** The one reader of a wallet's signature: for the page, the command line, the set-up and the interface. */
import type { SignatureParts } from "./recover.ts";

/** r and s, then v where it is not in the topmost bit of s (EIP-2098); wallets write it with `0x` and without. */
const SPELLED = /^(?:0x)?([0-9a-fA-F]{64})([0-9a-fA-F]{64})([0-9a-fA-F]{2})?$/;
const TOP_BIT = 1n << 255n;
/** Half the order of secp256k1. A larger s is the mirror image of a valid signature, which no wallet gives. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * A plain signature, however it is spelled: 65 bytes that end in 27 or 28, or in 0 or 1, or the 64 of EIP-2098. Null for
 * anything else: a contract wallet's is longer, for example.
 */
export function readSignature(text: string): SignatureParts | null {
  const [, r, rest, last] = SPELLED.exec(text) ?? [];
  if (r === undefined || rest === undefined) return null;
  const packed = BigInt(`0x${rest}`);
  const given = last === undefined ? Number(packed >> 255n) : Number.parseInt(last, 16);
  const s = last === undefined ? packed & (TOP_BIT - 1n) : packed;
  const v = given < 2 ? given + 27 : given;
  if ((v !== 27 && v !== 28) || s > HALF_ORDER) return null;
  return { r: `0x${r.toLowerCase()}`, s: `0x${s.toString(16).padStart(64, "0")}`, v };
}

/** The one spelling that is kept and sent: `0x`, 65 bytes in lower case, v 27 or 28. */
export function normalisedSignature(text: string): string | null {
  const parts = readSignature(text);
  return parts === null ? null : `${parts.r}${parts.s.slice(2)}${parts.v.toString(16)}`;
}
