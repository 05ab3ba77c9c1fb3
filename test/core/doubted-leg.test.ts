import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { legRow } from "../support/rows.ts";

test.each([
  ["resting", null, "more was filled"],
  ["filled", null, "more was filled"],
  ["canceled", null, "more was filled"],
  ["canceled", "by the exchange", "by the exchange; more was filled"],
  ["rejected", "too small", "too small"],
  ["absent", "never arrived", "never arrived"],
] as const)("what is wrong with a leg that is %s, for the reason %p, is told: %p", (state, reason, told) => {
  const doubted = { type: "doubted", reason: "more was filled" } as const;
  const leg = advanceLeg(legRow({ state, reason, isExchangesWord: true }), doubted);
  expect<string | null | undefined>(leg?.reason).toBe(told);
  // Once, however often it is seen.
  expect(leg === null ? null : advanceLeg(leg, doubted)).toBe(leg);
});
