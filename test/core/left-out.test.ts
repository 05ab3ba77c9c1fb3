/** What others of its batch, which are at the exchange, say of an order of which nothing is shown. */
import { expect, test } from "bun:test";
import { concludeAbsence } from "../../src/core/evidence.ts";

const TAKEN = { seal: "nonce_taken", hasLanded: true, negatives: 0 } as const;
const EMPTY_ACTION = { seal: "noop", hasLanded: false, negatives: 0 } as const;
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
const RAN = { ...NO_TRACE, hasRun: true };

test.each([
  ["an empty action was accepted, and none is there", EMPTY_ACTION, NO_TRACE, "never_ran"],
  ["an empty action was accepted, and another is there", EMPTY_ACTION, RAN, null],
  ["another is there", TAKEN, RAN, null],
  ["one history holds another and lacks it", TAKEN, { ...RAN, leftOut: 1 }, null],
  ["two histories hold another and lack it", TAKEN, { ...RAN, leftOut: 2 }, "left_out"],
  ["two do, and a fill may be its own", TAKEN, { ...RAN, leftOut: 2, hasFills: true }, null],
] as const)("%s", (_what, attempt, trace, absence) => {
  expect(concludeAbsence(attempt, trace, null)).toBe(absence);
});
