/** An API key is made here, in the browser, and only its hash leaves. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const KEY_BYTES = 32;

export function makeApiKey(randomBytes: (length: number) => Uint8Array): string {
  return `api_trade_${bytesToHex(randomBytes(KEY_BYTES))}`;
}

/** What stands in the address of a hook. */
export function makeHookSecret(randomBytes: (length: number) => Uint8Array): string {
  return `hook_${bytesToHex(randomBytes(KEY_BYTES))}`;
}

/** SHA-256 of the whole key text. */
export function hashOfKey(apiKey: string): string {
  return bytesToHex(sha256(utf8ToBytes(apiKey)));
}
