import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addressOfKey, signDigest } from "../../src/vault/signers.ts";
import { recoverAddress } from "../../src/wire/recover.ts";
import { bytes, L1_VECTORS } from "./vectors/vectors.ts";

const ORDER_OF_THE_GROUP = "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

const vector = L1_VECTORS[0];
if (vector === undefined) throw new Error("no vectors");
const { digest, r, s, v } = vector.signatures.mainnet;

describe("nobody is recovered", () => {
  const table: [why: string, signature: { r: string; s: string; v: number }][] = [
    ["from zeros", { r: "0x0", s: "0x0", v: 27 }],
    ["from a zero r", { r: `0x${"0".repeat(64)}`, s, v }],
    ["from a zero s", { r, s: "0x0", v }],
    ["from an r as large as the group", { r: ORDER_OF_THE_GROUP, s, v }],
    ["from an s as large as the group", { r, s: ORDER_OF_THE_GROUP, v }],
    ["from an r that is no point of the curve", { r: "0x5", s, v }],
    ["with v 0, which some wallets write", { r, s, v: v - 27 }],
    ["with v 29", { r, s, v: 29 }],
    ["without the prefix", { r: r.slice(2), s, v }],
    ["from too many digits", { r: `${r}0`, s, v }],
    ["from no digits", { r: "0x", s, v }],
    ["from letters", { r: "0xzz", s, v }],
  ];
  for (const [why, signature] of table) {
    test(why, () => expect(recoverAddress(bytes(digest), signature)).toBeNull());
  }

  test("over a digest of another length", () => {
    expect(recoverAddress(bytes(digest).subarray(1), { r, s, v })).toBeNull();
  });
});

test("leading zeros may be missing from r and s", () => {
  const isShort = (text: string) => text.startsWith("0x0");
  const short = L1_VECTORS.filter(({ signatures }) => isShort(signatures.mainnet.r) || isShort(signatures.mainnet.s));
  expect(short.length).toBeGreaterThan(0);
  for (const { address, signatures, negative } of short) {
    if (negative === true) continue;
    const bare = (text: string) => `0x${text.slice(2).replace(/^0+/, "")}`;
    const { mainnet } = signatures;
    const signature = { r: bare(mainnet.r), s: bare(mainnet.s), v: mainnet.v };
    expect(recoverAddress(bytes(mainnet.digest), signature)).toBe(address);
  }
});

test("whoever signs is recovered, and with the other v somebody else", () => {
  const key = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .filter((candidate) => candidate.some((byte) => byte !== 0) && candidate[0] !== 255);
  fc.assert(
    fc.property(key, fc.uint8Array({ minLength: 32, maxLength: 32 }), (privateKey, message) => {
      const signature = signDigest(message, privateKey);
      expect(recoverAddress(message, signature)).toBe(addressOfKey(privateKey));
      expect(recoverAddress(message, { ...signature, v: 55 - signature.v })).not.toBe(addressOfKey(privateKey));
    }),
    { numRuns: 50 },
  );
});
