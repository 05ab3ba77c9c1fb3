/** When something was shown against when something happened. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Happened, isAfter, type ShownState } from "../../src/core/mark.ts";

const AT_MS = 1_000_000;
/** Clocks agree within so much, milliseconds. */
const SLACK_MS = 250;

function told(timeMs: number, heard: number): ShownState {
  return { timeMs, heard, askedAtMs: null };
}

function read(timeMs: number, askedAtMs: number): ShownState {
  return { timeMs, heard: null, askedAtMs };
}

const HEARD: Happened = { kind: "heard", timeMs: AT_MS, heard: 7 };
const DATED: Happened = { kind: "dated", timeMs: AT_MS };
const NOTED: Happened = { kind: "noted", timeMs: AT_MS, atMs: 500 };

test.each<[string, ShownState, Happened, boolean]>([
  ["a frame of a millisecond later", told(AT_MS + 1, 3), HEARD, true],
  ["a frame of that millisecond, told after it", told(AT_MS, 8), HEARD, true],
  ["a frame of that millisecond, told with it", told(AT_MS, 7), HEARD, false],
  ["a frame of that millisecond, told before it", told(AT_MS, 6), HEARD, false],
  ["a frame of before, told after it", told(AT_MS - 1, 9), HEARD, false],
  ["a read of that millisecond", read(AT_MS, 900), HEARD, false],
  ["a read of a millisecond later", read(AT_MS + 1, 100), HEARD, true],
  ["a frame of that millisecond, of what has no place", told(AT_MS, 9), DATED, false],
  ["a frame of a millisecond later, of what has no place", told(AT_MS + 1, 1), DATED, true],
  ["a read of that millisecond, of what has no place", read(AT_MS, 900), DATED, false],
  ["a frame within what clocks may differ by", told(AT_MS + SLACK_MS, 9), NOTED, false],
  ["a frame beyond what clocks may differ by", told(AT_MS + SLACK_MS + 1, 9), NOTED, true],
  ["a read that was asked for after the answer", read(AT_MS, 501), NOTED, true],
  ["a read that was asked for with the answer", read(AT_MS + 9_000, 500), NOTED, false],
  ["a read of before, asked for after the answer", read(AT_MS - 1, 900), NOTED, false],
])("%s", (_what, shown, happened, isHeld) => {
  expect(isAfter(shown, happened)).toBe(isHeld);
});

const TIME = fc.integer({ min: 0, max: 2_000 });
const PLACE = fc.integer({ min: 0, max: 20 });

const SHOWN: fc.Arbitrary<ShownState> = fc.oneof(
  fc.tuple(TIME, PLACE).map(([timeMs, heard]) => told(timeMs, heard)),
  fc.tuple(TIME, TIME).map(([timeMs, askedAtMs]) => read(timeMs, askedAtMs)),
);

const HAPPENED: fc.Arbitrary<Happened> = fc.oneof(
  fc.tuple(TIME, PLACE).map(([timeMs, heard]): Happened => ({ kind: "heard", timeMs, heard })),
  TIME.map((timeMs): Happened => ({ kind: "dated", timeMs })),
  fc.tuple(TIME, TIME).map(([timeMs, atMs]): Happened => ({ kind: "noted", timeMs, atMs })),
);

/** The same a while later. */
function laterShown({ timeMs, heard, askedAtMs }: ShownState, byMs: number): ShownState {
  return {
    timeMs: timeMs + byMs,
    heard: heard === null ? null : heard + byMs,
    askedAtMs: askedAtMs === null ? null : askedAtMs + byMs,
  };
}

function laterHappened(happened: Happened, byMs: number): Happened {
  const timeMs = happened.timeMs + byMs;
  if (happened.kind === "heard") return { ...happened, timeMs, heard: happened.heard + byMs };
  return happened.kind === "dated" ? { ...happened, timeMs } : { ...happened, timeMs, atMs: happened.atMs + byMs };
}

describe("of anything that was shown and anything that happened", () => {
  test("what holds it is still after it when it is shown later, or happened earlier", () => {
    fc.assert(
      fc.property(SHOWN, HAPPENED, TIME, (shown, happened, byMs) => {
        fc.pre(isAfter(shown, happened));
        expect(isAfter(laterShown(shown, byMs), happened)).toBe(true);
        expect(isAfter(shown, laterHappened(happened, -byMs))).toBe(true);
      }),
    );
  });

  test("nothing of before it is after it", () => {
    fc.assert(
      fc.property(SHOWN, HAPPENED, TIME, (shown, happened, byMs) => {
        fc.pre(shown.timeMs <= happened.timeMs - byMs);
        const isOfItsMillisecond = shown.timeMs === happened.timeMs;
        if (!isOfItsMillisecond || happened.kind === "dated") expect(isAfter(shown, happened)).toBe(false);
      }),
    );
  });

  /** The exchange's time as we have it differs from the true one by no more than the slack. */
  test("a frame of before our answer is not after it, however far our clock is out within its slack", () => {
    const error = fc.integer({ min: -SLACK_MS, max: SLACK_MS });
    fc.assert(
      fc.property(TIME, error, TIME, PLACE, (trueMs, errorMs, beforeMs, heard) => {
        const noted: Happened = { kind: "noted", timeMs: trueMs + errorMs, atMs: trueMs };
        expect(isAfter(told(trueMs - beforeMs, heard), noted)).toBe(false);
        expect(isAfter(read(trueMs - beforeMs, trueMs - beforeMs), noted)).toBe(false);
      }),
    );
  });
});
