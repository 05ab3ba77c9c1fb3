import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compare, decimal, multiply } from "../../../src/core/decimal.ts";
import { netRange, type OpenLeg, sumsOf, worstPosition } from "../../../src/core/rails/exposure.ts";
import type { Rails } from "../../../src/core/rails/rails.ts";
import type { Wish } from "../../../src/core/rails/wish.ts";
import { four, HALT, judged, type Known, leg, two, usd } from "./judged.ts";

describe("judged", () => {
  test.each<[string, string, [Partial<Rails>, OpenLeg, Known]]>([
    ["nothing increases while the bot is halted", "may", [{}, leg({}), { halt: HALT }]],
    ["what is named no more takes nothing new", "markets", [{ markets: ["ETH"] }, leg({}), { net: "1" }]],
    [
      "what is held where it may trade no more is got out of",
      "allowed",
      [{ markets: ["ETH"] }, leg({ side: "sell", canOnlyReduce: true }), { net: "1" }],
    ],
    [
      "and protected there",
      "allowed",
      [{ markets: ["ETH"] }, leg({ side: "sell", canOnlyReduce: true, triggerPrice: usd(90) }), { net: "1" }],
    ],
    [
      "no more of it than is its own, whatever it may touch",
      "markets",
      [
        { markets: ["ETH"], touches: "all" },
        leg({ side: "sell", canOnlyReduce: true, remaining: usd(1.5) }),
        { net: "1", account: "5" },
      ],
    ],
    [
      "what reduces passes a halt",
      "allowed",
      [{}, leg({ side: "sell", canOnlyReduce: true }), { halt: HALT, net: "1" }],
    ],
    [
      "a loss that has come to its limit",
      "maxLossPerDay",
      [{ maxLossPerDay: usd(50) }, leg({}), { lossToday: () => usd(50) }],
    ],
    ["a loss below its limit", "allowed", [{ maxLossPerDay: usd(50) }, leg({}), { lossToday: () => usd(49) }]],
    ["a loss that nobody knows", "unproven", [{ maxLossPerDay: usd(50) }, leg({}), { lossToday: () => null }]],
    ["a loss that is no limit", "allowed", [{}, leg({}), { lossToday: () => null }]],
    [
      "what others have out is not the bot's",
      "allowed",
      [{ maxPosition: usd(100) }, leg({}), { legs: [leg({ bot: null }), leg({ bot: "b" })] }],
    ],
    [
      "buys and sells do not make up for one another",
      "maxPosition 1",
      [{ maxPosition: usd(200) }, leg({ side: "sell", remaining: usd(2) }), { legs: [leg({ side: "sell" }), leg({})] }],
    ],
    [
      "sells that are open make no room for a buy",
      "maxPosition 2",
      [{ maxPosition: usd(200) }, leg({ remaining: usd(3) }), { legs: [leg({ side: "sell", remaining: usd(2) })] }],
    ],
    [
      "a reduction that is modified takes its own place",
      "allowed",
      [
        {},
        leg({ orderId: "moved", canOnlyReduce: true, side: "sell", price: usd(101) }),
        { net: "1", legs: [leg({ orderId: "moved", canOnlyReduce: true, side: "sell" })] },
      ],
    ],
    [
      "a short is as long as a long",
      "maxPosition 1",
      [{ maxPosition: usd(200) }, leg({ side: "sell", remaining: usd(1.01) }), { net: "-1" }],
    ],
    [
      "what is held on the other side makes no room: a reduction may be filled first",
      "maxPosition 2",
      [{ maxPosition: usd(200) }, leg({ remaining: usd(2.01) }), { net: "-1" }],
    ],
    [
      "a net that somebody else has reduced frees no room on its other side",
      "maxPosition",
      [{ maxPosition: usd(100) }, leg({ side: "sell", remaining: usd(2) }), { net: "5", account: "0" }],
    ],
    [
      "and none on its own side",
      "maxPosition 0",
      [{ maxPosition: usd(500) }, leg({ remaining: usd(0.01) }), { net: "5", account: "0" }],
    ],
    [
      "what reduces is no part of the worst case",
      "allowed",
      [{ maxPosition: usd(100) }, leg({}), { legs: [leg({ canOnlyReduce: true, side: "sell", remaining: usd(50) })] }],
    ],
    [
      "what is open counts for the day before it is filled",
      "maxTurnoverPerDay 0.5",
      [{ maxTurnoverPerDay: usd(250) }, leg({}), { legs: [leg({})], turnover: usd(100) }],
    ],
    ["nothing without the account's position", "unproven", [{}, leg({}), { account: null }]],
    ["nothing without a price", "unproven", [{}, leg({}), { price: null }]],
    [
      "two reductions that rest are one",
      "touches 0.5",
      [
        {},
        leg({ canOnlyReduce: true, side: "sell" }),
        { net: "1.5", legs: [leg({ canOnlyReduce: true, side: "sell" })] },
      ],
    ],
    [
      "another's reduction on the book is not displaced",
      "touches",
      [
        {},
        leg({ canOnlyReduce: true, side: "sell" }),
        { net: "1", account: "1.5", legs: [leg({ canOnlyReduce: true, side: "sell", bot: null })] },
      ],
    ],
    [
      "where both have room it is not displaced",
      "allowed",
      [
        {},
        leg({ canOnlyReduce: true, side: "sell" }),
        { net: "1", account: "2", legs: [leg({ canOnlyReduce: true, side: "sell", bot: null })] },
      ],
    ],
    [
      "another's reduction is not traded with",
      "touches",
      [{}, leg({}), { legs: [leg({ canOnlyReduce: true, side: "sell", bot: "b" })] }],
    ],
    [
      "below it, it is left alone",
      "allowed",
      [{}, leg({ price: usd(99) }), { legs: [leg({ canOnlyReduce: true, side: "sell", bot: "b" })] }],
    ],
    [
      "a bot that is flat does not go long where others are short",
      "opposite_position",
      [{}, leg({}), { account: "-1" }],
    ],
    [
      "one that is short is told what it may buy back",
      "opposite_position 1",
      [{}, leg({ remaining: usd(2) }), { net: "-1", account: "-3" }],
    ],
    [
      "which is less what it has out",
      "opposite_position 0.4",
      [{}, leg({ remaining: usd(2) }), { net: "-1", account: "-3", legs: [leg({ remaining: usd(0.6) })] }],
    ],
    [
      "and on the other side, cut to the step",
      "opposite_position 1.23",
      [{}, leg({ side: "sell", remaining: usd(2) }), { net: "1.239", account: "3" }],
    ],
    [
      "a short bot may buy back what it is short, where others are short",
      "allowed",
      [{}, leg({}), { net: "-1", account: "-2" }],
    ],
  ])("%s comes to %s", (_title, outcome, asked) => {
    expect(judged(...asked)).toBe(outcome);
  });

  test.each<[string, string, [Partial<Rails>, OpenLeg, boolean | null]]>([
    [
      "a stop by its trigger",
      "maxStopDistance",
      [
        { maxStopDistance: usd(10) },
        leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90), price: usd(80) }),
        false,
      ],
    ],
    [
      "a stop near its trigger",
      "allowed",
      [
        { maxStopDistance: usd(10) },
        leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90), price: usd(81) }),
        false,
      ],
    ],
    [
      "a stop of which no price says whether it has fired",
      "allowed",
      [
        { maxDistance: usd(2) },
        leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90), price: usd(81) }),
        null,
      ],
    ],
    [
      "one that has fired is an order at once",
      "maxDistance",
      [{ maxDistance: usd(2) }, leg({ canOnlyReduce: true, side: "sell", price: usd(81) }), true],
    ],
    [
      "an entry by its trigger",
      "maxDistance",
      [{ maxDistance: usd(2) }, leg({ triggerPrice: usd(110), price: usd(113) }), false],
    ],
  ])("%s is judged as %s", (_title, outcome, [rails, wished, hasFired]) => {
    const trigger = { price: wished.triggerPrice ?? decimal("90"), kind: "stop_loss" as const, hasFired };
    expect(judged(rails, wished, { net: wished.canOnlyReduce ? "1" : "0", trigger })).toBe(outcome);
  });

  const to = (leverage: number, isCross = true): Wish => ({
    kind: "leverage",
    market: "BTC",
    setting: { leverage, isCross },
  });
  const margin = (isRemoval: boolean): Wish => ({ kind: "margin", market: "BTC", isRemoval });
  const set = (leverage: number, isCross = true): Known => ({ settings: [{ leverage, isCross }] });
  const CAREFUL: Partial<Rails> = { may: ["leverage", "margin"], maxLeverage: 5 };
  const BOLD: Partial<Rails> = { may: ["increase", "leverage", "margin"], maxLeverage: 5 };

  test.each<[string, string, [Partial<Rails>, OpenLeg | Wish, Known]]>([
    ["lowering is no increase, from wherever", "allowed", [CAREFUL, to(20), set(40)]],
    ["raising is one", "may", [CAREFUL, to(5), set(4)]],
    ["another margin type is one", "may", [CAREFUL, to(3, false), set(4)]],
    ["what is not known may be lower", "may", [CAREFUL, to(2), {}]],
    ["lower than one of two that may be in force", "may", [CAREFUL, to(3), { settings: [...four(), ...two()] }]],
    ["raising up to the rail", "allowed", [BOLD, to(5), set(4)]],
    ["raising above the rail", "maxLeverage", [BOLD, to(6), set(4)]],
    ["raising where others hold", "touches", [BOLD, to(5), { ...set(4), account: "1" }]],
    ["raising where nobody knows what others hold", "unproven", [BOLD, to(5), { ...set(4), account: null }]],
    [
      "the same of a key that touches all",
      "allowed",
      [{ ...BOLD, touches: "all" }, to(5), { ...set(4), account: "1" }],
    ],
    ["adding margin needs no fact", "allowed", [CAREFUL, margin(false), { account: null, price: null }]],
    ["taking margin out is an increase", "may", [CAREFUL, margin(true), set(4)]],
    ["taking it out of one's own", "allowed", [BOLD, margin(true), { net: "1", ...set(4) }]],
    ["taking it out of another's", "touches", [BOLD, margin(true), { net: "1", account: "2", ...set(4) }]],
    ["taking it out under too much leverage", "maxLeverage", [BOLD, margin(true), { net: "1", ...set(6) }]],
    ["an order under too much leverage", "maxLeverage", [{ maxLeverage: 5 }, leg({}), set(6)]],
    ["an order under as much as may be", "allowed", [{ maxLeverage: 5 }, leg({}), set(5)]],
    ["an order under what is not known", "unproven", [{ maxLeverage: 5 }, leg({}), {}]],
    [
      "an order under one of two that is too much",
      "maxLeverage",
      [{ maxLeverage: 3 }, leg({}), { settings: [...two(), ...four()] }],
    ],
    [
      "a reduction, whatever is set",
      "allowed",
      [{ maxLeverage: 3 }, leg({ canOnlyReduce: true, side: "sell" }), { net: "1", ...set(40) }],
    ],
  ])("leverage and margin: %s comes to %s", (_title, outcome, asked) => {
    expect(judged(...asked)).toBe(outcome);
  });

  const PURR: Partial<Rails> = { markets: ["PURR/USDC"] };
  const spot = (some: Partial<OpenLeg>) => leg({ market: "PURR/USDC", canOnlyReduce: some.side === "sell", ...some });
  const USDC: Known = { pairName: "PURR/USDC" };

  test.each<[string, string, [Partial<Rails>, OpenLeg, Known]]>([
    ["a market that is named", "allowed", [PURR, spot({}), USDC]],
    ["one that is not, where any is", "markets", [{ markets: null }, spot({}), USDC]],
    ["one of another quote", "markets", [PURR, spot({}), { pairName: "PURR/HYPE" }]],
    ["one of which nobody knows the quote", "markets", [PURR, spot({}), {}]],
    [
      "what it buys beside what it holds",
      "maxPosition 1",
      [{ ...PURR, maxPosition: usd(200) }, spot({ remaining: usd(2) }), { ...USDC, net: "1" }],
    ],
    ["a sale of what it holds", "allowed", [PURR, spot({ side: "sell" }), { ...USDC, net: "1" }]],
    ["a sale of more", "touches 1", [PURR, spot({ side: "sell", remaining: usd(1.01) }), { ...USDC, net: "1" }]],
    [
      "two sales of it",
      "touches 0",
      [PURR, spot({ side: "sell" }), { ...USDC, net: "1", legs: [spot({ side: "sell" })] }],
    ],
    [
      "a sale of it twice, by a trigger",
      "touches 0",
      [PURR, spot({ side: "sell", triggerPrice: usd(90) }), { ...USDC, net: "1", legs: [spot({ side: "sell" })] }],
    ],
    [
      "a modify of a sale, which may fill before",
      "touches 0",
      [
        PURR,
        spot({ side: "sell", orderId: "moved" }),
        { ...USDC, net: "1", legs: [spot({ side: "sell", orderId: "moved" })] },
      ],
    ],
    ["a sale of what is only being bought", "touches 0", [PURR, spot({ side: "sell" }), { ...USDC, legs: [spot({})] }]],
    [
      "a sale of all by who touches all",
      "allowed",
      [{ ...PURR, touches: "all" }, spot({ side: "sell", remaining: usd(9) }), USDC],
    ],
    [
      "a sale of a bot that has tripped its orders",
      "allowed",
      [{ ...PURR, maxOrder: usd(1) }, spot({ side: "sell" }), { ...USDC, net: "1", price: null }],
    ],
    [
      "spot does not make up for a perpetual",
      "maxExposure 0.5",
      [{ markets: null, maxExposure: usd(150) }, leg({}), { legs: [spot({ remaining: usd(1) })] }],
    ],
  ])("on spot: %s comes to %s", (_title, outcome, asked) => {
    expect(judged(...asked)).toBe(outcome);
  });

  test("whatever is accepted one after the other, the worst that can come of it is within the rail", () => {
    const asked = fc.record({
      side: fc.constantFrom("buy" as const, "sell" as const),
      size: fc.integer({ min: 1, max: 500 }),
      fills: fc.integer({ min: 0, max: 100 }),
      reduces: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 40 }), (requests) => {
        const open: { leg: OpenLeg; left: number }[] = [];
        let net = 0;
        const text = (cents: number) =>
          decimal(
            `${cents < 0 ? "-" : ""}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, "0")}`,
          );
        for (const { side, size, fills, reduces } of requests) {
          const wished = leg({ side, remaining: text(size) });
          const legs = open.map((each) => ({ ...each.leg, remaining: text(each.left) }));
          if (judged({ maxPosition: usd(1_000) }, wished, { net: text(net), legs }) === "allowed") {
            open.push({ leg: wished, left: size });
            const all = open.map((each) => ({ ...each.leg, remaining: text(each.left) }));
            const worst = multiply(worstPosition(netRange(text(net), text(net), null), sumsOf(all)), decimal("100"));
            expect(compare(worst, usd(1_000))).toBeLessThanOrEqual(0);
          }
          // Whichever fills, and however much of it.
          const one = open[fills % Math.max(1, open.length)];
          const part = one === undefined ? 0 : Math.floor((one.left * fills) / 100);
          if (one !== undefined) {
            one.left -= part;
            net += one.leg.side === "buy" ? part : -part;
          }
          // A reduction passes at any time.
          net = Math.trunc((net * reduces) / 100);
          expect(Math.abs(net)).toBeLessThanOrEqual(1_000);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("the worst position is never less than what may be held", () => {
    const cents = fc.integer({ min: -500, max: 500 });
    const out = fc.integer({ min: 0, max: 500 });
    const text = (amount: number) => decimal(String(amount));
    const both = fc.record({ buys: out.map(text), sells: out.map(text) });
    fc.assert(
      fc.property(
        fc.tuple(cents, fc.option(both)),
        fc.option(cents),
        fc.tuple(out, out),
        ([own, unproven], account, [buys, sells]) => {
          const { low, high } = netRange(text(own), account === null ? null : text(account), unproven);
          const worst = worstPosition({ low, high }, { buys: text(buys), sells: text(sells) });
          const held = Math.max(Math.abs(Number(low)), Math.abs(Number(high)));
          const each = [Number(high) + buys, buys, sells - Number(low), sells, held];
          expect(Number(worst)).toBe(Math.max(...each));
        },
      ),
    );
  });

  test("the largest size that it names passes, and the next does not", () => {
    const cents = fc.integer({ min: 1, max: 5_000 });
    fc.assert(
      fc.property(
        cents,
        fc.integer({ min: 0, max: 900 }),
        fc.constantFrom("maxOrder", "maxPosition", "maxTurnoverPerDay"),
        (size, others, rail) => {
          const legs = others === 0 ? [] : [leg({ remaining: decimal(`${others}`) })];
          const rails = { [rail]: usd(1_000) };
          const words = judged(rails, leg({ remaining: decimal(String(size)) }), { legs });
          const largest = words.split(" ")[1];
          if (largest === undefined || largest === "0") return;
          expect(judged(rails, leg({ remaining: decimal(largest) }), { legs })).toBe("allowed");
          expect(judged(rails, leg({ remaining: decimal((Number(largest) + 0.01).toFixed(2)) }), { legs })).not.toBe(
            "allowed",
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});
