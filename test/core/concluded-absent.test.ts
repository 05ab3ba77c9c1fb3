/** What was concluded of a leg stands with it for as long as that is what it is told by. */
import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
import { filledAt, isConcludedAbsent, type Leg, type LegEvent } from "../../src/core/order.ts";
import { legRow } from "../support/rows.ts";

const HALF = filledAt(decimal("0.5"), decimal("100"));

function after(leg: Leg, event: LegEvent): Leg {
  const next = advanceLeg(leg, event);
  if (next === null) throw new Error("bug: a contradiction");
  return next;
}

const ABSENT = after(legRow(), { type: "proven_absent", reason: "it never ran", absence: "never_ran" });

test("it says by what, and that no refusal is known", () => {
  expect(ABSENT).toMatchObject({ state: "absent", absence: "never_ran" });
  expect(isConcludedAbsent(ABSENT)).toBe(true);
  expect(isConcludedAbsent({ ...ABSENT, absence: "not_sent" })).toBe(true);
  expect(isConcludedAbsent({ ...ABSENT, absence: "refused" })).toBe(false);
  expect(isConcludedAbsent(legRow())).toBe(false);
});

test.each<[LegEvent, Leg["state"]]>([
  [{ type: "rested", oid: "77" }, "resting"],
  [{ type: "armed", oid: "77" }, "armed"],
  [{ type: "filled", oid: "77", filled: HALF }, "filled"],
  [{ type: "canceled", oid: "77", reason: null, filled: null }, "canceled"],
  [{ type: "closing", oid: "77" }, "closing"],
  [{ type: "rejected", reason: "refused", oid: null }, "rejected"],
  [{ type: "reported", oid: "77" }, "lost"],
  [{ type: "fills_seen", filled: HALF }, "lost"],
])("nothing of it stays once the exchange has told: %o", (event, state) => {
  expect(after(ABSENT, event)).toMatchObject({ state, absence: null });
});

test("an end that was concluded says by what as well, and the exchange's own end does not", () => {
  const end = { type: "canceled", oid: null, reason: "over", filled: null } as const;
  expect(after(legRow(), { ...end, absence: "outlived" })).toMatchObject({ state: "canceled", absence: "outlived" });
  expect(after(legRow(), end)).toMatchObject({ state: "canceled", absence: null });
});
