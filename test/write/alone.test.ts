/** What an action without an id of its own could still be mistaken for. */
import { expect, test } from "bun:test";
import type { Attempt, Seal } from "../../src/core/attempt.ts";
import { isUndecided } from "../../src/write/alone.ts";

const EXPIRES_MS = 1_795_253_430_000;

const ROWS: [string, Seal | null, number, boolean][] = [
  ["one of whose number nothing is known, however late", null, EXPIRES_MS + 3_600_000, true],
  ["one whose number is taken, in its time", "nonce_taken", EXPIRES_MS - 1, true],
  ["one whose number is taken, after it", "nonce_taken", EXPIRES_MS, false],
];

test.each(ROWS)("is undecided by the exchange's time: %s", (_what, seal, exchangeMs, isSo) => {
  // As stored by a clock that is a day wrong.
  const attempt = { seal, expiresAtMs: EXPIRES_MS, createdAtMs: EXPIRES_MS - 86_400_000 } as Attempt;
  expect(isUndecided({ exchange: { nowMs: () => exchangeMs } }, attempt)).toBe(isSo);
});
