/** When a modify placed what it was to place in any case, after its record has been forgotten. */
import { expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import { placedMs, type ToldEnd } from "../../src/settle/modify/whose-end.ts";
import { insertOrder } from "../../src/store/orders.ts";
import type { FrontendOrder } from "../../src/wire/answer/order-status.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { attemptRow, orderRow } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";

const PLACED_MS = 5_000;
const PLACED = { timestampMs: PLACED_MS } as FrontendOrder;
const END: ToldEnd = { kind: "own", endedAtMs: 4_000 };

const ROWS: [string, boolean, ToldEnd | null, number | null][] = [
  ["when it was, where no end of the original had been told by then", true, null, PLACED_MS],
  ["nothing, and it is not asked for, where an end that says when had been told by then", true, END, null],
  ["nothing, of one that places nothing once its original is over", false, null, null],
];

test.each(ROWS)("what is known of it once its record is forgotten: %s", (_what, isAlways, endThen, knownMs) => {
  const world = { store: openMemoryStore(), clock: stillClock(9_000) };
  insertOrder(world.store, orderRow());
  const order = { a: 0, b: true, p: "100", s: "1", r: false, t: { limit: { tif: "Gtc" } } };
  const action = JSON.stringify({
    type: "batchModify",
    modifies: [{ oid: 7, order }],
    ...(isAlways ? { a: true } : {}),
  });
  const attempt: Attempt = { id: 1, ...attemptRow({ action }) };
  expect(placedMs(world, attempt, { placed: PLACED, end: endThen })).toBe(PLACED_MS);
  expect(placedMs(world, attempt, { placed: null, end: END })).toBe(knownMs);
  expect(placedMs(world, { ...attempt, id: 2 }, { placed: null, end: END })).toBeNull();
});
