/**
 * Web3 Secret Storage, version 3: the encrypted key files that wallets export. Read only, for keys that come from
 * elsewhere; ours are sealed by `seal-key`.
 */
import { createDecipheriv, pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { addressOfKey } from "./signers.ts";

export type OpenedKeystore =
  | { kind: "opened"; address: string; privateKey: Uint8Array }
  /** Plain words; they hold nothing of the key or the passphrase. */
  | { kind: "refused"; reason: string };

/** A file with one key has under 1 KiB, characters. */
export const MAX_KEYSTORE_CHARACTERS = 64 * 1024;

/** What a file may ask of this machine: four times what wallets write, and not all of its memory or an hour. */
const LIMITS = { scryptMemoryBytes: 1024 * 2 ** 20, maxP: 16, pbkdf2Rounds: 10_000_000 } as const;
const MEMORY_SLACK_BYTES = 2 ** 20;
/** What is derived of the passphrase: a key to decrypt with, and one of the MAC. */
const KEY_BYTES = 32;

const Salt = Type.String({ pattern: "^(0x)?([0-9a-fA-F]{2}){8,64}$" });

const Scrypt = Type.Object({
  dklen: Type.Literal(32),
  salt: Salt,
  n: count(2 ** 24),
  r: count(64),
  p: count(LIMITS.maxP),
});
const Pbkdf2 = Type.Object({
  dklen: Type.Literal(32),
  salt: Salt,
  c: count(LIMITS.pbkdf2Rounds),
  prf: Type.Literal("hmac-sha256"),
});
const Cipher = {
  cipher: Type.Literal("aes-128-ctr"),
  ciphertext: hex(32),
  cipherparams: Type.Object({ iv: hex(16) }),
  mac: hex(32),
};
const Crypto = Type.Union([
  Type.Object({ ...Cipher, kdf: Type.Literal("scrypt"), kdfparams: Scrypt }),
  Type.Object({ ...Cipher, kdf: Type.Literal("pbkdf2"), kdfparams: Pbkdf2 }),
]);
type Crypto = Static<typeof Crypto>;
/** Some wallets leave the address out, to say less of whose key it is. */
const Address = Type.Optional(Type.String({ pattern: "^((0x)?[0-9a-fA-F]{40})?$" }));
const Keystore = Type.Object({ version: Type.Literal(3), crypto: Crypto, address: Address });

function hex(bytes: number) {
  return Type.String({ pattern: `^(0x)?[0-9a-fA-F]{${2 * bytes}}$` });
}

function count(maximum: number) {
  return Type.Integer({ minimum: 1, maximum });
}

/** The key in a file, with its address computed anew: an address in the file that is another one is refused. */
export async function openKeystore(text: string, passphrase: string): Promise<OpenedKeystore> {
  const file = text.length > MAX_KEYSTORE_CHARACTERS ? undefined : readJson(text);
  if (!Value.Check(Keystore, file)) return refused("this is no keystore of version 3 with one key of 32 bytes");
  const { crypto } = file;
  const derived = await derive(passphrase, crypto);
  if (derived === null) return refused("the keystore asks for more memory than an import may take");
  try {
    const ciphertext = bytesOf(crypto.ciphertext);
    const mac = keccak_256(Buffer.concat([derived.subarray(16, 32), ciphertext]));
    if (!timingSafeEqual(mac, bytesOf(crypto.mac))) return refused("the keystore's passphrase is wrong");
    return checkAddress(decrypt(derived, crypto), file.address ?? "");
  } finally {
    derived.fill(0);
  }
}

function readJson(text: string): unknown {
  try {
    const file: unknown = JSON.parse(text);
    // Old files have it in the upper case.
    if (typeof file === "object" && file !== null && "Crypto" in file) return { ...file, crypto: file.Crypto };
    return file;
  } catch {
    return undefined;
  }
}

/**
 * Null for a cost that is out of bounds. OpenSSL's scrypt refuses costs that are in the definition's own example (its
 * `n` is too large for its `r`), so the other one that we have does it.
 */
async function derive(passphrase: string, crypto: Crypto): Promise<Uint8Array | null> {
  const secret = Buffer.from(passphrase, "utf8");
  const salt = bytesOf(crypto.kdfparams.salt);
  try {
    if (crypto.kdf === "pbkdf2") return await promisify(pbkdf2)(secret, salt, crypto.kdfparams.c, KEY_BYTES, "sha256");
    const { n, r, p } = crypto.kdfparams;
    const bytes = 128 * r * (n + p);
    if (bytes > LIMITS.scryptMemoryBytes || n < 2 || (n & (n - 1)) !== 0) return null;
    return await scryptAsync(secret, salt, { N: n, r, p, dkLen: KEY_BYTES, maxmem: bytes + MEMORY_SLACK_BYTES });
  } finally {
    secret.fill(0);
  }
}

function decrypt(derived: Uint8Array, crypto: Crypto): Uint8Array {
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), bytesOf(crypto.cipherparams.iv));
  const opened = Buffer.concat([decipher.update(bytesOf(crypto.ciphertext)), decipher.final()]);
  const privateKey = Uint8Array.from(opened);
  opened.fill(0);
  return privateKey;
}

function checkAddress(privateKey: Uint8Array, told: string): OpenedKeystore {
  const address = addressOrNull(privateKey);
  if (address === null) return refused("what is in the keystore is no private key");
  const wanted = told === "" ? address : `0x${told.toLowerCase().replace(/^0x/, "")}`;
  if (wanted === address) return { kind: "opened", address, privateKey };
  privateKey.fill(0);
  return refused(`the keystore says ${wanted}, and its key is that of ${address}`);
}

function addressOrNull(privateKey: Uint8Array): string | null {
  try {
    return addressOfKey(privateKey);
  } catch {
    return null;
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.replace(/^0x/, ""), "hex");
}

function refused(reason: string): OpenedKeystore {
  return { kind: "refused", reason };
}
