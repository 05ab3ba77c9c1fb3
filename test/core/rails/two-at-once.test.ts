/** Two bots of one account that ask in one moment: nobody has told yet what became of the first, and it counts as filled. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Side } from "../../../src/core/order.ts";
import type { OpenLeg } from "../../../src/core/rails/exposure.ts";
import { judged, type Known, leg, usd } from "./judged.ts";

const SIDE = fc.constantFrom<Side>("buy", "sell");
/** Held by each: never on opposite sides before. */
const HELD = fc
  .record({ sign: fc.constantFrom(1, -1), first: fc.nat(3), second: fc.nat(3) })
  .map(({ sign, first, second }) => ({ first: sign * first, second: sign * second }));
const ASKED = fc.record({ side: SIDE, size: fc.integer({ min: 1, max: 6 }), isLost: fc.boolean() });

type Asked = { side: Side; size: number };

function after(held: number, { side, size }: Asked): number {
  return side === "buy" ? held + size : held - size;
}

test("of two that are taken the nets are not opposite, whatever both hold and ask for", () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(HELD, ASKED, ASKED, (held, one, other) => {
      const account = String(held.first + held.second);
      const first = leg({ bot: "b", side: one.side, remaining: usd(one.size) });
      const asked = judged({ bot: "b" }, first, { net: String(held.first), account });
      fc.pre(asked === "allowed");
      const out = { ...first, isInFlight: !one.isLost, isUnheard: one.isLost };
      const second = leg({ side: other.side, remaining: usd(other.size), cloid: "0xsecond", orderId: "second" });
      const told = judged({}, second, { net: String(held.second), account, legs: [out] });
      seen[told === "allowed" ? "taken" : "refused"] += 1;
      if (told === "allowed") expect(after(held.first, one) * after(held.second, other)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100);
});

test.each<[string, string, [object, OpenLeg, Known]]>([
  [
    "where another's sale that would be taken at once is on its way",
    "opposite_position",
    [{}, leg({}), { legs: [leg({ bot: "b", side: "sell", isInFlight: true })] }],
  ],
  [
    "where the answer to another's sale was lost, wherever that stood",
    "opposite_position",
    [{}, leg({}), { legs: [leg({ bot: null, side: "sell", price: usd(500), isUnheard: true })] }],
  ],
  [
    "where another has just sold, and no position shows it yet",
    "unproven",
    [{}, leg({}), { justFilledOf: () => ({ buys: usd(0), sells: usd(1) }) }],
  ],
  [
    "where another has just bought",
    "allowed",
    [{}, leg({}), { justFilledOf: () => ({ buys: usd(1), sells: usd(0) }) }],
  ],
  [
    "where another has just bought, and it sells",
    "unproven",
    [{}, leg({ side: "sell" }), { justFilledOf: () => ({ buys: usd(1), sells: usd(0) }) }],
  ],
  [
    "another sold before, and what it has sold itself since is in no position yet",
    "unproven",
    [
      {},
      leg({ remaining: usd(145) }),
      { net: "-100", account: "0", justFilledOf: () => ({ buys: usd(0), sells: usd(105) }) },
    ],
  ],
  [
    "another holds a short of before, and what it has itself just sold is in no position yet",
    "unproven",
    [
      {},
      leg({ remaining: usd(145) }),
      { net: "-100", account: "-5", justFilledOf: () => ({ buys: usd(0), sells: usd(100) }) },
    ],
  ],
  [
    "what it has sold itself is in the position, and others hold nothing",
    "allowed",
    [{}, leg({ remaining: usd(145) }), { net: "-100", account: "-100" }],
  ],
  [
    "what is on its way to rest is not held",
    "allowed",
    [{}, leg({}), { legs: [leg({ bot: "b", side: "sell", price: usd(500), isInFlight: true })] }],
  ],
  [
    "nor is what rests, what waits for its trigger, or what only reduces",
    "allowed",
    [
      {},
      leg({}),
      {
        legs: [
          leg({ bot: "b", side: "sell" }),
          leg({ bot: "b", side: "sell", isInFlight: true, triggerPrice: usd(90) }),
          leg({ bot: "b", side: "sell", isInFlight: true, canOnlyReduce: true, price: usd(500), isUnheard: true }),
        ],
      },
    ],
  ],
  [
    "others that are long stay so with less than they have on its way",
    "allowed",
    [{}, leg({}), { account: "2", legs: [leg({ bot: "b", side: "sell", remaining: usd(2), isInFlight: true })] }],
  ],
])("a bot that buys: %s: %s", (_name, verdict, [rails, wished, known]) => {
  expect(judged(rails, wished, known)).toBe(verdict);
});
