import { createCipheriv, createDecipheriv, createHmac, hkdfSync, scrypt } from "node:crypto";
import type { Network } from "../core/account.ts";

/**
 * Agent keys at rest: AES-256-GCM under a key that scrypt makes of the passphrase. The salt belongs to the data
 * directory, so one scrypt (a quarter of a second and 128 MiB) opens all its keys. What a sealed key is for
 * (version, network, owner, address) is authenticated with it: a row moved or swapped does not open.
 */

/** Stored with the sealed keys, so that the cost can be raised later. */
export type VaultParams = {
  kdf: "scrypt";
  /** CPU and memory cost, a power of two. */
  n: number;
  r: number;
  p: number;
  /** Hex, 32 bytes. */
  salt: string;
};

/** What a sealed key is for. */
export type KeyPurpose = { network: Network; ownerAddress: string; address: string };

export type SealedKey = {
  version: 1;
  /** Hex, 12 bytes; never used twice under one vault key. */
  nonce: string;
  /** Hex, 32 bytes of key. */
  ciphertext: string;
  /** Hex, 16 bytes. */
  tag: string;
};

/** The key that seals keys. Wipe it when the keys are open. */
export type VaultKey = { bytes: Uint8Array };

const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** What a guess at the passphrase costs. */
export type VaultCost = keyof typeof COSTS;

/** A person's passphrase can be guessed. 16 random bytes cannot, and a start with them need not wait. */
const COSTS = { person: { n: 2 ** 17, r: 8, p: 1 }, random: { n: 2 ** 14, r: 8, p: 1 } } as const;
/** What stored parameters may ask for: a swapped file must not make a start take all memory or almost none. */
const COST_LIMITS = { minN: 2 ** 14, maxN: 2 ** 20, r: 8, p: 1 } as const;
/** Memory of scrypt is 128 * n * r bytes; a little more for its own use. */
const MEMORY_SLACK_BYTES = 2 ** 20;

export function newVaultParams(randomSalt: Uint8Array, cost: VaultCost): VaultParams {
  if (randomSalt.length !== SALT_BYTES) throw new Error("bug: a vault takes 32 bytes of salt");
  return { kdf: "scrypt", ...COSTS[cost], salt: Buffer.from(randomSalt).toString("hex") };
}

/** Stretches the passphrase off the event loop. Rejects with plain words when the stored parameters are unusable. */
export function deriveVaultKey(passphrase: string, params: VaultParams): Promise<VaultKey> {
  const { n, r, p } = params;
  const salt = Buffer.from(params.salt, "hex");
  const isUsable =
    n >= COST_LIMITS.minN && n <= COST_LIMITS.maxN && (n & (n - 1)) === 0 && r === COST_LIMITS.r && p === COST_LIMITS.p;
  if (params.kdf !== "scrypt" || !isUsable || salt.length !== SALT_BYTES) {
    return Promise.reject(new Error("the vault's stored parameters are damaged"));
  }
  const maxmem = 128 * n * r + MEMORY_SLACK_BYTES;
  // One form of the same characters, or a passphrase typed on another keyboard would not open the vault.
  const secret = Buffer.from(passphrase.normalize("NFKC"), "utf8");
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, KEY_BYTES, { N: n, r, p, maxmem }, (error, derived) => {
      secret.fill(0);
      // Bun says undefined where Node says null.
      if (error instanceof Error) reject(error);
      else resolve({ bytes: derived });
    });
  });
}

/** Seals one private key; `randomNonce` is 12 fresh random bytes. */
export function sealKey(input: {
  vaultKey: VaultKey;
  purpose: KeyPurpose;
  privateKey: Uint8Array;
  randomNonce: Uint8Array;
}): SealedKey {
  if (input.randomNonce.length !== NONCE_BYTES) throw new Error("bug: a seal takes 12 random bytes");
  if (input.privateKey.length !== KEY_BYTES) throw new Error("bug: a private key has 32 bytes");
  const cipher = createCipheriv("aes-256-gcm", input.vaultKey.bytes, input.randomNonce);
  cipher.setAAD(associatedData(input.purpose));
  const ciphertext = Buffer.concat([cipher.update(input.privateKey), cipher.final()]);
  return {
    version: 1,
    nonce: Buffer.from(input.randomNonce).toString("hex"),
    ciphertext: ciphertext.toString("hex"),
    tag: cipher.getAuthTag().toString("hex"),
  };
}

/** The private key, or null: a wrong passphrase, a damaged row and a row of another purpose look alike on purpose. */
export function openKey(vaultKey: VaultKey, purpose: KeyPurpose, sealed: SealedKey): Uint8Array | null {
  const nonce = Buffer.from(sealed.nonce, "hex");
  const tag = Buffer.from(sealed.tag, "hex");
  const ciphertext = Buffer.from(sealed.ciphertext, "hex");
  // A shortened tag would be accepted by GCM and is forged in no time.
  if (sealed.version !== 1 || nonce.length !== NONCE_BYTES || tag.length !== TAG_BYTES) return null;
  if (ciphertext.length !== KEY_BYTES) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", vaultKey.bytes, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(purpose));
    decipher.setAuthTag(tag);
    const opened = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    const privateKey = Uint8Array.from(opened);
    opened.fill(0);
    return privateKey;
  } catch {
    return null;
  }
}

/** What to say when `openKey` gives null. */
export const CANNOT_OPEN = "the passphrase is wrong, or the sealed key is damaged or belongs elsewhere";

/** Hex HMAC-SHA256 of a text, under a key for this purpose alone: it says that the passphrase was at hand. */
export function macOf(vaultKey: VaultKey, purpose: string, text: string): string {
  const key = new Uint8Array(hkdfSync("sha256", vaultKey.bytes, new Uint8Array(0), purpose, KEY_BYTES));
  const mac = createHmac("sha256", key).update(text).digest("hex");
  key.fill(0);
  return mac;
}

export function wipe(vaultKey: VaultKey): void {
  vaultKey.bytes.fill(0);
}

function associatedData({ network, ownerAddress, address }: KeyPurpose): Buffer {
  const parts = ["postern-agent-key", "1", network, ownerAddress.toLowerCase(), address.toLowerCase()];
  return Buffer.from(parts.join("\n"), "utf8");
}
