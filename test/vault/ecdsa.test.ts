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

test("bytes of another length and numbers that are no key are refused by both", () => {
  const good = new Uint8Array(32).fill(7);
  for (const ecdsa of [chooseEcdsa(), javascriptEcdsa]) {
    expect(() => ecdsa.sign(good.subarray(1), good)).toThrow();
    expect(() => ecdsa.sign(good, good.subarray(1))).toThrow();
    expect(() => ecdsa.sign(good, new Uint8Array(32))).toThrow();
    expect(() => ecdsa.sign(good, new Uint8Array(32).fill(0xff))).toThrow();
  }
});

/** An addon whose one function does `sign` to what it is given. */
function addon(sign: (into: { signature: Uint8Array; recid: number }, digest: Uint8Array, key: Uint8Array) => number) {
  return {
    Secp256k1: class {
      ecdsaSign = sign;
    },
  };
}

test("an addon that is missing, broken, refuses, or signs with another nonce is not used", () => {
  const unfit: (() => unknown)[] = [
    () => null,
    () => {
      throw new Error("cannot open shared object file");
    },
    () => ({}),
    () => addon(() => 1),
    () => addon(() => 0),
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

test("an addon that signs as RFC 6979 says is used", () => {
  const right = addon((into, digest, privateKey) => {
    const signed = javascriptEcdsa.sign(digest, privateKey);
    into.signature.set(signed.subarray(1));
    into.recid = signed[0] ?? 0;
    return 0;
  });
  expect(openNative(() => right)?.kind).toBe("native");
});
