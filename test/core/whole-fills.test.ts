/** An order of which all was filled is filled, whatever a record, a word or a lack of one says of it. */

import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
import { filledAt, type LegEvent, type LegState } from "../../src/core/order.ts";
import { legRow } from "../support/rows.ts";

const LEG = legRow();
const WHOLE: LegEvent = { type: "fills_seen", filled: filledAt(LEG.size, decimal("100")) };
const STATES: LegState[] = ["sent", "lost", "resting", "armed", "closing", "canceled", "absent"];

test.each(STATES)("fills of all that was asked for are the end of a leg that is %s", (state) => {
  const named = { ...LEG, state, oid: "77", reason: "words" };
  expect(advanceLeg(named, WHOLE)).toMatchObject({ state: "filled", isExchangesWord: true });
  expect(advanceLeg({ ...named, oid: null }, WHOLE)?.state).not.toBe("filled");
  expect(advanceLeg({ ...named, size: decimal("2") }, WHOLE)?.state).not.toBe("filled");
});

test("in whatever order fills, name and end are told", () => {
  const rested: LegEvent = { type: "rested", oid: "77" };
  const canceled: LegEvent = { type: "canceled", oid: "77", reason: "a word that is new", filled: null };
  for (const events of [
    [rested, WHOLE, canceled],
    [WHOLE, canceled, rested],
    [canceled, rested, WHOLE],
  ]) {
    const end = events.reduce((leg, event) => advanceLeg(leg, event) ?? leg, LEG);
    expect(end).toMatchObject({ state: "filled", reason: null });
  }
});

test("an alarm stays, and what the exchange refused has no fills", () => {
  expect(advanceLeg({ ...LEG, state: "resting", oid: "77", reason: "ALARM" }, WHOLE)?.reason).toBe("ALARM");
  expect(advanceLeg({ ...LEG, state: "rejected", oid: "77", isExchangesWord: true }, WHOLE)).toBeNull();
});

test("one that is filled by what was known of it takes more that is shown later", () => {
  const filled = { ...LEG, state: "filled" as const, oid: "77", filledSize: LEG.size, filledNotional: decimal("100") };
  const more: LegEvent = { type: "fills_seen", filled: filledAt(decimal("1.5"), decimal("100")) };
  expect(advanceLeg(filled, more)).toMatchObject({ state: "filled", filledSize: "1.5" });
  expect(advanceLeg({ ...LEG, state: "resting", oid: "77" }, more)).toBeNull();
});
