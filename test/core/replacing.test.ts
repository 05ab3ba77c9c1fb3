/** What an order is told as while an attempt that replaces it is open, and nobody knows all that it has done. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg, LegState, Order, OrderStatus } from "../../src/core/order.ts";
import { orderFromLegs } from "../../src/core/order-of-legs.ts";
import { legRow, orderRow } from "../support/rows.ts";

const ORDER: Order = orderRow();

function legIn(state: LegState): Leg {
  return { ...legRow(), state, oid: "1" };
}

function replacement(state: LegState, some: Partial<Leg> = {}): Leg {
  return { ...legIn(state), cloid: "0x02", ordinal: 1, oid: state === "sent" ? null : "2", ...some };
}

test.each([
  ["resting", "sent", "open", "1"],
  ["resting", "resting", "unknown", "1"],
  ["resting", "armed", "unknown", "1"],
  ["resting", "lost", "unknown", "1"],
  ["resting", "filled", "unknown", "1"],
  ["resting", "rejected", "unknown", "1"],
  ["canceled", "resting", "unknown", "1"],
  ["filled", "resting", "filled", "1"],
  ["canceled", "sent", "unknown", "1"],
] as const)("beside a leg that is %s, what is placed in any case is %s: %s", (first, second, status, oid) => {
  const legs = [{ ...legIn(first), oid: "1" }, replacement(second, { oid: "2" })];
  const shown = orderFromLegs({ ...ORDER, status: "open" }, legs, "in_any_case");
  expect(shown).toMatchObject({ status, exchangeOrderId: oid });
});

test("an order that was filled whole is unknown while what was to be placed in any case is lost", () => {
  const whole = { ...legIn("filled"), filledSize: decimal("1") };
  const shown = (how: "if_canceled" | "in_any_case") => orderFromLegs(ORDER, [whole, replacement("lost")], how).status;
  expect([shown("in_any_case"), shown("if_canceled")]).toEqual(["unknown", "filled"]);
});

test("an order that was canceled is unknown while its replacement is lost, and says why, however much it had filled", () => {
  // Where no native id is known, nothing has told that it was filled under its own.
  const canceled = { ...legIn("canceled"), oid: null, filledSize: decimal("1"), reason: "by the exchange" };
  const legs = [canceled, replacement("lost", { reason: "no answer came" })];
  expect(orderFromLegs(ORDER, legs, "if_canceled")).toMatchObject({ status: "unknown", error: "no answer came" });
});

test("an order is unknown while it is not known whether the refusal of its replacement left it open", () => {
  const shownWith = (first: LegState, second: LegState): OrderStatus =>
    orderFromLegs<Order>({ ...ORDER, status: "open" }, [legIn(first), replacement(second)], "if_canceled").status;
  expect([shownWith("resting", "rejected"), shownWith("armed", "absent")]).toEqual(["unknown", "unknown"]);
  expect([shownWith("resting", "resting"), shownWith("filled", "rejected")]).toEqual(["open", "filled"]);
});

test("simulated seeds 307 and 1220: what may stand beside its original is not shown as that one before it is known", () => {
  const [partly, whole] = ["0.25", "1"].map((size) => ({ ...legIn("resting"), oid: "7", filledSize: decimal(size) }));
  const order: Order = { ...ORDER, status: "open", exchangeOrderId: "7" };
  const shownOf = (leg = legRow(), isBeside = false) =>
    orderFromLegs(order, [leg, replacement("resting")], isBeside ? "in_any_case" : "if_canceled");
  expect(shownOf(partly, true)).toMatchObject({ status: "unknown", exchangeOrderId: "7" });
  expect([shownOf(partly).exchangeOrderId, shownOf(whole).exchangeOrderId]).toEqual(["2", "7"]);
});

test("simulated seed 60120236: fills of a replacement count as soon as it decides, and beside its original not before", () => {
  const before = { ...legIn("resting"), filledSize: decimal("0.25"), filledNotional: decimal("25") };
  const size = decimal("0.75");
  const filled = { filledSize: decimal("0.5"), filledNotional: decimal("50.5") };
  const legs = [before, replacement("resting", { size, ...filled })];
  const order: Order = { ...ORDER, status: "open" };
  for (const replacing of ["if_canceled", "no"] as const) {
    const shown = orderFromLegs(order, legs, replacing);
    expect(shown).toMatchObject({ status: "open", exchangeOrderId: "2", filledSize: decimal("0.75") });
    expect([decimal(shown.size), shown.averagePrice]).toEqual([decimal("1"), decimal("100.66666666")]);
  }
  const own = { filledSize: decimal("0.25"), averagePrice: decimal("100") };
  const open = { status: "unknown", filledSize: null, averagePrice: null } as const;
  expect(orderFromLegs(order, legs, "in_any_case")).toMatchObject(open);
  expect(orderFromLegs(order, [before, replacement("resting", { size })], "in_any_case")).toMatchObject(own);
  expect(orderFromLegs(order, [before, replacement("lost", { size, ...filled })], "if_canceled")).toMatchObject(open);
  const isSent = [before, replacement("sent")];
  expect(orderFromLegs(order, isSent, "if_canceled")).toMatchObject(own);
});
