import { expect, test } from "bun:test";
import fc from "fast-check";
import { newPassphrase } from "../../src/cli/passphrase/new-and-check.ts";
import { guessingBits, weaknessOf } from "../../src/vault/passphrase-strength.ts";

test.each([
  ["aaaaaaaa"],
  ["a".repeat(64)],
  ["abcabcabcabcabcabcabcabc"],
  ["12345678901234567890"],
  ["98765432109876543210"],
  ["qwertyuiopasdfghjklzxcvbnm"],
  ["Password123!"],
  ["P@ssw0rd1234567890"],
  ["passwordpasswordpassword"],
  ["correct horse battery staple"],
  ["CorrectHorseBatteryStaple"],
  ["Tr0ub4dor&3"],
  ["hunter2hunter2hunter2"],
  ["Summer2026!Trader"],
  ["Hyperliquid2026!!"],
  ["BitcoinToTheMoon1!"],
  ["Michael&Jennifer2019"],
  ["iloveyoujennifer1987"],
  ["xkcdvqzp"],
  ["🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂"],
  ["        "],
])("%j is refused with a reason that holds nothing of it", (weak) => {
  const reason = weaknessOf(weak);
  expect(reason).toContain("easily guessed");
  for (let at = 0; at + 5 <= weak.trim().length; at += 1) {
    if (!/^pass/i.test(weak)) expect(reason?.toLowerCase()).not.toContain(weak.slice(at, at + 5).toLowerCase());
  }
});

test.each([
  ["anvil quarry tulip magnet orbit seven"],
  ["zebra-lunar-copper-field-quilt-anvil"],
  ["0f3a9c71d2e84b5680a7c4d3e9b1f625"],
  ["Vq7#mK2!xZ9$wP4&bN"],
  ["j4k2-9xqp-w7nd-t5rz-b8hs"],
])("%j is taken", (strong) => {
  expect(weaknessOf(strong)).toBeNull();
});

test("what is made here has 128 bits, and is taken whatever it came to", () => {
  expect(newPassphrase(new Uint8Array(16))).toBe("aaaa-aaaa-aaaa-aaaa-aaaa-aaaa-aa");
  expect(newPassphrase(new Uint8Array(16).fill(255))).toBe("7777-7777-7777-7777-7777-7777-74");
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
  const text = (made: Uint8Array) => newPassphrase(made).replaceAll("-", "");
  fc.assert(
    fc.property(bytes, bytes, (one, other) => (text(one) === text(other)) === (Buffer.compare(one, other) === 0)),
  );
  for (let draw = 0; draw < 2_000; draw += 1) {
    expect(weaknessOf(newPassphrase(crypto.getRandomValues(new Uint8Array(16))))).toBeNull();
  }
});

test("more of the same is no better, and any text is looked at in no time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 3, maxLength: 40 }), (text) => {
      const bits = guessingBits(text);
      expect(bits).toBeGreaterThanOrEqual(0);
      expect(guessingBits(text.repeat(3))).toBeLessThan(bits + 40);
    }),
  );
});
