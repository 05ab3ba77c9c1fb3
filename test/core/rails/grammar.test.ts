import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../../src/core/decimal.ts";
import { parseRails, printRails } from "../../../src/core/rails/grammar.ts";
import { isNetwork, networkAround } from "../../../src/core/rails/networks.ts";
import { RAILS_MEMBERS, type Rails, type RailsText, VERBS } from "../../../src/core/rails/rails.ts";

const TEXT: RailsText = {
  bot: "grid-1",
  may: "increase,reduce,modify,cancel",
  markets: "BTC,ETH,xyz:*",
  maxOrder: "500 USD",
  maxPosition: "0.5 USD",
  maxExposure: "any",
  maxTurnoverPerDay: "5000.25 USD",
  maxLossPerDay: "any",
  maxActionsPerDay: "2000",
  maxDistance: "0 %",
  maxStopDistance: "100 %",
  maxLeverage: "5",
  maxOpenOrders: "40",
  touches: "own",
  sources: "2001:db8::/48,203.0.113.7/32",
};

function sorted(each: fc.Arbitrary<string>): fc.Arbitrary<string[] | null> {
  return fc.option(fc.uniqueArray(each, { minLength: 1, maxLength: 9 }).map((all) => all.toSorted(inPlainOrder)));
}

function inPlainOrder(a: string, b: string): number {
  return a < b ? -1 : 1;
}

const usd = fc.option(
  fc
    .integer({ min: 1, max: 10 ** 9 })
    .map((cents) => decimal(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`)),
);
const percent = fc.option(
  fc
    .integer({ min: 0, max: 10_000 })
    .map((part) => decimal(`${Math.floor(part / 100)}.${String(part % 100).padStart(2, "0")}`)),
);
const count = fc.option(fc.integer({ min: 1, max: 9_999_999 }));
const verbs = fc.subarray([...VERBS.slice(0, -1)], { minLength: 1 });
const network = fc.oneof(
  fc.ipV4().map((ip) => `${ip}/32`),
  fc.constantFrom("10.0.0.0/8", "::/0", "2001:db8::/32", "::1/128"),
);

const rails: fc.Arbitrary<Rails> = fc.record({
  bot: fc.stringMatching(/^[a-z0-9-]{1,40}$/),
  may: fc.oneof(verbs, fc.constant(["approve" as const])),
  markets: sorted(fc.stringMatching(/^[A-Za-z0-9]{1,9}$/)),
  maxOrder: usd,
  maxPosition: usd,
  maxExposure: usd,
  maxTurnoverPerDay: usd,
  maxLossPerDay: usd,
  maxActionsPerDay: count,
  maxOpenOrders: count,
  maxDistance: percent,
  maxStopDistance: percent,
  maxLeverage: fc.option(fc.integer({ min: 1, max: 999 })),
  touches: fc.constantFrom("own", "all"),
  sources: sorted(network),
});

describe("the texts of a grant", () => {
  test("every rails are read back as they were printed", () => {
    fc.assert(
      fc.property(rails, (some) => {
        expect(parseRails(printRails(some))).toEqual({ kind: "rails", rails: some });
      }),
      { numRuns: 200 },
    );
  });

  test("what is read is printed as it was: each value has one form", () => {
    const alike = fc.record(
      Object.fromEntries(
        RAILS_MEMBERS.map((name) => [
          name,
          fc.oneof(
            fc.constant(TEXT[name]),
            fc.constantFrom("", "any", "0", "0 USD", "1.0 USD", " 5 USD", "+5 USD", "BTC,BTC", "own "),
          ),
        ]),
      ),
    );
    fc.assert(
      fc.property(alike, (some) => {
        // Made with every member.
        const text = some as RailsText;
        const parsed = parseRails(text);
        if (parsed.kind === "rails") expect(printRails(parsed.rails)).toEqual(text);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[keyof Rails, string]>([
    ...(["", "Grid", "a b", "x".repeat(41), "bot\tkey"] as const).map((text): [keyof Rails, string] => ["bot", text]),
    ...(["", "any", "cancel,increase", "cancel,cancel", "all", "reduce,approve"] as const).map(
      (text): [keyof Rails, string] => ["may", text],
    ),
    ...(["", "ETH,BTC", "BTC,BTC", "BTC, ETH", "*", "a b", "BTC,any", "BTC,nothing"] as const).map(
      (text): [keyof Rails, string] => ["markets", text],
    ),
    ...(
      ["", "0", "0 USD", "500", "500USD", "500.50 USD", "1e3 USD", "-5 USD", "05 USD", "5 usd", "ANY", "∞"] as const
    ).map((text): [keyof Rails, string] => ["maxOrder", text]),
    ...(["101 %", "2%", "2.50 %", "-1 %", "0.00 %", "100.01 %"] as const).map((text): [keyof Rails, string] => [
      "maxDistance",
      text,
    ]),
    ...(["0", "-1", "1.5", "01", "99999999"] as const).map((text): [keyof Rails, string] => ["maxOpenOrders", text]),
    ["touches", "any"],
    ["sources", ""],
  ])("%s is never %p", (member, text) => {
    expect(parseRails({ ...TEXT, [member]: text })).toMatchObject({ kind: "fault", member });
  });

  test.each([
    ["10.0.0.0/8", true],
    ["10.0.0.1/8", false],
    ["010.0.0.0/8", false],
    ["10.0.0/8", false],
    ["10.0.0.0/33", false],
    ["10.0.0.0/08", false],
    ["10.0.0.0", false],
    ["::/0", true],
    ["2001:db8::/48", true],
    ["2001:DB8::/48", false],
    ["2001:0db8::/48", false],
    ["2001:db8:0:0::/48", false],
    ["2001:db8::1/48", false],
    ["1:0:0:2:0:0:0:3/128", false],
    ["1:0:0:2::3/128", true],
    ["1::2:3:4:5:6:7/128", false],
    ["1:0:2:3:4:5:6:7/128", true],
    ["1:2:3:4:5:6:7:8:9/128", false],
    ["1::2::3/128", false],
    ["::ffff:10.0.0.1/128", false],
  ])("%s is a network in its one form: %p", (text, isOne) => {
    expect(isNetwork(text)).toBe(isOne);
  });
});

test.each([
  ["203.0.113.7", "203.0.113.7/32"],
  ["192.168.1.20", "192.168.1.20/32"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8::1", "2001:db8::/64"],
  ["127.0.0.1", null],
  ["::1", null],
  ["unknown", null],
  ["", null],
])("for whoever asks from %p the network %p is proposed, in the form that is signed", (address, network) => {
  expect(networkAround(address)).toBe(network);
  if (network !== null) expect(isNetwork(network)).toBe(true);
});
