import { beforeAll, describe, expect, test } from "bun:test";
import { createDecipheriv, scryptSync } from "node:crypto";
import { setImmediate as setImmediatePromise } from "node:timers/promises";
import {
  deriveVaultKey,
  type KeyPurpose,
  newVaultParams,
  openKey,
  type SealedKey,
  sealKey,
  type VaultKey,
  wipe,
} from "../../src/vault/seal-key.ts";

const SALT = new Uint8Array(32).fill(7);
/** As cheap as stored parameters may be, so that tests are quick. */
const CHEAP = newVaultParams(SALT, "random");
const PURPOSE: KeyPurpose = { network: "paper", ownerAddress: `0x${"ab".repeat(20)}`, address: `0x${"cd".repeat(20)}` };
const PRIVATE_KEY = Uint8Array.from({ length: 32 }, (_item, index) => index);

let vaultKey: VaultKey;
let sealed: SealedKey;

beforeAll(async () => {
  vaultKey = await deriveVaultKey("correct horse battery", CHEAP);
  sealed = sealKey({ vaultKey, purpose: PURPOSE, privateKey: PRIVATE_KEY, randomNonce: new Uint8Array(12).fill(3) });
});

test("a sealed key opens with the passphrase that sealed it, after a round through JSON", async () => {
  const again = await deriveVaultKey("correct horse battery", JSON.parse(JSON.stringify(CHEAP)));
  expect(openKey(again, PURPOSE, JSON.parse(JSON.stringify(sealed)))).toEqual(PRIVATE_KEY);
});

test("the letter case of addresses does not matter", () => {
  const upper = { ...PURPOSE, address: `0x${"CD".repeat(20)}`, ownerAddress: `0x${"AB".repeat(20)}` };
  expect(openKey(vaultKey, upper, sealed)).toEqual(PRIVATE_KEY);
});

test("the key bytes do not stand in what is stored", () => {
  expect(JSON.stringify(sealed)).not.toContain(Buffer.from(PRIVATE_KEY).toString("hex").slice(0, 16));
});

test("what is stored is AES-256-GCM under the nonce that was handed in, with the purpose as its associated data", () => {
  const decipher = createDecipheriv("aes-256-gcm", vaultKey.bytes, new Uint8Array(12).fill(3));
  const { network, ownerAddress, address } = PURPOSE;
  decipher.setAAD(Buffer.from(["postern-agent-key", "1", network, ownerAddress, address].join("\n")));
  decipher.setAuthTag(Buffer.from(sealed.tag, "hex"));
  const opened = Buffer.concat([decipher.update(Buffer.from(sealed.ciphertext, "hex")), decipher.final()]);
  expect(new Uint8Array(opened)).toEqual(PRIVATE_KEY);
  expect(vaultKey.bytes).toHaveLength(32);
  expect(sealed.nonce).toBe("03".repeat(12));
});

describe("a sealed key does not open", () => {
  test("with another passphrase or another salt", async () => {
    const wrong = await deriveVaultKey("correct horse batterz", CHEAP);
    expect(openKey(wrong, PURPOSE, sealed)).toBeNull();
    const salted = await deriveVaultKey("correct horse battery", { ...CHEAP, salt: "08".repeat(32) });
    expect(openKey(salted, PURPOSE, sealed)).toBeNull();
  });

  test("for another network, owner or address: rows cannot be swapped", () => {
    const others: KeyPurpose[] = [
      { ...PURPOSE, network: "mainnet" },
      { ...PURPOSE, ownerAddress: PURPOSE.address },
      { ...PURPOSE, address: PURPOSE.ownerAddress },
    ];
    for (const purpose of others) expect(openKey(vaultKey, purpose, sealed)).toBeNull();
  });

  test("with any bit of it changed", () => {
    for (const member of ["nonce", "ciphertext", "tag"] as const) {
      for (let at = 0; at < sealed[member].length; at += 1) {
        const digit = Number.parseInt(sealed[member][at] ?? "0", 16);
        const changed = (digit ^ (1 << (at % 4))).toString(16);
        const text = `${sealed[member].slice(0, at)}${changed}${sealed[member].slice(at + 1)}`;
        expect(openKey(vaultKey, PURPOSE, { ...sealed, [member]: text })).toBeNull();
      }
    }
  });

  test("with a part cut off, a tag that was shortened included", () => {
    for (const member of ["nonce", "ciphertext", "tag"] as const) {
      for (const keep of [0, 8, sealed[member].length - 2]) {
        expect(openKey(vaultKey, PURPOSE, { ...sealed, [member]: sealed[member].slice(0, keep) })).toBeNull();
      }
    }
  });

  test("when it says another version", () => {
    expect(openKey(vaultKey, PURPOSE, { ...sealed, version: 2 as 1 })).toBeNull();
  });

  test("once the vault key is wiped", async () => {
    const wiped = await deriveVaultKey("correct horse battery", CHEAP);
    const { bytes } = wiped;
    wipe(wiped);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    expect(openKey(wiped, PURPOSE, sealed)).toBeNull();
  });
});

describe("the vault key", () => {
  test("is scrypt of the passphrase, at 2^17, 8, 1 unless stored otherwise", async () => {
    const params = newVaultParams(SALT, "person");
    expect(params).toEqual({ kdf: "scrypt", n: 131072, r: 8, p: 1, salt: "07".repeat(32) });
    const want = scryptSync("pass phrase", SALT, 32, { N: 131072, r: 8, p: 1, maxmem: 2 ** 28 });
    expect(Buffer.from((await deriveVaultKey("pass phrase", params)).bytes).equals(want)).toBe(true);
  });

  test("is cheap, and within the bounds of what may be stored, where nobody chose the passphrase", async () => {
    const params = newVaultParams(SALT, "random");
    expect(params).toEqual({ kdf: "scrypt", n: 16384, r: 8, p: 1, salt: "07".repeat(32) });
    const want = scryptSync("pass phrase", SALT, 32, { N: 16384, r: 8, p: 1, maxmem: 2 ** 28 });
    expect(Buffer.from((await deriveVaultKey("pass phrase", params)).bytes).equals(want)).toBe(true);
  });

  test("does not depend on how an accent was typed", async () => {
    const [composed, decomposed] = await Promise.all([
      deriveVaultKey("caf\u00e9 noir", CHEAP),
      deriveVaultKey("cafe\u0301 noir", CHEAP),
    ]);
    expect(composed.bytes).toEqual(decomposed.bytes);
  });

  test("is made off the event loop", async () => {
    const order: string[] = [];
    const derived = deriveVaultKey("pass phrase", newVaultParams(SALT, "person")).then(() => order.push("derived"));
    // A scrypt on the event loop would be over before any turn of it begins.
    const turn = setImmediatePromise().then(() => order.push("turn"));
    await Promise.all([derived, turn]);
    expect(order).toEqual(["turn", "derived"]);
  });

  test("is refused for stored costs that are too small, too large, no power of two, or of another kind", async () => {
    const damaged = [
      { n: 2 ** 13 },
      { n: 2 ** 21 },
      { n: 2 ** 14 + 1 },
      { r: 1 },
      { p: 16 },
      { salt: "00" },
      { kdf: "md5" as "scrypt" },
    ];
    for (const change of damaged) {
      const outcome = await deriveVaultKey("pass phrase", { ...CHEAP, ...change }).catch(String);
      expect(outcome).toContain("damaged");
    }
  });
});

test("seals of wrong sizes are bugs", () => {
  const randomNonce = new Uint8Array(12);
  const base = { vaultKey, purpose: PURPOSE, privateKey: PRIVATE_KEY, randomNonce };
  expect(() => sealKey({ ...base, randomNonce: new Uint8Array(11) })).toThrow("bug:");
  expect(() => sealKey({ ...base, privateKey: new Uint8Array(31) })).toThrow("bug:");
  expect(() => newVaultParams(new Uint8Array(16), "person")).toThrow("bug:");
});
