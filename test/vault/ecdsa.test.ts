import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { chooseEcdsa, javascriptEcdsa, openNative } from "../../src/vault/ecdsa.ts";

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const key = bytes32.filter((bytes) => secp256k1.utils.isValidSecretKey(bytes));

test("the addon is what signs where it is built for", () => {
  const isBuiltFor = process.platform === "linux" && process.arch === "x64";
  expect(chooseEcdsa().kind).toBe(isBuiltFor ? "native" : "javascript");
});

test("whatever signs, the bytes are those of JavaScript", () => {
  fc.assert(
    fc.property(bytes32, key, (digest, privateKey) => {
      expect(Buffer.from(chooseEcdsa().sign(digest, privateKey)).toString("hex")).toBe(
        Buffer.from(javascriptEcdsa.sign(digest, privateKey)).toString("hex"),
      );
    }),
    { numRuns: 1_000 },
  );
});

test("whatever derives a public key, the bytes are those of JavaScript: 65, uncompressed", () => {
  fc.assert(
    fc.property(key, (privateKey) => {
      const derived = chooseEcdsa().publicKey(privateKey);
      expect(derived).toEqual(javascriptEcdsa.publicKey(privateKey));
      expect([derived.length, derived[0]]).toEqual([65, 4]);
    }),
    { numRuns: 200 },
  );
});

test("bytes of another length and numbers that are no key are refused by both", () => {
  const good = new Uint8Array(32).fill(7);
  for (const ecdsa of [chooseEcdsa(), javascriptEcdsa]) {
    expect(() => ecdsa.sign(good.subarray(1), good)).toThrow();
    expect(() => ecdsa.sign(good, good.subarray(1))).toThrow();
    expect(() => ecdsa.sign(good, new Uint8Array(32))).toThrow();
    expect(() => ecdsa.sign(good, new Uint8Array(32).fill(0xff))).toThrow();
    expect(() => ecdsa.publicKey(good.subarray(1))).toThrow();
    expect(() => ecdsa.publicKey(new Uint8Array(32))).toThrow();
    expect(() => ecdsa.publicKey(new Uint8Array(32).fill(0xff))).toThrow();
  }
});

type Sign = (into: { signature: Uint8Array; recid: number }, digest: Uint8Array, key: Uint8Array) => number;
type Create = (into: Uint8Array, key: Uint8Array) => number;

/** An addon whose functions do these. */
function addon(sign: Sign, create: Create = rightKey) {
  return {
    Secp256k1: class {
      ecdsaSign = sign;
      publicKeyCreate = create;
    },
  };
}

function rightSignature(...[into, digest, privateKey]: Parameters<Sign>): number {
  const signed = javascriptEcdsa.sign(digest, privateKey);
  into.signature.set(signed.subarray(1));
  into.recid = signed[0] ?? 0;
  return 0;
}

function rightKey(...[into, privateKey]: Parameters<Create>): number {
  into.set(javascriptEcdsa.publicKey(privateKey));
  return 0;
}

test("an addon that is missing, broken, refuses, signs with another nonce or derives another key is not used", () => {
  const unfit: (() => unknown)[] = [
    () => null,
    () => {
      throw new Error("cannot open shared object file");
    },
    () => ({}),
    () => addon(() => 1),
    () => addon(() => 0),
    () => addon(rightSignature, () => 1),
    () => addon(rightSignature, () => 0),
    () =>
      addon((into, digest, privateKey) => {
        const signed = secp256k1.sign(digest, privateKey, {
          prehash: false,
          lowS: true,
          format: "recovered",
          extraEntropy: new Uint8Array(randomBytes(32)),
        });
        into.signature.set(signed.subarray(1));
        return 0;
      }),
  ];
  for (const load of unfit) expect(openNative(load)).toBeNull();
});

test("an addon that signs as RFC 6979 says, and derives the keys of the curve, is used", () => {
  expect(openNative(() => addon(rightSignature))?.kind).toBe("native");
});
