/** What may be said of the original of a modify. */
import { expect, test } from "bun:test";
import { BEHIND_MS, SHOWN_WITHIN_MS } from "../../src/core/evidence.ts";
import {
  type GoneBefore,
  goneBefore,
  hasCanceledOriginal,
  isLeftOpen,
  isOriginalOver,
  judgeGone,
  type ModifyFacts,
  type ModifyRefusal,
  type RecordedEnd,
} from "../../src/core/modify-evidence.ts";

const REFUSALS: readonly ModifyRefusal[] = ["left", "canceled", "at_placing", null];

test("a modify has left its original open by four proofs, and by no number of looks while a server may be behind", () => {
  const may = { looks: 1_000, openForMs: 10 ** 9, sinceSignedMs: BEHIND_MS };
  const shown = { hasNeverRun: false, refusal: null, isShownSince: false, isFilledSince: false, ...may };
  for (const refusal of REFUSALS) expect(isLeftOpen({ ...shown, refusal })).toBe(refusal === "left");
  expect(isLeftOpen({ ...shown, refusal: "left", looks: 2 })).toBe(false);
  expect(isLeftOpen({ ...shown, refusal: "left", openForMs: 1_999 })).toBe(false);
  expect(isLeftOpen({ ...shown, looks: 1, openForMs: 0, hasNeverRun: true })).toBe(true);
  expect(isLeftOpen({ ...shown, looks: 1, openForMs: 0, isShownSince: true })).toBe(true);
  expect(isLeftOpen({ ...shown, looks: 1, openForMs: 0, isFilledSince: true })).toBe(true);
  const late = { ...shown, sinceSignedMs: BEHIND_MS + 1 };
  for (const refusal of REFUSALS) expect(isLeftOpen({ ...late, refusal })).toBe(true);
  expect(isLeftOpen({ ...late, looks: 2 })).toBe(false);
  expect(isLeftOpen({ ...late, openForMs: 1_999 })).toBe(false);
});

test("an original is over where its replacement was placed, unless that was to be placed in any case", () => {
  const facts = { isAlwaysPlace: false, hasPlaced: true, refusal: null };
  expect(isOriginalOver(facts)).toBe(true);
  expect(isOriginalOver({ ...facts, isAlwaysPlace: true })).toBe(false);
  expect(isOriginalOver({ ...facts, hasPlaced: false })).toBe(false);
  expect(isOriginalOver({ isAlwaysPlace: true, hasPlaced: false, refusal: "canceled" })).toBe(true);
});

test("a modify is said to have canceled its original only where it came so far and nothing else did it", () => {
  const facts = { isAlwaysPlace: false, isTaken: false, hasPlaced: false, refusal: null };
  const end = { goneBefore: "no", isCanceledOtherwise: false } as const;
  for (const refusal of REFUSALS) {
    const isProof = refusal === "canceled" || refusal === "at_placing";
    const placed = { ...facts, refusal, hasPlaced: true };
    expect(hasCanceledOriginal({ ...facts, refusal }, end)).toBe(isProof);
    expect(hasCanceledOriginal(placed, end)).toBe(true);
    for (const gone of ["yes", "unclear"] as const)
      expect(hasCanceledOriginal(placed, { ...end, goneBefore: gone })).toBe(false);
    expect(hasCanceledOriginal(placed, { ...end, isCanceledOtherwise: true })).toBe(false);
  }
});

const IN_ANY_CASE: ModifyFacts = { isAlwaysPlace: true, isTaken: true, hasPlaced: true, refusal: null };
const PLAIN = { ...IN_ANY_CASE, isAlwaysPlace: false };
const REFUSED = { ...PLAIN, isTaken: false };
const SIGNED_AT = { signedAtMs: 100_000, placedAtMs: null };

test.each<[string, ModifyFacts, Partial<RecordedEnd> | null, GoneBefore]>([
  ["no end is shown", IN_ANY_CASE, null, "no"],
  ["an end of its own", IN_ANY_CASE, { kind: "own" }, "yes"],
  ["an end of its own, and a plain modify was refused", REFUSED, { kind: "own" }, "yes"],
  ["an end of its own, and a plain modify was taken", PLAIN, { kind: "own" }, "no"],
  ["an end of its own, and a plain modify was refused after its cancel", { ...REFUSED, refusal: "canceled" }, {}, "no"],
  ["canceled before it was placed, and a plain modify was taken", PLAIN, { placedAtMs: 200_000 }, "no"],
  ["canceled in a block before that of its placing", IN_ANY_CASE, { endedAtMs: 102_999, placedAtMs: 103_000 }, "yes"],
  ["canceled in the block of its placing", IN_ANY_CASE, { endedAtMs: 103_000, placedAtMs: 103_000 }, "no"],
  ["canceled before it was signed, by a clock", IN_ANY_CASE, { endedAtMs: 97_999 }, "unclear"],
  ["canceled before any clock of ours can have signed it", IN_ANY_CASE, { endedAtMs: 39_999 }, "yes"],
  ["canceled after it was signed", IN_ANY_CASE, { endedAtMs: 98_000 }, "unclear"],
  ["canceled after it was signed, and nothing was taken", REFUSED, { endedAtMs: 98_000 }, "no"],
  ["canceled before it was signed, and nothing was taken", REFUSED, { endedAtMs: 97_999 }, "unclear"],
  ["canceled in a block after that of its placing", IN_ANY_CASE, { endedAtMs: 103_001, placedAtMs: 103_000 }, "yes"],
  ["canceled after what was refused came to its placing", REFUSED, { endedAtMs: 103_001, placedAtMs: 103_000 }, "no"],
  [
    "canceled in a block before what was refused came to it",
    REFUSED,
    { endedAtMs: 102_999, placedAtMs: 103_000 },
    "yes",
  ],
  ["over by another look, while this one shows it open", IN_ANY_CASE, { endedAtMs: null, placedAtMs: 1 }, "unclear"],
  ["over by another look, and nothing was taken", REFUSED, { endedAtMs: null }, "no"],
])("what an original's record says of its end and its modify: %s", (_name, facts, end, gone) => {
  const recorded: RecordedEnd | null = end && { kind: "any", endedAtMs: 50_000, ...SIGNED_AT, ...end };
  expect(goneBefore(facts, recorded)).toBe(gone);
});

test.each<[string, GoneBefore[], GoneBefore, GoneBefore]>([
  ["one store says that its end was its own", ["yes"], "unclear", "yes"],
  ["two say so", ["yes", "yes"], "yes", "yes"],
  ["another tells an end that may be the modify's", ["yes", "unclear"], "unclear", "unclear"],
  ["another tells that of the placing", ["yes", "no"], "no", "no"],
  ["all three differ", ["yes", "unclear", "no"], "no", "no"],
  ["two against one", ["yes", "unclear", "yes"], "yes", "yes"],
])("whose end it was, where %s", (_name, words, soon, late) => {
  expect(judgeGone(words, 0)).toBe(soon);
  expect(judgeGone(words, SHOWN_WITHIN_MS - 1)).toBe(soon);
  expect(judgeGone(words, SHOWN_WITHIN_MS)).toBe(late);
});
