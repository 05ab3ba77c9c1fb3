/** A record in a word that is new, and a list that lacks it: nothing says that it is over, and nothing that it lives. */

import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
import { isEndContradicted, type Leg, type LegEvent } from "../../src/core/order.ts";
import { legRow } from "../support/rows.ts";

const RESTING: Leg = { ...legRow(), oid: "77", state: "resting", isExchangesWord: true };
const ARMED: Leg = { ...RESTING, state: "armed" };

function doubted(leg: Leg): Leg | null {
  return advanceLeg(leg, { type: "perhaps_over", because: "new_word" });
}

test.each<[string, LegEvent, Partial<Leg>, Leg]>([
  ["it rests", { type: "rested", oid: "77" }, { state: "resting", reason: null, isExchangesWord: true }, RESTING],
  ["it waits", { type: "armed", oid: "77" }, { state: "armed", reason: null, isExchangesWord: true }, ARMED],
  ["it is over", { type: "closing", oid: null }, { state: "closing", isExchangesWord: true }, RESTING],
  ["it was refused", { type: "rejected", reason: "refused", oid: "77" }, { state: "rejected" }, ARMED],
  ["it was canceled", { type: "canceled", oid: "77", reason: null, filled: null }, { state: "canceled" }, RESTING],
  ["it was seen somewhere", { type: "reported", oid: "77" }, { state: "closing", isExchangesWord: false }, RESTING],
  [
    "a part was filled",
    { type: "fills_seen", filled: { size: decimal("0.5"), notional: decimal("50") } },
    { state: "closing", isExchangesWord: false },
    RESTING,
  ],
])("what is perhaps over is as the exchange shows it next: %s", (_name, event, after, leg) => {
  const next = doubted(leg);
  expect(next === null ? null : advanceLeg(next, event)).toMatchObject(after);
});

test("an alarm stays, and what is over or never rested is in no doubt", () => {
  expect(doubted({ ...RESTING, reason: "ALARM" })).toMatchObject({ state: "closing", reason: "ALARM" });
  const over: Leg = { ...RESTING, state: "closing" };
  const lost: Leg = { ...RESTING, state: "lost", oid: null };
  expect([doubted(over), doubted(lost)]).toEqual([over, lost]);
});

test("what rested was there: no absence is proven of it afterwards", () => {
  const leg = doubted(RESTING);
  expect(
    leg === null ? leg : advanceLeg(leg, { type: "proven_absent", reason: "never ran", absence: "never_ran" }),
  ).toBeNull();
});

test("whether a list holds what its record alone says is over is told as it was at the last look, and nothing else takes that back", () => {
  const after = (leg: Leg | null, because: (LegEvent & { type: "perhaps_over" })["because"]) =>
    leg === null ? null : advanceLeg(leg, { type: "perhaps_over", because });
  const alone = after(ARMED, "record_alone");
  const listed = after(alone, "contradicted");
  expect([alone, listed].map((leg) => leg !== null && isEndContradicted(leg))).toEqual([false, true]);
  expect(after(listed, "no_record")).toEqual(listed);
  expect(after(listed, "record_alone")).toEqual(alone);
  expect(after(doubted(ARMED), "contradicted")).toEqual(doubted(ARMED));
});
