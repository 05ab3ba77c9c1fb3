/** What each kind of stop refuses, withdraws and leaves alone. */
import { expect, test } from "bun:test";
import { canIncrease, endsOneKey, isOfThen, isStanding, STOP_CAUSES, stopStatus } from "../../src/core/stop.ts";

test("only a stop that was asked for, and that stands, refuses what comes after it", () => {
  expect(STOP_CAUSES.filter((cause) => isStanding({ cause, resumedAtMs: null }))).toEqual(["asked"]);
  expect(isStanding({ cause: "asked", resumedAtMs: 1 })).toBe(false);
});

test("a key that ends, however it does, leaves what its bot's other key has placed", () => {
  expect(STOP_CAUSES.filter(endsOneKey)).toEqual(["key_blocked", "key_revoked"]);
});

test("what came after a missed heartbeat, a loss or a narrowing is none of it", () => {
  expect(STOP_CAUSES.filter((cause) => isOfThen({ cause }))).toEqual(["heartbeat_missed", "loss_tripped", "narrowed"]);
});

test("a stop that was ended is resumed, whether or not it had stopped", () => {
  expect(stopStatus({ stoppedAtMs: null, resumedAtMs: null })).toBe("stopping");
  expect(stopStatus({ stoppedAtMs: 1, resumedAtMs: null })).toBe("stopped");
  expect(stopStatus({ stoppedAtMs: 1, resumedAtMs: 2 })).toBe("resumed");
  expect(stopStatus({ stoppedAtMs: null, resumedAtMs: 2 })).toBe("resumed");
});

test.each([
  ["a purchase", "buy", false, null, true],
  ["a sale of a perpetual", "sell", false, null, true],
  ["what only reduces", "sell", true, null, false],
  ["a purchase on spot", "buy", false, "HYPE/USDC", true],
  ["a sale on spot for cash", "sell", false, "HYPE/USDC", false],
  ["a sale on spot for another token", "sell", false, "HYPE/USDH", true],
  ["a sale for a token whose name ends as cash does", "sell", false, "HYPE/XUSDC", true],
] as const)("%s can make a position larger, or not", (...[, side, reduceOnly, pairName, can]) => {
  expect(canIncrease({ side, reduceOnly }, pairName)).toBe(can);
});
