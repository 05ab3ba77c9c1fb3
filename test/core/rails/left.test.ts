/** What is told as left is what the judge takes, to the last step of a size. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { add, type Decimal, decimal, divide, larger, smaller } from "../../../src/core/decimal.ts";
import type { OpenLeg, Reference, Sums } from "../../../src/core/rails/exposure.ts";
import { leftOf, usedOf } from "../../../src/core/rails/left.ts";
import type { Rails } from "../../../src/core/rails/rails.ts";
import { ANY, factsOf, judged, type Known, leg, usd } from "./judged.ts";

const MAY: Rails["may"] = ["increase", "reduce", "twap"];
/** A size of two decimals. */
const STEP = decimal("0.01");

function left(rails: Partial<Rails>, known: Known) {
  const all = { ...ANY, may: MAY, ...rails };
  return leftOf(all, usedOf(all, factsOf(known)));
}

/** What is said of an order of this size in BTC on either side, at the higher of mark and oracle or at what the market gives. */
function said(rails: Partial<Rails>, known: Known, size: Decimal): string[] {
  const price = factsOf(known).referenceOf("BTC")?.high ?? null;
  return (["buy", "sell"] as const).map((side) =>
    judged({ may: MAY, ...rails }, leg({ side, remaining: size, price }), known),
  );
}

function cents(most: number): fc.Arbitrary<Decimal> {
  return fc.integer({ min: 1, max: most }).map((drawn) => decimal((drawn / 100).toFixed(2)));
}
const whole = fc.integer({ min: -10, max: 10 });
const reference = fc
  .tuple(cents(20_000), cents(20_000))
  .map(([one, other]): Reference => ({ low: smaller(one, other), high: larger(one, other) }));
const outLeg: fc.Arbitrary<Partial<OpenLeg>> = fc.record({
  market: fc.constantFrom("BTC", "BTC", "ETH"),
  side: fc.constantFrom("buy" as const, "sell" as const),
  remaining: cents(400),
  price: fc.oneof(fc.constant(null), cents(20_000)),
  triggerPrice: fc.oneof(fc.constant(null), fc.constant(null), cents(20_000)),
  isUnheard: fc.boolean(),
  isInFlight: fc.boolean(),
  canOnlyReduce: fc.boolean(),
  bot: fc.constantFrom("grid-1", "grid-1", "grid-1", "b", null),
  // What is modified has two legs of one order.
  orderId: fc.constantFrom("order-a", "order-b", "order-c", "order-d"),
});
const drawnBooks = fc.record({
  legs: fc.array(outLeg, { maxLength: 6 }),
  own: fc.record({ BTC: whole, ETH: whole }),
  others: fc.record({ BTC: fc.constantFrom(0, 0, 3, -3), ETH: fc.constantFrom(0, 0, 3, -3) }),
  unproven: fc.constantFrom(null, null, { buys: usd(2), sells: usd(0) }, { buys: usd(1), sells: usd(3) }),
  prices: fc.record({ BTC: reference, ETH: reference }),
  turnover: cents(50_000),
});

type Drawn = {
  legs: readonly Partial<OpenLeg>[];
  own: InBoth<number>;
  others: InBoth<number>;
  unproven: Sums | null;
  prices: InBoth<Reference>;
  turnover: Decimal;
};
type InBoth<T> = { BTC: T; ETH: T };

/** The account holds, in each market, what the bot and others hold together. */
function knownOf({ legs, own, others, unproven, prices, turnover }: Drawn): Known {
  const at = <T>(by: InBoth<T>, market: string) => (market === "BTC" ? by.BTC : by.ETH);
  return {
    legs: legs.map((each) => leg(each)),
    held: ["BTC", "ETH"],
    turnover,
    ownOf: (market) => usd(at(own, market)),
    accountOf: (market) => usd(at(own, market) + at(others, market)),
    unprovenOf: (market) => (market === "BTC" ? unproven : null),
    referenceOf: (market) => at(prices, market),
  };
}

test.each<
  [rail: "maxPosition" | "maxExposure" | "maxTurnoverPerDay", told: (of: ReturnType<typeof left>) => Decimal | null]
>([
  ["maxPosition", ({ positions }) => positions.find(({ market }) => market === "BTC")?.usd ?? null],
  ["maxExposure", ({ exposure }) => exposure],
  ["maxTurnoverPerDay", ({ turnover }) => turnover],
])("of %s an order of what is left passes on either side, and one of a step more is refused on one", (rail, told) => {
  let shown = 0;
  fc.assert(
    fc.property(drawnBooks, fc.constantFrom("own", "all"), cents(500_000), (drawn, touches, limit) => {
      const known = knownOf(drawn);
      const rails = { [rail]: limit, touches: touches as Rails["touches"] };
      const usdLeft = told(left(rails, known));
      if (usdLeft === null) throw new Error("nothing is told of a rail that is limited, where every price is known");
      const fitting = divide(usdLeft, drawn.prices.BTC.high, 2);
      if (fitting !== "0") expect(said(rails, known, fitting).filter((word) => word.startsWith(rail))).toEqual([]);
      const more = said(rails, known, add(fitting, STEP));
      // What others hold or have out may speak first.
      const isOthers = more.some((word) => word.startsWith("opposite_position") || word.startsWith("touches"));
      if (isOthers) return;
      shown += 1;
      expect(more.some((word) => word.startsWith(rail))).toBe(true);
    }),
    { numRuns: 3_000 },
  );
  expect(shown).toBeGreaterThan(1_000);
});

test("of a day's actions, of open orders and of its loss as much as is left passes, and no more", () => {
  const few = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(drawnBooks, few, fc.integer({ min: 0, max: 12 }), few, (drawn, most, actions, lost) => {
      const alone = { ...drawn, others: { BTC: 0, ETH: 0 }, unproven: null };
      // Others' orders, and what the bot itself has to reduce, would be spoken of first.
      const legs = knownOf(alone).legs?.filter(({ bot, canOnlyReduce }) => bot === "grid-1" && !canOnlyReduce) ?? [];
      const known = { ...knownOf(alone), legs, actions, lossToday: () => usd(lost) };
      const rails = { maxActionsPerDay: most, maxOpenOrders: most, maxLossPerDay: usd(most) };
      const told = left(rails, known);
      const more = (count: number) => Array.from({ length: count }, () => leg({ market: "ETH", side: "sell" }));
      const isRefused = (limits: Partial<Rails>, by: Known) =>
        said(limits, by, STEP).some((word) => word.startsWith("max"));
      // What is asked is an action of the day itself, and an open order.
      expect(isRefused({ maxActionsPerDay: most }, { ...known, actions: actions + 1 })).toBe(told.actions === 0);
      expect(isRefused({ maxLossPerDay: usd(most) }, known)).toBe(told.loss === "0");
      const count = told.openOrders ?? 0;
      const withMore = (out: number) => ({ ...known, legs: [...legs, ...more(out)] });
      expect(isRefused({ maxOpenOrders: most }, withMore(count))).toBe(true);
      if (count > 0) expect(isRefused({ maxOpenOrders: most }, withMore(count - 1))).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("of a market without a price nothing is told, and of all markets nothing while it may come to a position there", () => {
  const known = { held: ["BTC"], net: "1", price: null };
  const rails = { maxPosition: usd(900), maxExposure: usd(900), maxTurnoverPerDay: usd(900) };
  const none = { exposure: null, positions: [{ market: "BTC", usd: null }] };
  expect(left(rails, known)).toMatchObject({ ...none, turnover: "900" });
  expect(left(rails, { ...known, legs: [leg({ side: "sell" })] })).toMatchObject({ ...none, turnover: null });
  expect(left(rails, { ...known, net: "0" })).toMatchObject({ exposure: "900" });
});
