import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Lower-case `0x…` text of bytes. */
export function toHex(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}`;
}

/** Bytes of `0x` text with an even number of hex digits; null for anything else. */
export function fromHex(text: string): Uint8Array | null {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return null;
  return hexToBytes(text.slice(2));
}

/** Lower-case address, or null when the text is not one. Checksums in the letter case are not looked at. */
export function parseAddress(text: string): string | null {
  return ADDRESS.test(text) ? text.toLowerCase() : null;
}

/** The 20 bytes of an address that an earlier check has vouched for. */
export function addressBytes(address: string): Uint8Array {
  const bytes = ADDRESS.test(address) ? fromHex(address) : null;
  if (bytes === null) throw new Error("bug: not an address");
  return bytes;
}
