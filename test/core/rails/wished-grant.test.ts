import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { parseLimitedGrant } from "../../../src/core/rails/limited-grant.ts";
import { lossBoundWords } from "../../../src/core/rails/loss-bound.ts";
import type { RailsText } from "../../../src/core/rails/rails.ts";
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
    expect(words).toContain("at most 100 USD by bad prices (2 % of 5000 USD)");
    expect(words).toContain("15 USD for each percent that the market moves against a position of 1500 USD");
    expect(lossBoundWords({ ...parsed.grant.rails, maxDistance: null })).toContain("Nothing bounds");
    expect(lossBoundWords({ ...parsed.grant.rails, maxTurnoverPerDay: decimal("10") })).toContain("at most 0.2 USD");
  });

  test("is sent without the audience and shown with it, each member as it is signed", () => {
    const text = grantTextOf(FOR, WISHED);
    expect(grantAsSent(text)).toMatchObject({ max_order: "500 USD", trading_address: FOR.account.tradingAddress });
    expect(grantAsSent(text)).not.toHaveProperty("audience");
    expect(walletLines(text).map(([name, value]) => `${name} ${value}`)).toContain("maxTurnoverPerDay 5000 USD");
    expect(walletLines(text)).toHaveLength(Object.keys(text).length);
  });
});
