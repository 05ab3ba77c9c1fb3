import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../../src/core/decimal.ts";
import { parseLimitedGrant } from "../../../src/core/rails/limited-grant.ts";
import { lossBoundWords } from "../../../src/core/rails/loss-bound.ts";
import type { Rails, RailsText, RailVerb } from "../../../src/core/rails/rails.ts";
import {
  grantAsSent,
  grantTextOf,
  inOneForm,
  PROPOSED_DAYS,
  PROPOSED_RAILS,
  walletLines,
} from "../../../src/core/rails/wished-grant.ts";

const WISHED: RailsText = { ...PROPOSED_RAILS, bot: "grid-1", markets: "BTC,ETH" };
const FOR = {
  audience: "https://postern.example",
  account: {
    id: "11111111-aaaa-4aaa-8aaa-111111111111",
    network: "paper" as const,
    owner: `0x${"ab".repeat(20)}`,
    tradingAddress: `0x${"cd".repeat(20)}`,
  },
  keyHash: "ef".repeat(32),
  scopes: "trading:read,trading:write",
  issuedAtMs: 1_795_000_000_000,
  days: PROPOSED_DAYS,
};

const WRITTEN: readonly [member: keyof RailsText, written: string, signed: string][] = [
  ["maxOrder", "500", "500 USD"],
  ["maxOrder", "500.50usd", "500.5 USD"],
  ["maxOrder", " 500.00 USD ", "500 USD"],
  ["maxOrder", "any", "any"],
  ["maxOrder", "5,000", "5,000"],
  ["maxOrder", "1e3", "1e3"],
  ["maxOrder", "", ""],
  ["maxDistance", "2%", "2 %"],
  ["maxDistance", "0.50", "0.5 %"],
  ["maxActionsPerDay", " 2000 ", "2000"],
  ["markets", "ETH, BTC  xyz:*,BTC", "BTC,ETH,xyz:*"],
  ["markets", "any", "any"],
  ["sources", "203.0.113.7/32 10.0.0.0/8", "10.0.0.0/8,203.0.113.7/32"],
  ["may", "cancel,increase", "increase,cancel"],
  ["may", "withdraw", "withdraw"],
  ["may", "cancel,withdraw", "cancel,withdraw"],
  ["bot", " grid-1 ", "grid-1"],
];

test.each(WRITTEN)("%s written as %p is signed as %p", (member, written, signed) => {
  expect(inOneForm({ ...WISHED, [member]: written })[member]).toBe(signed);
});

describe("what is proposed", () => {
  test("has the one form of each, is held by this version, and ends after 90 days", () => {
    const text = grantTextOf(FOR, WISHED);
    expect(inOneForm(WISHED)).toEqual(WISHED);
    const parsed = parseLimitedGrant(text);
    expect(parsed.kind).toBe("grant");
    if (parsed.kind !== "grant") return;
    expect(parsed.grant.expiresAtMs - parsed.grant.issuedAtMs).toBe(90 * 86_400_000);
  });

  test("bounds what a thief of the key can lose in a day, in words", () => {
    const parsed = parseLimitedGrant(grantTextOf(FOR, WISHED));
    if (parsed.kind !== "grant") throw new Error("no grant");
    const words = lossBoundWords(parsed.grant.rails);
    // 2,500 USD opened at 2 %, and as much and then all of 1,500 USD closed at 10 %.
    expect(words).toContain(
      "at most 450 USD by bad prices (2 % of what it opens, 10 % of what it closes, 6500 USD in all), the fees of that",
    );
    expect(words).toContain("15 USD for each percent that the market moves against a position of 1500 USD");
    for (const rail of ["maxDistance", "maxStopDistance", "maxTurnoverPerDay"] as const)
      expect(lossBoundWords({ ...parsed.grant.rails, [rail]: null })).toContain("Nothing bounds");
    expect(lossBoundWords({ ...parsed.grant.rails, maxExposure: null, maxPosition: null })).toContain(
      "at most 600 USD by bad prices (2 % of what it opens, 10 % of what it closes, 5000 USD each) and 10 % of what it held before",
    );
    // As much in each of two markets; of a dex nobody knows how many it has.
    expect(lossBoundWords({ ...parsed.grant.rails, maxExposure: null, maxPosition: decimal("1000") })).toContain(
      "7000 USD in all",
    );
    const ofDex = { markets: ["xyz:*"], maxExposure: null, maxPosition: decimal("1000") };
    expect(lossBoundWords({ ...parsed.grant.rails, ...ofDex })).toContain("5000 USD each");
    expect(lossBoundWords({ ...parsed.grant.rails, touches: "all" })).toContain(
      "It may close whatever else the account holds, at prices up to 10 % worse.",
    );
    const small = { maxTurnoverPerDay: decimal("0.1"), maxExposure: decimal("0.05") };
    expect(lossBoundWords({ ...parsed.grant.rails, ...small })).toContain("at most 0.02 USD");
  });

  const MARKET = "15 USD for each percent that the market moves against a position of 1500 USD over all markets";
  const CLOSES =
    "closes what the bot holds at prices up to 10 % worse, at most 150 USD of 1500 USD, and the fees of that";

  test.each<[string, Partial<Rails>, string]>([
    ["reduce,cancel", {}, `A thief of this key opens nothing, and ${CLOSES}; it may cancel what protects that.`],
    ["reduce", {}, `A thief of this key opens nothing, and ${CLOSES}.`],
    ["cancel", {}, "A thief of this key opens nothing, and closes nothing; it may cancel what protects that."],
    [
      "reduce",
      { touches: "all" },
      "A thief of this key opens nothing, and closes whatever the account holds at prices up to 10 % worse, and the fees of that.",
    ],
    [
      "reduce",
      { maxStopDistance: null },
      "A thief of this key opens nothing, and nothing bounds how badly it closes what the bot holds: max_stop_distance is any.",
    ],
    [
      "increase,reduce,modify,cancel",
      { markets: [] },
      `A thief of this key opens nothing, and ${CLOSES}; it may cancel what protects that.`,
    ],
    [
      "approve",
      {},
      "A thief of this key opens and closes nothing by itself: it says yes to whatever the account's agents ask for, each held to its own rails.",
    ],
    [
      "reduce,propose",
      { maxLossPerDay: null },
      `By itself a thief of this key opens nothing, and ${CLOSES}. What it asks for beyond that waits until somebody approves it, and is then held to these rails. If everything that it asks for were approved: A thief of this key can lose you, in a day, at most 450 USD by bad prices (2 % of what it opens, 10 % of what it closes, 6500 USD in all), the fees of that, and ${MARKET}.`,
    ],
    [
      "propose",
      { maxTurnoverPerDay: null },
      "By itself a thief of this key opens nothing, and closes nothing. What it asks for beyond that waits until somebody approves it, and is then held to these rails. If everything that it asks for were approved: Nothing bounds what a thief of this key can lose you in a day: max_turnover_per_day is any. Once it has lost 50 USD in a day it increases nothing until the next; that is best effort, closes nothing and bounds no loss.",
    ],
  ])("bounds a key that may %s, with %j, by what it can do itself", (may, others, words) => {
    const parsed = parseLimitedGrant(grantTextOf(FOR, WISHED));
    if (parsed.kind !== "grant") throw new Error("no grant");
    // Each is a verb.
    const verbs = may.split(",") as RailVerb[];
    expect(lossBoundWords({ ...parsed.grant.rails, may: verbs, ...others })).toBe(words);
  });

  test("bounds whatever is opened and closed within turnover and exposure, each at the worst price that its rail allows", () => {
    const parsed = parseLimitedGrant(grantTextOf(FOR, WISHED));
    if (parsed.kind !== "grant") throw new Error("no grant");
    const { rails } = parsed.grant;
    const rail = fc.record({
      maxTurnoverPerDay: fc.integer({ min: 1, max: 60 }),
      maxExposure: fc.integer({ min: 1, max: 40 }),
      maxDistance: fc.integer({ min: 1, max: 20 }),
      maxStopDistance: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(
        rail,
        fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 30 }),
        fc.nat(40),
        (limits, moves, before) => {
          const { maxTurnoverPerDay: turnover, maxExposure, maxDistance, maxStopDistance } = limits;
          let [held, traded, lost] = [Math.min(before, maxExposure), 0, 0];
          const close = (size: number) => {
            held -= size;
            traded += size;
            lost += size * Math.max(maxDistance, maxStopDistance);
          };
          for (const size of moves) {
            if (size < 0) close(Math.min(-size, held));
            else if (traded + size <= turnover && held + size <= maxExposure) {
              held += size;
              traded += size;
              lost += size * maxDistance;
            }
          }
          close(held);
          const named = Object.entries(limits).map(([name, value]) => [name, decimal(String(value))]);
          const words = lossBoundWords({ ...rails, ...Object.fromEntries(named) });
          const bound = Number(/at most ([0-9.]+) USD by bad prices/.exec(words)?.[1]);
          expect(lost / 100).toBeLessThanOrEqual(bound);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("is sent without the audience and shown with it, each member as it is signed", () => {
    const text = grantTextOf(FOR, WISHED);
    expect(grantAsSent(text)).toMatchObject({ max_order: "500 USD", trading_address: FOR.account.tradingAddress });
    expect(grantAsSent(text)).not.toHaveProperty("audience");
    expect(walletLines(text).map(([name, value]) => `${name} ${value}`)).toContain("maxTurnoverPerDay 5000 USD");
    expect(walletLines(text)).toHaveLength(Object.keys(text).length);
  });
});
