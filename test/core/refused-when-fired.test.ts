import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
import { filledAt, type Leg, type LegEvent, type LegState } from "../../src/core/order.ts";
import { legRow } from "../support/rows.ts";

const PLAIN: Leg = { ...legRow(), oid: "77" };
const STOP: Leg = { ...PLAIN, trigger: { price: "90", kind: "stop_loss", market: true } };
const REFUSED: LegEvent = { type: "rejected", reason: "nothing to reduce", oid: "77" };
const SOME: LegEvent = { type: "fills_seen", filled: filledAt(decimal("0.5"), decimal("100")) };

// biome-ignore format: a table is read by its columns
const OVER: [string, { leg: Leg; later?: LegEvent; refusal?: LegEvent; state: LegState | null }][] = [
  ["a trigger was refused when it fired",                    { leg: STOP, state: "rejected" }],
  ["also one whose native id is not known yet",              { leg: { ...STOP, oid: null }, state: "rejected" }],
  ["of one that has fills nothing was refused",              { leg: STOP, later: SOME, state: null }],
  ["a refusal at its placing is none of when it fired",      { leg: STOP, refusal: { ...REFUSED, oid: null }, state: null }],
  ["nor is that of another order",                           { leg: STOP, refusal: { ...REFUSED, oid: "78" }, state: null }],
  ["what has no trigger was there and is not refused any more", { leg: PLAIN, state: null }],
];

test.each(OVER)(
  "over, and how much was filled not known yet: %s",
  (_name, { leg, later, refusal = REFUSED, state }) => {
    const over = [{ type: "closing", oid: null } as const, ...(later === undefined ? [] : [later])].reduce<Leg>(
      (before, event) => advanceLeg(before, event) ?? before,
      leg,
    );
    expect(over.state).toBe("closing");
    expect(advanceLeg(over, refusal)?.state ?? null).toBe(state);
  },
);

test("simulated seed 170921: what a look that began earlier leaves open of a fired trigger's end contradicts no refusal", () => {
  const perhaps: LegEvent = { type: "perhaps_over", because: "record_alone" };
  const refused = (leg: Leg, event: LegEvent) => advanceLeg({ ...leg, oid: null, state: "sent" }, event) ?? leg;
  const fired = refused(STOP, REFUSED);
  expect(advanceLeg(fired, perhaps)).toBe(fired);
  expect(advanceLeg(refused(STOP, { ...REFUSED, oid: null }), perhaps)).toBeNull();
  expect(advanceLeg(refused(PLAIN, REFUSED), perhaps)).toBeNull();
});
