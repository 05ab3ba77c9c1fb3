import { expect, test } from "bun:test";
import fc from "fast-check";
import { compare, decimal, larger, multiply, sum, ZERO } from "../../../src/core/decimal.ts";
import { judged, leg, usd } from "./judged.ts";

test("turnover is what each order may come to, whatever it is estimated at first", () => {
  const price = fc.constantFrom("50", "100", "100.1", "250");
  const order = fc.record({ price, size: fc.integer({ min: 1, max: 9 }), reduceOnly: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(order, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 40 }),
      (orders, hundreds) => {
        const legs = orders.map(({ price: at, size, reduceOnly }) =>
          leg({ remaining: decimal(String(size)), price: decimal(at), canOnlyReduce: reduceOnly }),
        );
        const [wished = leg({}), ...others] = legs.filter(({ canOnlyReduce }) => !canOnlyReduce);
        const increasing = legs.some(({ canOnlyReduce }) => !canOnlyReduce) ? [wished, ...others] : [wished];
        // Each at its own price or at the mark of 100, whichever is more.
        const worth = sum(
          increasing.map((each) => multiply(each.remaining, larger(each.price ?? ZERO, decimal("100")))),
        );
        const limit = usd(hundreds * 100);
        const outcome = judged({ maxTurnoverPerDay: limit, maxDistance: null }, wished, {
          legs: legs.filter((each) => each !== wished),
        });
        expect([outcome === "allowed", worth]).toEqual([compare(worth, limit) <= 0, worth]);
      },
    ),
    { numRuns: 300 },
  );
});
