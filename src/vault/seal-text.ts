/** Secrets that are texts, at rest: sealed as agent keys are, under the same key and another name. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import type { SealedKey, VaultKey } from "./seal-key.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `name` says whose it is, and one that was moved does not open; `randomNonce` is 12 fresh random bytes. */
export function sealText(vaultKey: VaultKey, name: string, text: string, randomNonce: Uint8Array): SealedKey {
  if (randomNonce.length !== NONCE_BYTES) throw new Error("bug: a seal takes 12 random bytes");
  const cipher = createCipheriv("aes-256-gcm", vaultKey.bytes, randomNonce);
  cipher.setAAD(Buffer.from(`postern-text\n1\n${name}`, "utf8"));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const [nonce, tag] = [Buffer.from(randomNonce).toString("hex"), cipher.getAuthTag().toString("hex")];
  return { version: 1, nonce, ciphertext: ciphertext.toString("hex"), tag };
}

/** Null for a wrong passphrase, a damaged row and one of another name: they look alike on purpose. */
export function openText(vaultKey: VaultKey, name: string, sealed: SealedKey): string | null {
  try {
    const [nonce, tag] = [Buffer.from(sealed.nonce, "hex"), Buffer.from(sealed.tag, "hex")];
    if (sealed.version !== 1 || nonce.length !== NONCE_BYTES || tag.length !== TAG_BYTES) return null;
    const decipher = createDecipheriv("aes-256-gcm", vaultKey.bytes, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(`postern-text\n1\n${name}`, "utf8"));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(Buffer.from(sealed.ciphertext, "hex")), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
