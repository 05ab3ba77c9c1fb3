/** What a trade makes of what a bot held. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { signedSize } from "../../src/core/signed-size.ts";

test.each([
  ["buy", "2", "2"],
  ["sell", "2", "-2"],
  // Taken back as it was booked.
  ["sell", "-2", "2"],
  ["buy", "-2", "-2"],
] as const)("a %s of %s moves a net by %s", (side, size, moved) => {
  expect<string>(signedSize(side, decimal(size))).toBe(moved);
});
