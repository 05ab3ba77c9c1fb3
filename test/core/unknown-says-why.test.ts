import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Leg } from "../../src/core/order.ts";
import { orderFromLegs, type Replacing } from "../../src/core/order-of-legs.ts";
import { legRow, orderRow } from "../support/rows.ts";

const leg: fc.Arbitrary<Leg> = fc
  .record({
    state: fc.constantFrom("sent", "lost", "resting", "armed", "closing", "filled", "canceled", "rejected", "absent"),
    isExchangesWord: fc.boolean(),
  })
  .map((some): Leg => ({ ...legRow(), ...some, reason: null, oid: "77" }));
const replacings = fc.constantFrom<Replacing>("no", "if_canceled", "in_any_case");

test("an order of which nothing is known says why, whatever its legs have left unsaid", () => {
  fc.assert(
    fc.property(fc.array(leg, { minLength: 1, maxLength: 3 }), replacings, (legs, replacing) => {
      const order = orderFromLegs(orderRow(), legs, legs.length > 1 ? replacing : "no");
      if (order.status === "unknown") expect(order.error).not.toBeNull();
    }),
  );
});
