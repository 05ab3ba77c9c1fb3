/** What a price-only modify has placed too much, from the legs and attempts as they stand. */
import { expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import { decimal } from "../../src/core/decimal.ts";
import { excessOf, isTakingOff, reductionsOf, standingExcess } from "../../src/core/excess.ts";
import type { Leg } from "../../src/core/order.ts";
import { attemptRow, legRow } from "../support/rows.ts";

function leg(ordinal: number, some: Partial<Leg>): Leg {
  return { ...legRow(), cloid: `0x0${ordinal}`, oid: `${ordinal}`, ordinal, size: decimal("1"), ...some };
}

function modify(id: number, cloid: string, some: Partial<Attempt> = {}): Attempt {
  return { ...attemptRow(), id, kind: "modify", cloid, idempotencyKey: "key", intendedTotal: "1", ...some };
}

const FILLED = leg(0, { state: "canceled", filledSize: decimal("0.165") });
const OPEN = leg(1, { state: "resting" });

test("what is open beyond what was asked for is too much, and so is what was filled beyond it", () => {
  const over = leg(1, { state: "filled", filledSize: decimal("1") });
  expect(excessOf([FILLED, OPEN], OPEN, "1")).toMatchObject({ kind: "live", by: "0.165", remainder: "0.835" });
  expect(excessOf([FILLED, over], over, "1")).toMatchObject({ kind: "past", by: "0.165" });
  expect(excessOf([FILLED, OPEN], OPEN, "1.165")).toEqual({ kind: "none" });
  expect(excessOf([FILLED, OPEN], OPEN, null)).toEqual({ kind: "none" });
  const armed = leg(1, { state: "armed" });
  expect(excessOf([FILLED, armed], armed, "1")).toMatchObject({ kind: "live", by: "0.165", remainder: "0.835" });
});

test("what was filled of every leg before counts", () => {
  const second = leg(1, { state: "canceled", filledSize: decimal("0.2") });
  const third = leg(2, { state: "resting", size: decimal("0.8") });
  expect(excessOf([FILLED, second, third], third, "1")).toMatchObject({
    kind: "live",
    by: "0.165",
    remainder: "0.635",
  });
});

test("what is filled of the replacement already is no part of what it is reduced to", () => {
  const partly = leg(1, { state: "resting", filledSize: decimal("0.2") });
  expect(excessOf([FILLED, partly], partly, "1")).toMatchObject({ by: "0.165", remainder: "0.635" });
});

test("what was filled too much before a replacement that was filled of nothing is not its excess", () => {
  const full = leg(0, { state: "canceled", filledSize: decimal("1") });
  const untouched = leg(1, { state: "canceled" });
  expect(excessOf([full, untouched], untouched, "0.9")).toEqual({ kind: "none" });
});

test("a replacement that was canceled when it had been filled too much is told so", () => {
  const canceled = leg(1, { state: "canceled", filledSize: decimal("0.9") });
  expect(standingExcess([FILLED, canceled], [modify(1, "0x01")])).toMatchObject({ kind: "past", by: "0.065" });
});

test("whatever was refused or lost after it, the leg that stands decides, by the modify that placed it", () => {
  const attempts = [modify(1, "0x01"), modify(2, "0x02", { idempotencyKey: "second", intendedTotal: null })];
  for (const state of ["sent", "lost", "rejected", "absent"] as const) {
    const found = standingExcess([FILLED, OPEN, leg(2, { state })], attempts);
    expect(found).toMatchObject({ kind: "live", leg: { cloid: "0x01" } });
  }
  // The second one named a size.
  expect(standingExcess([FILLED, OPEN, leg(2, { state: "resting" })], attempts)).toEqual({ kind: "none" });
  expect(standingExcess([FILLED], [])).toEqual({ kind: "none" });
});

test("a leg is reduced again, ever more seldom, until the exchange has refused it three times", () => {
  const asked = modify(1, "0x01", { targetOid: "0" });
  const tries = [2, 3, 4, 5, 6, 7, 8].map((id) => modify(id, `0x0${id}`, { targetOid: "1" }));
  const legsIn = (state: Leg["state"]) => tries.map(({ id }) => leg(id, { state }));
  expect(isTakingOff(asked, [asked, ...tries])).toBe(false);
  expect(tries.every((each) => isTakingOff(each, [asked, ...tries]))).toBe(true);
  const after = (count: number, state: Leg["state"]) =>
    reductionsOf(OPEN, legsIn(state), [asked, ...tries.slice(0, count)]);
  expect(after(0, "rejected")).toEqual({ mayReduce: true, pauseMs: 0 });
  expect(after(1, "rejected")).toEqual({ mayReduce: true, pauseMs: 1_000 });
  expect(after(3, "rejected")).toEqual({ mayReduce: false, pauseMs: 4_000 });
  expect(after(7, "absent")).toEqual({ mayReduce: true, pauseMs: 30_000 });
  // Those of a leg before it are none of its own.
  const ofAnother = tries.map((each) => ({ ...each, targetOid: "0" }));
  expect(reductionsOf(OPEN, legsIn("rejected"), [asked, ...ofAnother])).toEqual({ mayReduce: true, pauseMs: 0 });
  // What waits for its trigger can be reduced by nothing that would not place beside it.
  expect(reductionsOf(leg(1, { state: "armed" }), [], [asked])).toEqual({ mayReduce: false, pauseMs: 0 });
});
