import { describe, expect, test } from "bun:test";
import { encryptKeystoreJson } from "ethers";
import fc from "fast-check";
import { openKeystore } from "../../src/vault/keystore-v3.ts";
import { addressOfKey } from "../../src/vault/signers.ts";
import { toHex } from "../../src/wire/hex.ts";

const SECRET = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";

/** The two test vectors of the Web3 Secret Storage definition. */
const PUBLISHED = {
  pbkdf2: {
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
      ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
      kdf: "pbkdf2",
      kdfparams: {
        c: 262144,
        dklen: 32,
        prf: "hmac-sha256",
        salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
      },
      mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    version: 3,
  },
  scrypt: {
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
      ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
      kdf: "scrypt",
      kdfparams: {
        dklen: 32,
        n: 262144,
        r: 1,
        p: 8,
        salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
      },
      mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    version: 3,
  },
};

/** As cheap as a file can be, so that tests are quick. */
const CHEAP = { scrypt: { N: 1_024, r: 8, p: 1 } };

async function fileOf(privateKey: Uint8Array, passphrase: string): Promise<Record<string, unknown>> {
  const account = { address: addressOfKey(privateKey), privateKey: toHex(privateKey) };
  return JSON.parse(await encryptKeystoreJson(account, passphrase, CHEAP));
}

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);

async function reasonOf(file: unknown, passphrase = "correct horse"): Promise<string> {
  const opened = await openKeystore(typeof file === "string" ? file : JSON.stringify(file), passphrase);
  return opened.kind === "refused" ? opened.reason : "";
}

for (const [name, file] of Object.entries(PUBLISHED)) {
  test(`the published ${name} file opens with its passphrase and no other`, async () => {
    const opened = await openKeystore(JSON.stringify(file), "testpassword");
    expect(opened.kind === "opened" && toHex(opened.privateKey)).toBe(`0x${SECRET}`);
    expect(await reasonOf(file, "testpasswort")).toBe("the keystore's passphrase is wrong");
  });
}

test("files of another implementation open, whatever their key and passphrase", async () => {
  const keys = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .filter((bytes) => bytes.some((byte) => byte > 0) && bytes[0] !== 255);
  await fc.assert(
    fc.asyncProperty(
      keys,
      fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" }),
      async (key, passphrase) => {
        const opened = await openKeystore(JSON.stringify(await fileOf(key, passphrase)), passphrase);
        expect(opened).toEqual({ kind: "opened", address: addressOfKey(key), privateKey: key });
      },
    ),
    { numRuns: 20 },
  );
});

test("an address that is not its key's is refused, and one that is left out is made good", async () => {
  const file = await fileOf(KEY, "correct horse");
  expect(await reasonOf({ ...file, address: "ab".repeat(20) })).toBe(
    `the keystore says 0x${"ab".repeat(20)}, and its key is that of ${addressOfKey(KEY)}`,
  );
  const { address: _address, ...rest } = file;
  expect(await openKeystore(JSON.stringify(rest), "correct horse")).toMatchObject({ address: addressOfKey(KEY) });
});

describe("a file is refused", () => {
  test("with any part of it changed", async () => {
    const file = await fileOf(KEY, "correct horse");
    // Where ethers writes the member in the upper case, ours reads both.
    const crypto = (file["Crypto"] ?? file["crypto"]) as Record<string, unknown>;
    const flipped = (text: unknown) => `${String(text).slice(0, -1)}${String(text).endsWith("0") ? "1" : "0"}`;
    const params = crypto["kdfparams"] as Record<string, unknown>;
    const { Crypto: _old, ...rest } = file;
    const changes = [
      { ...crypto, ciphertext: flipped(crypto["ciphertext"]) },
      { ...crypto, mac: flipped(crypto["mac"]) },
      { ...crypto, kdfparams: { ...params, salt: flipped(params["salt"]) } },
      { ...crypto, kdfparams: { ...params, n: 2_048 } },
    ];
    for (const changed of changes) {
      expect(await reasonOf({ ...rest, crypto: changed })).toBe("the keystore's passphrase is wrong");
    }
    // The counter is under no MAC: the address tells.
    const iv = flipped((crypto["cipherparams"] as { iv: string }).iv);
    expect(await reasonOf({ ...rest, crypto: { ...crypto, cipherparams: { iv } } })).toContain("its key is that of");
  });

  test("that is something else, or asks for too much of the machine", async () => {
    const { scrypt } = PUBLISHED;
    const costing = (kdfparams: object) => ({
      ...scrypt,
      crypto: { ...scrypt.crypto, kdfparams: { ...scrypt.crypto.kdfparams, ...kdfparams } },
    });
    const files: unknown[] = [
      "",
      "{",
      "null",
      "[]",
      "{}",
      `{"version":3}`,
      " ".repeat(70_000),
      { ...scrypt, version: 1 },
      { ...scrypt, crypto: { ...scrypt.crypto, cipher: "aes-128-cbc" } },
      { ...scrypt, crypto: { ...scrypt.crypto, kdf: "argon2" } },
      { ...scrypt, crypto: { ...scrypt.crypto, ciphertext: "00".repeat(31) } },
      costing({ n: 2 ** 40 }),
      costing({ p: 1_000 }),
      costing({ dklen: 64 }),
      costing({ n: 2 ** 23, r: 8 }),
      costing({ n: 3 }),
    ];
    for (const file of files) expect(await reasonOf(file)).toMatch(/no keystore|more memory/);
  });
});

test("a refusal holds nothing of key or passphrase", async () => {
  const reason = await reasonOf({ ...(await fileOf(KEY, "correct horse")), address: "00".repeat(20) });
  expect(reason).not.toContain(Buffer.from(KEY).toString("hex").slice(0, 8));
  expect(reason).not.toContain("horse");
});
