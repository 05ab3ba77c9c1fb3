/** What cancels that find nothing say of an order of which no answer ever came. */
import { expect, test } from "bun:test";
import { type CancelsWord, concludeAbsence, isUnfound } from "../../src/core/evidence.ts";

const LONG_MS = 5 * 60_000;
const MISSED: CancelsWord = { readings: 2, forMs: LONG_MS, isConfirmedNumber: true };
const UNSEEN = { canCome: false, unseenForMs: LONG_MS };

test.each<[string, Parameters<typeof isUnfound>, boolean]>([
  ["of which nothing can newly come", [MISSED, UNSEEN], true],
  ["that may still arrive", [MISSED, { ...UNSEEN, canCome: true }], false],
  ["that something may have shown meanwhile", [MISSED, { ...UNSEEN, unseenForMs: LONG_MS - 1 }], false],
  ["that no cancel has asked for", [null, UNSEEN], false],
])("cancels that find nothing of a lost order %s", (_name, facts, isIt) => {
  expect(isUnfound(...facts)).toBe(isIt);
});

const UNFOUND = {
  isNamed: false,
  hasFills: false,
  sweeps: 0,
  outlived: 0,
  areFillsKnown: true,
  hadNothingToReplace: false,
  isUnfound: true,
  hasRun: false,
  leftOut: 0,
};

test("of a lost order that no cancel finds nobody knows whether it ever was there, unless something tells that it never was", () => {
  const taken = { seal: "nonce_taken", hasLanded: false, negatives: 0 } as const;
  expect(concludeAbsence(taken, UNFOUND, null)).toBe("unfound");
  expect(concludeAbsence({ ...taken, negatives: 2 }, UNFOUND, null)).toBe("left_nothing");
  expect(concludeAbsence(taken, { ...UNFOUND, isNamed: true }, null)).toBeNull();
});
