/** When something may be read for the record: whatever settling reads by itself, and not while clients read a lot. */
import { expect, test } from "bun:test";
import { createBudget } from "../../src/exchange/budget.ts";
import type { Purpose } from "../../src/exchange/exchange.ts";
import { isAtLeisure } from "../../src/settle/ledger/leisure.ts";
import { openRig } from "../http/rig.ts";

const HINTS = "read";
const CLIENT = { reader: "a client" };
const OTHER = { reader: "another client" };

const ROWS: [string, readonly Purpose[], boolean][] = [
  ["is read while nobody reads", [], true],
  ["is read while settling reads all that it may", [HINTS], true],
  ["waits while a client reads all that it may beside settling", [HINTS, CLIENT], false],
  ["waits while settling reads all that it may beside a client", [CLIENT, HINTS], false],
  ["waits while the two take turns", [HINTS, CLIENT, HINTS, CLIENT], false],
  ["waits while two clients read all that they may", [CLIENT, OTHER], false],
];

test.each(ROWS)("the record %s", (_what, hungry, isRead) => {
  const { deps } = openRig();
  const budget = createBudget({ weightPerMinute: 1_200 });
  for (const purpose of hungry) while (budget.take(purpose, 2, 0) !== null);
  const exchange = { ...deps.exchange, budgetLeft: (purpose: Purpose) => budget.left(purpose, 0) };
  expect(isAtLeisure({ ...deps, exchange })).toBe(isRead);
});

test("the record waits while a client that was refused may wait for its room, though there is some already", () => {
  const { deps } = openRig();
  const budget = createBudget({ weightPerMinute: 1_200 });
  const isReadAt = (nowMs: number) => {
    const budgetLeft = (purpose: Purpose) => budget.left(purpose, nowMs);
    const exchange = { ...deps.exchange, budgetLeft, isReaderWaiting: () => budget.isReaderWaiting(nowMs) };
    return isAtLeisure({ ...deps, exchange });
  };
  // What settling cannot read now it reads later: it was promised nothing.
  while (budget.take(HINTS, 20, 0) !== null);
  expect(isReadAt(0)).toBe(true);
  expect(budget.take(CLIENT, 200, 1_000)).toBeNull();
  expect(isReadAt(1_000)).toBe(false);
  expect(isReadAt(1_000 + budget.waitMs(CLIENT, 200, 1_000))).toBe(false);
  expect(isReadAt(63_000)).toBe(true);
});
