import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
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

const ALARM = "ALARM: another order is under its id";

test.each(["resting", "armed"] as const)("what is %s and stands in another market is not known to be open", (state) => {
  const doubted = { type: "doubted", reason: ALARM, isElsewhere: true } as const;
  const leg = advanceLeg(legRow({ state, oid: "77", isExchangesWord: true }), doubted);
  expect(leg).toMatchObject({ state: "closing", isExchangesWord: false, reason: ALARM });
});

test("an alarm stays when the answer is lost, and goes when the order itself is shown to rest", () => {
  const alarmed = legRow({ state: "sent", oid: "77", reason: ALARM });
  expect(advanceLeg(alarmed, { type: "lost", reason: "no answer came" })).toMatchObject({
    state: "lost",
    reason: ALARM,
  });
  const resting = advanceLeg({ ...alarmed, state: "resting", isExchangesWord: true }, { type: "rested", oid: "77" });
  expect(resting).toMatchObject({ state: "resting", reason: null });
});

test("what a cancel by its name has closed is proven absent only where a namesake may be what that closed, and nothing is filled", () => {
  const over = legRow({ state: "closing", reason: ALARM, isExchangesWord: true });
  const absent = { type: "proven_absent", reason: "never ran", absence: "never_ran", mayHaveNamesake: true } as const;
  expect(advanceLeg(over, absent)).toMatchObject({ state: "absent" });
  expect(advanceLeg(over, { ...absent, mayHaveNamesake: false })).toBeNull();
  expect(advanceLeg({ ...over, filledSize: decimal("0.5") }, absent)).toBeNull();
});

test("that fills of it are missing takes no alarm away from an order that is over", () => {
  const over = legRow({ state: "closing", oid: "77", reason: ALARM, isExchangesWord: true });
  const missing = { type: "closing", oid: "77", areFillsMissing: true } as const;
  expect(advanceLeg(over, missing)).toMatchObject({ reason: ALARM });
  expect(advanceLeg(legRow({ ...over, reason: null, state: "resting" }), missing)?.reason).toContain("not shown yet");
});
