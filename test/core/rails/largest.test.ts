/** The size that a refusal tells as the largest that passes. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { compare, decimal } from "../../../src/core/decimal.ts";
import type { OpenLeg } from "../../../src/core/rails/exposure.ts";
import type { Rails } from "../../../src/core/rails/rails.ts";
import { judged, type Known, leg, usd } from "./judged.ts";

test.each<[string, string, [Partial<Rails>, OpenLeg, Known]]>([
  [
    "what another rail leaves is less",
    "maxOrder 1",
    [{ maxOrder: usd(450), maxPosition: usd(800) }, leg({ remaining: usd(20) }), { net: "7" }],
  ],
  [
    "another rail leaves nothing",
    "maxOrder 0",
    [{ maxOrder: usd(450), maxPosition: usd(700) }, leg({ remaining: usd(20) }), { net: "7" }],
  ],
  [
    "no size passes",
    "maxOrder",
    [{ maxOrder: usd(450), maxLossPerDay: usd(1) }, leg({ remaining: usd(20) }), { lossToday: () => usd(1) }],
  ],
])("the largest size where %s: %s", (_what, outcome, asked) => {
  expect(judged(...asked)).toBe(outcome);
});

test("the largest size that it tells passes, by whatever rails, for orders of all kinds", () => {
  const limit = fc.option(fc.integer({ min: 1, max: 3_000 }).map(usd), { freq: 3 });
  const limits = {
    maxOrder: limit,
    maxPosition: limit,
    maxExposure: limit,
    maxTurnoverPerDay: limit,
    maxOpenOrders: fc.option(fc.integer({ min: 1, max: 3 })),
    maxDistance: fc.constantFrom(null, usd(5)),
  };
  const of = fc.record({
    market: fc.constantFrom("BTC", "ETH"),
    side: fc.constantFrom("buy" as const, "sell" as const),
    remaining: fc.integer({ min: 1, max: 4_000 }).map((cents) => decimal((cents / 100).toFixed(2))),
    price: fc.constantFrom(null, usd(95), usd(100), usd(103)),
    triggerPrice: fc.constantFrom(null, usd(101)),
    reduceOnly: fc.boolean(),
    bot: fc.constantFrom("grid-1", "grid-1", "b"),
  });
  const may: Rails["may"] = ["increase", "reduce", "twap"];
  const net = fc.integer({ min: -10, max: 10 });
  fc.assert(
    fc.property(
      fc.record(limits),
      of,
      fc.array(of, { maxLength: 4 }),
      fc.tuple(net, net),
      (rails, terms, out, [own, others]) => {
        const legs = out.map((each) => leg(each));
        const known = { net: String(own), account: String(own + others), legs, turnover: usd(50) };
        const wished = leg({ ...terms, bot: "grid-1" });
        const largest = judged({ ...rails, may }, wished, known).split(" ")[1];
        if (largest === undefined || largest === "0") return;
        expect(compare(decimal(largest), wished.remaining)).toBe(-1);
        expect(judged({ ...rails, may }, { ...wished, remaining: decimal(largest) }, known)).toBe("allowed");
      },
    ),
    { numRuns: 3_000 },
  );
});
