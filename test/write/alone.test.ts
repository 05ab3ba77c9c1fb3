/** What an action without an id of its own could still be mistaken for. */
import { expect, test } from "bun:test";
import type { Attempt, Seal } from "../../src/core/attempt.ts";
import { isUndecided, requireAlone } from "../../src/write/alone.ts";

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

/** By their ids: which are like the new one now, and which it goes beside. */
const BESIDE: [string, number[], number[], string | null][] = [
  ["none is like it", [], [], null],
  ["those that it goes beside were waited for", [3, 4], [4, 3], null],
  ["one has come since, that waited for nothing either", [3], [], "An action just like this one is under way."],
  ["one has come beside those", [3, 5], [3], "An action just like this one is under way."],
  [
    "those that it waited for are decided, and another has come",
    [5],
    [3],
    "An action just like this one is under way.",
  ],
];

test.each(BESIDE)("of two that were asked for in one moment one leaves: %s", (_what, alike, beside, because) => {
  const now = () => requireAlone({ alike: () => alike.map((id) => ({ id }) as Attempt), besideIds: new Set(beside) });
  if (because === null) expect(now()).toBeUndefined();
  else expect(now).toThrow(because);
});
