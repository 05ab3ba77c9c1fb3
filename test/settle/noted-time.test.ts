/** When a row was changed last by the exchange's time, of rows that are dated by a clock that may be off. */
import { expect, test } from "bun:test";
import { notedAtEarliestMs, notedAtLatestMs } from "../../src/settle/record/noted-time.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, orderRow } from "../support/rows.ts";
import { WALL_CLOCKS } from "../support/wall-clocks.ts";

const HOUR_MS = 3_600_000;

/** Signed at the start, changed five seconds after it, and asked for a while after that. */
type Clocked = { before: number; since: number; numberAheadMs?: number; laterMs?: number };

async function noted({ before, since, numberAheadMs = 0, laterMs = 20_000 }: Clocked) {
  const rig = openGatewayRig();
  const createdAtMs = START_MS + before;
  const order = orderRow({ accountId: ACCOUNT.id, createdAtMs, seenAtMs: createdAtMs + 5_000 });
  insertOrder(rig.store, order);
  const expiresAtMs = START_MS + rig.deps.settings.timings.actionLifeMs;
  const nonce = START_MS + numberAheadMs;
  insertAttempt(rig.store, attemptRow({ accountId: ACCOUNT.id, createdAtMs, nonce, expiresAtMs }));
  rig.clock.stepWall(before + since);
  await rig.clock.advance(laterMs);
  return { rig, order, earliestMs: notedAtEarliestMs(rig.deps, order) };
}

test.each(WALL_CLOCKS)("it is between its earliest and its latest where our clock %s", async (_what, before, since) => {
  const { rig, order, earliestMs } = await noted({ before, since });
  expect(earliestMs).toBeLessThanOrEqual(START_MS + 5_000);
  expect(earliestMs).toBeGreaterThanOrEqual(START_MS);
  expect(notedAtLatestMs(rig.deps, order, rig.clock.nowMs())).toBeGreaterThanOrEqual(START_MS + 5_000);
});

test.each(WALL_CLOCKS)("a number of hours ahead says nothing where our clock %s", async (_what, before, since) => {
  const { earliestMs } = await noted({ before, since, numberAheadMs: 3 * HOUR_MS });
  expect(earliestMs).toBeLessThanOrEqual(START_MS + 5_000);
});

test.each(WALL_CLOCKS)(
  "it is no later half an hour after that either, where our clock %s",
  async (_what, before, since) => {
    const { earliestMs } = await noted({ before, since, laterMs: HOUR_MS / 2 });
    expect(earliestMs).toBeLessThanOrEqual(START_MS + 5_000);
  },
);

test("one that was placed elsewhere, of which nothing was signed, is of no later than now", async () => {
  const rig = openGatewayRig();
  const order = orderRow({ accountId: ACCOUNT.id, createdAtMs: START_MS - HOUR_MS, seenAtMs: START_MS + 60_000 });
  insertOrder(rig.store, order);
  expect(notedAtEarliestMs(rig.deps, order)).toBe(START_MS - HOUR_MS);
});

test("one that lies days ahead was noted before it was read first, however often it is asked for", async () => {
  const { rig, order } = await noted({ before: 72 * HOUR_MS, since: -72 * HOUR_MS });
  const latestMs = () => notedAtLatestMs(rig.deps, order, rig.clock.nowMs());
  expect(latestMs()).toBe(START_MS + 20_000);
  await rig.clock.advance(HOUR_MS);
  expect(latestMs()).toBe(START_MS + 20_000);
  // It was changed again: that is another moment.
  expect(notedAtLatestMs(rig.deps, { ...order, seenAtMs: START_MS + 80 * HOUR_MS }, rig.clock.nowMs())).toBe(
    START_MS + 20_000 + HOUR_MS,
  );
});
