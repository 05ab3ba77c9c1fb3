import { expect, test } from "bun:test";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { hmacSha256Hex, sha256Hex } from "../../src/wire/sha256.ts";

/** Of any units, halves of characters among them: both write those as the replacement character. */
const text = fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 300 });

test("hashes texts and bytes as the implementation in JavaScript does", () => {
  fc.assert(
    fc.property(text, (each) => expect(sha256Hex(each)).toBe(bytesToHex(sha256(utf8ToBytes(each))))),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (each) => expect(sha256Hex(each)).toBe(bytesToHex(sha256(each)))),
  );
});

test("hashes with a key of any length as the implementation in JavaScript does", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), text, (key, each) =>
      expect(hmacSha256Hex(key, each)).toBe(bytesToHex(hmac(sha256, key, utf8ToBytes(each)))),
    ),
  );
});
