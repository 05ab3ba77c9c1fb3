import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseNarrowing, parseRails, printNarrowing, printRails } from "../../../src/core/rails/grammar.ts";
import { narrowed } from "../../../src/core/rails/narrow.ts";
import { isPartOf } from "../../../src/core/rails/networks.ts";
import type { Rails, RailsText } from "../../../src/core/rails/rails.ts";

const SIGNED: RailsText = {
  bot: "grid-1",
  may: "increase,reduce,modify,cancel",
  markets: "BTC,ETH,xyz:*",
  maxOrder: "500 USD",
  maxPosition: "any",
  maxExposure: "any",
  maxTurnoverPerDay: "5000 USD",
  maxLossPerDay: "any",
  maxActionsPerDay: "2000",
  maxDistance: "2 %",
  maxStopDistance: "10 %",
  maxLeverage: "any",
  maxOpenOrders: "40",
  touches: "all",
  sources: "10.0.0.0/8,2001:db8::/48",
};

function rails(text: Partial<RailsText> = {}): Rails {
  const parsed = parseRails({ ...SIGNED, ...text });
  if (parsed.kind === "fault") throw new Error(parsed.rule);
  return parsed.rails;
}

function by(text: Partial<RailsText>) {
  const parsed = parseNarrowing(text);
  if (parsed.kind === "fault") throw new Error(parsed.rule);
  return parsed.narrowing;
}

describe("narrowed", () => {
  test.each<[keyof RailsText, string, string]>([
    ["maxOrder", "100 USD", "100 USD"],
    ["maxOrder", "900 USD", "500 USD"],
    ["maxOrder", "any", "500 USD"],
    ["maxPosition", "100 USD", "100 USD"],
    ["maxDistance", "0 %", "0 %"],
    ["maxDistance", "3 %", "2 %"],
    ["maxActionsPerDay", "7", "7"],
    ["maxActionsPerDay", "9000", "2000"],
    ["maxLeverage", "5", "5"],
    ["may", "reduce,cancel", "reduce,cancel"],
    ["may", "increase,stop", "increase"],
    ["may", "stop", "nothing"],
    ["touches", "own", "own"],
    ["touches", "all", "all"],
    ["markets", "BTC", "BTC"],
    ["markets", "BTC,SOL", "BTC"],
    ["markets", "SOL", "nothing"],
    ["markets", "xyz:GOLD", "xyz:GOLD"],
    ["markets", "abc:GOLD", "nothing"],
    ["markets", "any", "BTC,ETH,xyz:*"],
    ["sources", "10.1.0.0/16", "10.1.0.0/16"],
    ["sources", "0.0.0.0/0", "10.0.0.0/8"],
    ["sources", "11.0.0.0/8", "nothing"],
    ["sources", "2001:db8:0:7::/64", "2001:db8:0:7::/64"],
  ])("%s by %p comes to %p", (member, text, wanted) => {
    expect(printRails(narrowed(rails(), by({ [member]: text })))[member]).toBe(wanted);
  });

  test("who may touch only his own is never let at more", () => {
    expect(printRails(narrowed(rails({ touches: "own" }), by({ touches: "all" }))).touches).toBe("own");
  });

  test("a list that was any becomes what is named", () => {
    const open = rails({ markets: "any", sources: "any" });
    const both = printRails(narrowed(open, by({ markets: "BTC", sources: "10.0.0.0/8" })));
    expect([both.markets, both.sources]).toEqual(["BTC", "10.0.0.0/8"]);
  });

  test("what is not named stays, and the name of the bot cannot be named", () => {
    expect(printRails(narrowed(rails(), by({ bot: "other" })))).toEqual(SIGNED);
  });

  test("nothing ever comes out looser, said again it changes nothing, and the order does not matter", () => {
    const usd = fc.integer({ min: 1, max: 2_000 }).map((amount) => `${amount} USD`);
    const names = fc
      .subarray(["BTC", "ETH", "SOL", "xyz:*", "xyz:GOLD"], { minLength: 1 })
      .map((list) => list.join(","));
    const percent = fc.integer({ min: 0, max: 20 }).map((amount) => `${amount} %`);
    const count = fc.integer({ min: 1, max: 50 }).map(String);
    const touches = fc.constantFrom("own", "all");
    const limits = { maxOrder: usd, maxPosition: usd, maxExposure: usd, maxTurnoverPerDay: usd, maxLossPerDay: usd };
    const others = { maxDistance: percent, maxStopDistance: percent, maxLeverage: count, maxOpenOrders: count };
    const some = fc.record({ ...limits, ...others, touches, markets: names }, { requiredKeys: [] });
    fc.assert(
      fc.property(some, some, some, (signed, a, b) => {
        const from = rails(signed);
        const once = printRails(narrowed(from, by(a)));
        expect(printRails(narrowed(narrowed(from, by(a)), by(a)))).toEqual(once);
        const [ab, ba] = [narrowed(narrowed(from, by(a)), by(b)), narrowed(narrowed(from, by(b)), by(a))];
        expect(printRails(ab)).toEqual(printRails(ba));
        expect(printRails(narrowed(ab, by(a)))).toEqual(printRails(ab));
      }),
      { numRuns: 200 },
    );
  });

  test("is printed as it was written, and what has not its one form is named", () => {
    const text = { maxOrder: "100 USD", markets: "BTC", may: "reduce" };
    expect(printNarrowing(rails(), by(text))).toEqual(text);
    expect(parseNarrowing({ maxOrder: "100.0 USD" })).toMatchObject({ kind: "fault", member: "maxOrder" });
  });

  test.each([
    ["10.0.0.0/8", "10.0.0.0/8", true],
    ["10.0.0.0/9", "10.0.0.0/8", true],
    ["10.0.0.0/7", "10.0.0.0/8", false],
    ["11.0.0.0/9", "10.0.0.0/8", false],
    ["::/128", "0.0.0.0/0", false],
    ["10.0.0.1/8", "10.0.0.0/8", false],
  ])("%s is part of %s: %p", (inner, outer, wanted) => {
    expect(isPartOf(inner, outer)).toBe(wanted);
  });
});
