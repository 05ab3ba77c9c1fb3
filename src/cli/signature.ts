import { normalisedSignature } from "../wire/normalise-signature.ts";
import { Misuse } from "./command.ts";

/** One spelling of what wallets give. The gateway takes nothing else. */
export function normaliseSignature(text: string): string {
  if (!/^0x[0-9a-fA-F]{130}$/.test(text)) throw new Misuse("a signature is 0x and 130 hex digits (65 bytes)");
  const signature = normalisedSignature(text);
  if (signature === null) throw new Misuse("a signature ends in 1b or 1c (or 00 or 01)");
  return signature;
}
