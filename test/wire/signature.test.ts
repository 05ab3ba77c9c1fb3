/** One reader of signatures, against what ethers, as somebody else's code, makes of a wallet's. */
import { describe, expect, test } from "bun:test";
import { Signature, Wallet } from "ethers";
import { normaliseSignature } from "../../src/cli/signature.ts";
import { grantDigest, signerOf } from "../../src/wire/grant.ts";
import { type Grant, grantTypedData } from "../../src/wire/grant-data.ts";
import { normalisedSignature, readSignature } from "../../src/wire/signature.ts";

const OWNERS = ["4c", "11", "a7", "e5"].map((digit) => new Wallet(`0x${digit.repeat(32)}`));
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const GRANT: Grant = {
  audience: "http://127.0.0.1:8787",
  accountId: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  network: "exchange_mainnet",
  keyHash: "ab".repeat(32),
  scopes: ["trading:read"],
  issuedAtMs: 1_760_000_000_000,
  expiresAtMs: null,
};

async function signedBy(owner: Wallet, issuedAtMs: number) {
  const { domain, types, message } = grantTypedData({ ...GRANT, issuedAtMs });
  const plain = JSON.parse(JSON.stringify(types)) as Record<string, { name: string; type: string }[]>;
  return Signature.from(await owner.signTypedData(domain, plain, message));
}

const SPELLINGS: [string, (signature: Signature) => string][] = [
  ["65 bytes, v 27 or 28", ({ serialized }) => serialized],
  ["v 0 or 1", ({ r, s, yParity }) => `${r}${s.slice(2)}0${yParity}`],
  ["EIP-2098", ({ compactSerialized }) => compactSerialized],
  ["without 0x", ({ serialized }) => serialized.slice(2)],
  ["v 0 or 1 without 0x", ({ r, s, yParity }) => `${r.slice(2)}${s.slice(2)}0${yParity}`],
  ["EIP-2098 without 0x", ({ compactSerialized }) => compactSerialized.slice(2)],
  ["upper case", ({ serialized }) => `0x${serialized.slice(2).toUpperCase()}`],
];

describe("what ethers' wallets sign", () => {
  test.each(SPELLINGS)("%s is the same signature as any other spelling", async (_name, spell) => {
    const parities = new Set<number>();
    for (const [nth, owner] of [...OWNERS, ...OWNERS].entries()) {
      const issuedAtMs = GRANT.issuedAtMs + nth;
      const signature = await signedBy(owner, issuedAtMs);
      parities.add(signature.yParity);
      const { r, s, v } = signature;
      expect(readSignature(spell(signature))).toEqual({ r, s, v });
      expect(normalisedSignature(spell(signature))).toBe(signature.serialized);
      expect(normaliseSignature(spell(signature))).toBe(signature.serialized);
      expect(signerOf(grantDigest({ ...GRANT, issuedAtMs }), spell(signature))).toBe(owner.address.toLowerCase());
    }
    expect(parities.size).toBe(2);
  });
});

test("half the group order is the last low s, however it is spelled", () => {
  const half = (ORDER - 1n) / 2n;
  const r = `0x${"11".repeat(32)}`;
  const text = (s: bigint) => s.toString(16).padStart(64, "0");
  for (const last of ["1b", "1c", "00", "01", ""]) {
    expect(readSignature(`${r}${text(half)}${last}`)).not.toBeNull();
    expect(readSignature(`${r}${text(half + 1n)}${last}`)).toBeNull();
  }
});

test("the mirror image of a wallet's signature, with a high s, is none", async () => {
  for (const owner of OWNERS) {
    const { r, s, v } = await signedBy(owner, GRANT.issuedAtMs);
    const mirrored = (ORDER - BigInt(s)).toString(16);
    expect(readSignature(`${r}${mirrored.padStart(64, "0")}${(55 - v).toString(16)}`)).toBeNull();
  }
});

test.each([
  ["nothing", ""],
  ["0x", "0x"],
  ["a private key", `0x${"4c".repeat(32)}`],
  ["a contract wallet's", `0x${"4c".repeat(96)}`],
  ["a byte too many", `0x${"4c".repeat(66)}`],
  ["half a byte too many", `0x${"4c".repeat(64)}1`],
  ["an impossible v", `0x${"4c".repeat(64)}25`],
  ["a v of 2", `0x${"4c".repeat(64)}02`],
  ["another prefix", `0X${"4c".repeat(64)}1b`],
  ["a line of its own behind", `0x${"4c".repeat(64)}1b\n`],
  ["other letters", `0x${"zz".repeat(65)}`],
  ["words", "abandon abandon ability"],
])("%s is no signature", (_name, text) => {
  expect(readSignature(text)).toBeNull();
  expect(normalisedSignature(text)).toBeNull();
});
