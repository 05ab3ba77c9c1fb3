/** What shows that a trigger has fired, where nobody has said so. */

import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg, LegEvent } from "../../src/core/order.ts";
import { legRow } from "../support/rows.ts";

const LEG = legRow();
const STOP: Leg = { ...LEG, trigger: { price: "90", kind: "stop_loss", market: false } };
const LISTED: LegEvent = { type: "armed", oid: "77" };
const FILLED_IN_PART: LegEvent = { type: "fills_seen", filled: { size: decimal("0.5"), notional: decimal("50") } };

test.each([[[FILLED_IN_PART, LISTED]], [[LISTED, FILLED_IN_PART]], [[LISTED, FILLED_IN_PART, LISTED]]])(
  "seed 9765: a trigger that has filled has fired, whatever a list tells of its condition (%#)",
  (events) => {
    const leg = events.reduce((before, event) => advanceLeg(before, event) ?? before, STOP);
    expect(leg).toMatchObject({ state: "resting", oid: "77", filledSize: "0.5" });
  },
);

test("nor does one wait again that a newer list shows after it was taken for over", () => {
  const over: Leg = { ...STOP, state: "closing", oid: "77", isExchangesWord: true };
  const listed: LegEvent = { type: "shown_since", oid: "77", isArmed: true };
  expect(advanceLeg(over, listed)).toMatchObject({ state: "armed" });
  expect(advanceLeg({ ...over, filledSize: decimal("0.5") }, listed)).toMatchObject({ state: "resting" });
});
