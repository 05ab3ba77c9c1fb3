/**
 * SHA-256 by the runtime's native code, five times as fast as in JavaScript. The only file of this room that imports a
 * module of the runtime, and of it nothing but these two pure functions.
 */
import { createHmac, hash } from "node:crypto";

/** Lower-case hex digits of the hash of bytes, or of a text's UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

/** Lower-case hex digits of the keyed hash of a text's UTF-8. */
export function hmacSha256Hex(key: Uint8Array, text: string): string {
  return createHmac("sha256", key).update(text, "utf8").digest("hex");
}
