/** Which stops came after something, and over whom. */
import { expect, test } from "bun:test";
import type { Stop } from "../../src/core/stop.ts";
import { isStoppedSince } from "../../src/settle/trade/trade-facts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { hasStopSince, insertStop } from "../../src/store/stops.ts";
import { TRADE } from "../core/trade-stage.ts";
import { ACCOUNT, openFilledStore, START_MS } from "../support/gateway-rig.ts";
import { stillClock } from "../support/still-clock.ts";

const STOP: Stop = {
  id: "01a21f1b-0000-7472-b94f-c406016b9da1",
  accountId: ACCOUNT.id,
  scope: "account",
  keyHash: null,
  cause: "asked",
  keepsProtection: true,
  upTo: 0,
  createdAtMs: START_MS,
  outsideAtMs: null,
  stoppedAtMs: null,
  resumedAtMs: null,
};

test("a stop came then or later, whatever became of it, and over its own account alone", () => {
  const store = openFilledStore();
  const ended = { ...STOP, resumedAtMs: START_MS + 1 };
  inTransaction(store, () => insertStop(store, ended, { actor: "operator", idempotencyKey: null }));
  const since = (accountId: string, sinceMs: number, untilMs = START_MS + 2) =>
    hasStopSince(store, { accountId, keyHash: "hash-of-a-key", sinceMs, untilMs });
  expect([since(ACCOUNT.id, START_MS), since(ACCOUNT.id, START_MS + 1)]).toEqual([true, false]);
  expect(since("5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c99", START_MS)).toBe(false);
  // One that lies ahead was made before the clock was set back.
  expect(since(ACCOUNT.id, START_MS - 2, START_MS - 1)).toBe(false);
});

test("a stop that stands came after a trade that it would have refused, whatever the clock said", () => {
  const store = openFilledStore();
  const trade = { ...TRADE, accountId: ACCOUNT.id, createdAtMs: START_MS };
  const isStopped = () => isStoppedSince({ store, clock: stillClock(START_MS) }, trade);
  expect(isStopped()).toBe(false);
  const stop = { ...STOP, createdAtMs: START_MS - 3_600_000 };
  inTransaction(store, () => insertStop(store, stop, { actor: "operator", idempotencyKey: null }));
  expect(isStopped()).toBe(true);
});
