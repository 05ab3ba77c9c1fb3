/** What may be concluded, from every combination of facts; above all what may not. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import {
  type Absence,
  type Agreement,
  agreementOf,
  areFillsAll,
  type CancelsWord,
  concludeAbsence,
  DISPUTED_AFTER_MS,
  isGoneByCancels,
  isNothingToCancel,
  isOutlived,
  isWitness,
  judgeSize,
  lacks,
  type MissingTwap,
  QUIET_AFTER_MS,
  QUIET_SPACING_MS,
  READING_SPACING_MS,
  type SizeReading,
  type SizeVerdict,
} from "../../src/core/evidence.ts";

const NO_TRACE = {
  isNamed: false,
  hasFills: false,
  sweeps: 0,
  outlived: 0,
  areFillsKnown: true,
  hadNothingToReplace: false,
  isUnfound: false,
  hasRun: false,
  leftOut: 0,
};
const WORDS = "The order is not to our taste.";

type Facts = Parameters<typeof concludeAbsence>[0];
const unsealed: Facts = { seal: null, hasLanded: false, negatives: 0 };
const taken: Facts = { ...unsealed, seal: "nonce_taken" };

test.each<[string, Facts, string | null, number, Absence | null]>([
  ["silence, however often", { ...unsealed, negatives: 1 }, null, 2, null],
  ["a number that our empty action took", { ...unsealed, seal: "noop" }, null, 0, "never_ran"],
  ["a number that is taken", taken, null, 2, null],
  ["a number that the action itself took", { ...taken, hasLanded: true }, null, 2, null],
  ["one witness", { ...taken, negatives: 1 }, null, 2, null],
  ["two witnesses", { ...taken, negatives: 2 }, null, 2, "left_nothing"],
  ["two witnesses after it expired", { ...unsealed, seal: "expiry", negatives: 2 }, null, 2, "left_nothing"],
  ["a refusal heard, its number free", unsealed, WORDS, 2, null],
  ["a refusal heard, its number taken by we know not what", taken, WORDS, 2, null],
  [
    "a refusal heard, its number taken by itself, nothing looked through",
    { ...taken, hasLanded: true },
    WORDS,
    0,
    null,
  ],
  [
    "a refusal heard, its number taken by itself, and nothing found once",
    { ...taken, hasLanded: true },
    WORDS,
    1,
    null,
  ],
  [
    "a refusal heard, its number taken by itself, and nothing found twice",
    { ...taken, hasLanded: true },
    WORDS,
    2,
    "refused",
  ],
])("%s", (...[, attempt, refusal, sweeps, absence]) => {
  expect(concludeAbsence(attempt, { ...NO_TRACE, sweeps }, refusal)).toBe(absence);
});

test("a modify whose original had another end placed nothing, whatever is known of its number", () => {
  const trace = { ...NO_TRACE, hadNothingToReplace: true };
  expect([unsealed, taken].map((attempt) => concludeAbsence(attempt, trace, null))).toEqual([
    "replaced_nothing",
    "replaced_nothing",
  ]);
});

test("what the exchange no longer keeps is said to be lost, after two looks through everything", () => {
  expect(concludeAbsence(taken, { ...NO_TRACE, sweeps: 2, outlived: 1 }, null)).toBeNull();
  expect(concludeAbsence(taken, { ...NO_TRACE, sweeps: 2, outlived: 2 }, null)).toBe("outlived");
  const unread = { ...NO_TRACE, sweeps: 2, outlived: 9, areFillsKnown: false };
  expect(concludeAbsence(taken, unread, null)).toBeNull();
  expect(isOutlived({ newestAtMs: 61_001, listedAtMs: 1_001, reachesBack: false }, 1_000)).toBe(true);
  expect(isOutlived({ newestAtMs: 61_001, listedAtMs: 1_000, reachesBack: false }, 1_000)).toBe(false);
  expect(isOutlived({ newestAtMs: 61_001, listedAtMs: null, reachesBack: false }, 1_000)).toBe(false);
  expect(isOutlived({ newestAtMs: 61_000, listedAtMs: 1_001, reachesBack: false }, 1_000)).toBe(false);
  expect(isOutlived({ newestAtMs: 61_001, listedAtMs: 1_001, reachesBack: true }, 1_000)).toBe(false);
});

test("whatever else is known, one store that shows a trace outweighs it", () => {
  const facts = fc.record({
    seal: fc.constantFrom("noop", "nonce_taken", "expiry", null),
    hasLanded: fc.boolean(),
    negatives: fc.nat(50),
  });
  fc.assert(
    fc.property(facts, fc.option(fc.string()), fc.boolean(), fc.nat(9), (attempt, refusal, isNamed, sweeps) => {
      expect(
        concludeAbsence(
          attempt,
          {
            isNamed,
            hasFills: !isNamed,
            sweeps,
            outlived: 9,
            areFillsKnown: true,
            hasRun: true,
            leftOut: 9,
            hadNothingToReplace: true,
            isUnfound: true,
          },
          refusal,
        ),
      ).toBeNull();
    }),
  );
});

test.each<[MissingTwap["shown"], number, boolean]>([
  ["ended", 1, true],
  ["running", 100, false],
  ["nothing", 2, false],
  ["nothing", 3, true],
])("a TWAP that is not found, of which the history shows %s, after %d cancels", (shown, misses, isNothing) => {
  expect(isNothingToCancel({ shown, misses })).toBe(isNothing);
});

test("a history is a witness only by something newer in itself, and when it reaches back", () => {
  expect(isWitness({ newestAtMs: 1_001, listedAtMs: 1_001, reachesBack: true }, 1_000)).toBe(true);
  expect(isWitness({ newestAtMs: 1_000, listedAtMs: 1_001, reachesBack: true }, 1_000)).toBe(false);
  expect(isWitness({ newestAtMs: null, listedAtMs: 1_001, reachesBack: true }, 1_000)).toBe(false);
  expect(isWitness({ newestAtMs: 1_001, listedAtMs: 1_001, reachesBack: false }, 1_000)).toBe(false);
});

type Kind = { isFilled?: boolean; isReduceOnly?: boolean; mayFallShort?: boolean };

function close(rest: string, filled: string, some: Kind = {}): Agreement {
  const plain = { isFilled: false, isReduceOnly: false, mayFallShort: false, ...some };
  return agreementOf({ asked: decimal("1"), rest: decimal(rest), filled: decimal(filled), ...plain });
}

test.each([
  ["canceled, nothing filled, by record and fills", close("1", "0"), "untouched"],
  ["canceled with a part, by record and fills", close("0.6", "0.4"), "agreed"],
  ["canceled with a part that the fills do not show yet", close("0.6", "0"), "missing"],
  ["canceled with a part that the fills show half", close("0.6", "0.2"), "missing"],
  ["canceled with a part that the record leaves out", close("1", "0.4"), "over"],
  ["canceled, all of it filled", close("1", "1"), "agreed"],
  ["filled, and the fills not shown", close("0", "0", { isFilled: true }), "silent"],
  ["filled, its rest as asked, and the fills not shown", close("1", "0", { isFilled: true }), "silent"],
  ["filled, and half of it shown", close("0", "0.5", { isFilled: true }), "missing"],
  ["filled, as it may be with half of it", close("0", "0.5", { isFilled: true, mayFallShort: true }), "short"],
  ["filled, with a rest that fits", close("0.5", "0.5", { isFilled: true, mayFallShort: true }), "short"],
  ["reduce-only, shrunk with its position", close("0.2", "0", { isReduceOnly: true }), "short"],
  ["reduce-only, nothing filled", close("1", "0", { isReduceOnly: true }), "untouched"],
] as const)("%s", (_name, found, agreement) => {
  expect(found).toBe(agreement);
});

function at(elapsedMs: number, some: Partial<SizeReading> = {}): SizeReading {
  const plain = { elapsedMs, sinceCloseMs: elapsedMs, isWitnessed: false, position: "unknown" } as const;
  return { agreement: "missing", filled: decimal("0"), ...plain, ...some };
}

function twice(some: Partial<SizeReading>): SizeReading[] {
  return [0, 1_500].map((ms) => at(ms, some));
}

/** Two readings after a first one at the close. */
function quietly(
  some: Partial<SizeReading>,
  { firstMs = QUIET_AFTER_MS, apartMs = QUIET_SPACING_MS }: { firstMs?: number; apartMs?: number } = {},
): SizeReading[] {
  return [0, firstMs, firstMs + apartMs].map((ms) => at(ms, some));
}

function hourly(some: Partial<SizeReading>): SizeReading[] {
  return [0, 60_000, 3_600_000].map((ms) => at(ms, some));
}

const untouched = { agreement: "untouched" } as const;
const stood = { ...untouched, position: "unmoved" } as const;
const short = { agreement: "short", filled: decimal("0.4") } as const;
const over = { agreement: "over", filled: decimal("0.4") } as const;

test.each<[string, SizeReading[], SizeVerdict]>([
  ["nothing read", [], "open"],
  ["record and fills agree", [at(0, { agreement: "agreed" })], "final"],
  ["untouched, once", [at(0, untouched)], "open"],
  ["untouched, and the position unmoved", [at(0, { ...untouched, position: "unmoved" })], "open"],
  [
    "untouched twice at once, the position unmoved",
    [0, READING_SPACING_MS - 1].map((ms) => at(ms, { ...untouched, position: "unmoved" })),
    "open",
  ],
  [
    "untouched twice, apart, the position unmoved",
    [0, READING_SPACING_MS].map((ms) => at(ms, { ...untouched, position: "unmoved" })),
    "final",
  ],
  ["untouched twice, no position to compare", twice(untouched), "open"],
  ["untouched, no position, long enough after the close", quietly(untouched), "final"],
  ["untouched, no position, a reading too soon", quietly(untouched, { firstMs: QUIET_AFTER_MS - 1 }), "open"],
  ["untouched, no position, readings too near", quietly(untouched, { apartMs: QUIET_SPACING_MS - 1 }), "open"],
  ["untouched, no position, closed long ago", [0, 2_000].map((ms) => at(ms + 13_000, untouched)), "final"],
  [
    "untouched, no position, closed long ago by a clock that may be ahead",
    [0, 2_000].map((ms) => at(ms, { ...untouched, sinceCloseMs: 12_999 })),
    "open",
  ],
  ["untouched, the position behind, for an hour", hourly({ ...untouched, position: "behind" }), "open"],
  [
    "untouched, the position behind at last",
    [...quietly(untouched), at(6_000, { ...untouched, position: "behind" })],
    "open",
  ],
  ["untouched twice, the position moved", twice({ ...untouched, position: "moved" }), "open"],
  ["untouched, the position moved, for an hour", hourly({ ...untouched, position: "moved" }), "open"],
  [
    "untouched twice, the position unmoved, and moved between",
    [at(0, stood), at(1_000, { ...untouched, position: "moved" }), at(2_000, stood)],
    "open",
  ],
  [
    "untouched, the position moved, and unmoved twice after it",
    [at(0, { ...untouched, position: "moved" }), at(1_000, stood), at(2_000, stood)],
    "final",
  ],
  [
    "short, the position unmoved, moved, and unmoved again",
    [3_000, 4_000, 5_000].map((ms) => at(ms, { ...short, position: ms === 4_000 ? "moved" : "unmoved" })),
    "open",
  ],
  ["untouched twice, the position moved, behind something newer", twice({ ...untouched, isWitnessed: true }), "final"],
  ["short, however often", [0, 5_000, 10_000].map((ms) => at(ms, short)), "open"],
  ["short twice, the position unmoved", twice({ ...short, position: "unmoved" }), "open"],
  ["short, the position unmoved, long enough after the close", quietly({ ...short, position: "unmoved" }), "final"],
  [
    "short, the position unmoved, a reading too soon",
    quietly({ ...short, position: "unmoved" }, { firstMs: 2_999 }),
    "open",
  ],
  [
    "short, the position unmoved, readings too near",
    quietly({ ...short, position: "unmoved" }, { apartMs: 1_999 }),
    "open",
  ],
  ["short, the position behind", quietly({ ...short, position: "behind" }), "open"],
  ["short for a minute, the position behind", hourly({ ...short, position: "behind" }), "disputed"],
  ["short twice, each behind something newer", twice({ ...short, isWitnessed: true }), "final"],
  ["short, witnessed once", [at(0, short), at(2_000, { ...short, isWitnessed: true })], "open"],
  ["short, then more", [at(0, short), at(2_000, { ...short, filled: decimal("0.5") })], "open"],
  ["more than the record leaves room for, once", [at(0, over)], "open"],
  ["more than the record leaves room for, twice", twice(over), "open"],
  ["more than the record leaves room for, the position unmoved", twice({ ...over, position: "unmoved" }), "final"],
  ["more than the record leaves room for, the position behind", quietly({ ...over, position: "behind" }), "open"],
  ["more than the record leaves room for, no position, long enough after the close", quietly(over), "final"],
  ["more than the record leaves room for, the position moved", twice({ ...over, position: "moved" }), "open"],
  ["fills missing, the position unmoved", twice({ position: "unmoved" }), "open"],
  ["fills missing, witnessed once", [at(0, { isWitnessed: true })], "open"],
  ["fills missing, witnessed twice", twice({ isWitnessed: true }), "open"],
  ["fills missing, for an hour", hourly({}), "open"],
  ["none of a filled order shown, for an hour", hourly({ agreement: "silent" }), "open"],
  [
    "more than the record leaves room for, the position moved, for an hour",
    hourly({ ...over, position: "moved" }),
    "open",
  ],
  ["short for a minute, on spot", [at(0, short), at(DISPUTED_AFTER_MS, short)], "disputed"],
  [
    "short, more within the minute",
    [at(0, short), at(DISPUTED_AFTER_MS, { ...short, filled: decimal("0.5") })],
    "open",
  ],
  ["silent, witnessed", twice({ agreement: "silent", isWitnessed: true }), "open"],
])("a close of which was read: %s", (_name, readings, verdict) => {
  expect(judgeSize(readings)).toBe(verdict);
});

test("no size is final while any later answer could still contradict it without a second word", () => {
  const readings = fc.array(
    fc.record({
      agreement: fc.constantFrom("untouched", "short", "over", "missing", "silent"),
      filled: fc.constantFrom("0", "0.4").map(decimal),
      elapsedMs: fc.nat(READING_SPACING_MS - 1),
      sinceCloseMs: fc.nat(60_000),
      isWitnessed: fc.boolean(),
      position: fc.constantFrom("unmoved", "behind", "moved", "unknown"),
    } as const),
    { maxLength: 20 },
  );
  // Within a second all answers may come of one moment.
  fc.assert(fc.property(readings, (all) => expect(judgeSize(all)).toBe("open")));
});

test("a list proves that an order is open no longer only by one that was placed later and its own lack of it", () => {
  const mine = { oid: "7", timestampMs: 1_000 };
  const later = { oid: "8", timestampMs: 2_001 };
  const earlier = { oid: "6", timestampMs: 2_000 };
  expect(lacks([later, earlier], { oid: "7", sinceMs: 2_000 })).toBe(true);
  for (const list of [[], [earlier], [mine, later], [mine]])
    expect(lacks(list, { oid: "7", sinceMs: 2_000 })).toBe(false);
});

test("fills of what has no record are all when they are known to be whole up to its first look", () => {
  expect([null, 999, 1_000].map((completeToMs) => areFillsAll(completeToMs, 1_000))).toEqual([false, false, true]);
});

const LONG_MS = 5 * 60_000;
const MISSED: CancelsWord = { readings: 2, forMs: LONG_MS, isConfirmedNumber: true };

test.each<[string, Parameters<typeof isGoneByCancels>, boolean]>([
  ["by two lists of markets, for long, and shown by nothing", [MISSED, false, LONG_MS], true],
  ["of which no cancel has said anything", [null, false, LONG_MS], false],
  ["by one list of markets alone", [{ ...MISSED, readings: 1 }, false, LONG_MS], false],
  ["for less than a list may be behind", [{ ...MISSED, forMs: LONG_MS - 1 }, false, LONG_MS], false],
  ["that something has shown meanwhile", [MISSED, false, LONG_MS - 1], false],
  ["under another number than its own", [{ ...MISSED, isConfirmedNumber: false }, false, LONG_MS], false],
  ["that may have fired", [MISSED, true, LONG_MS], false],
])("cancels that find nothing of an order %s", (_name, facts, isGone) => {
  expect(isGoneByCancels(...facts)).toBe(isGone);
});
