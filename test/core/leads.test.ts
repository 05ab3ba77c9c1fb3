/** A native id that an order has by a fill alone. */

import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg, LegEvent } from "../../src/core/order.ts";

const led: Leg = {
  cloid: "0x1",
  orderId: "1",
  oid: "66",
  ordinal: 0,
  size: decimal("1"),
  price: "100",
  timeInForce: "gtc",
  trigger: null,
  state: "lost",
  filledSize: decimal("0"),
  filledNotional: decimal("0"),
  reason: null,
  isExchangesWord: false,
  absence: null,
};

test("it is taken back, and what a record says stands in its place", () => {
  const oidAfter = (event: LegEvent) => advanceLeg(led, event)?.oid;
  expect(oidAfter({ type: "misnamed", oid: "66" })).toBeNull();
  expect(oidAfter({ type: "misnamed", oid: "77" })).toBe("66");
  expect(oidAfter({ type: "closing", oid: "77" })).toBe("77");
  expect(oidAfter({ type: "closing", oid: null })).toBe("66");
  expect(oidAfter({ type: "rejected", reason: "refused", oid: null })).toBeNull();
  // What an answer or a record has named no fill can unname.
  const confirmed: Leg = { ...led, isExchangesWord: true };
  expect(advanceLeg(confirmed, { type: "misnamed", oid: "66" })).toBe(confirmed);
  const named: Leg = { ...led, state: "resting", isExchangesWord: true };
  expect(advanceLeg(named, { type: "misnamed", oid: "66" })).toBe(named);
});
