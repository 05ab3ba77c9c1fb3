import { expect, test } from "bun:test";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { Misuse } from "../../src/cli/command.ts";
import { normaliseSignature } from "../../src/cli/signature.ts";
import { addressOfKey, signDigest } from "../../src/vault/signers.ts";
import { signerOf } from "../../src/wire/grant.ts";

const ORDER = secp256k1.Point.Fn.ORDER;

function text(r: string, s: bigint, v: number): string {
  return `0x${r.slice(2).padStart(64, "0")}${s.toString(16).padStart(64, "0")}${v.toString(16).padStart(2, "0")}`;
}

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("every spelling of one signature becomes the one that the gateway keeps, and its mirror image none", () => {
  fc.assert(
    fc.property(bytes, bytes, (digest, seed) => {
      const key = Uint8Array.from(seed, (byte, index) => (index === 0 ? 1 : byte));
      const { r, s, v } = signDigest(digest, key);
      const low = BigInt(s);
      const packed = low | (BigInt(v - 27) << 255n);
      const spellings = [
        text(r, low, v),
        text(r, low, v - 27),
        text(r, low, v).slice(2),
        text(r, packed, 0).slice(0, -2),
      ];
      for (const spelling of spellings) {
        expect(normaliseSignature(spelling)).toBe(text(r, low, v));
        expect(signerOf(digest, spelling)).toBe(addressOfKey(key));
      }
      for (const mirrored of [text(r, ORDER - low, 55 - v), text(r, ORDER - low, 28 - v)]) {
        expect(() => normaliseSignature(mirrored)).toThrow(Misuse);
      }
    }),
    { numRuns: 25 },
  );
});

test.each(["", "0x", `0x${"11".repeat(63)}`, `${"11".repeat(65)}`, `0x${"11".repeat(64)}05`, `0x${"zz".repeat(65)}`])(
  "%p is refused as no signature",
  (given) => {
    expect(() => normaliseSignature(given)).toThrow(Misuse);
  },
);
