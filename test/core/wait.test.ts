/** What is waited for, since when, and when there is something to tell of it. */
import { expect, test } from "bun:test";
import { isToTell, namesOf, type ToldWaits, type Wait, waitsSince } from "../../src/core/wait.ts";

const NOW_MS = 1_000_000;

function wait(some: Partial<Wait> = {}): Wait {
  return {
    reason: "outcome_unknown",
    orderId: "o1",
    operationId: null,
    market: "BTC",
    sinceMs: NOW_MS - 6_000,
    ...some,
  };
}

test("what was waited for before is waited for since then, and the same thing is named once", () => {
  const before = [wait({ sinceMs: 5 }), wait({ orderId: "gone" })];
  const now = [
    wait(),
    wait(),
    wait({ reason: "size_unknown", sinceMs: 7 }),
    { reason: "no_price", market: "ETH" },
  ] as const;
  expect(waitsSince(before, now, NOW_MS)).toEqual([
    wait({ sinceMs: 5 }),
    wait({ reason: "size_unknown", sinceMs: 7 }),
    wait({ reason: "no_price", orderId: null, market: "ETH", sinceMs: NOW_MS }),
  ]);
});

test.each<[string, Wait[], Partial<ToldWaits>, boolean]>([
  ["what has been waited for long enough", [wait()], {}, true],
  ["nothing", [], {}, false],
  ["what has just begun", [wait({ sinceMs: NOW_MS - 4_999 })], {}, false],
  ["what was told last", [wait()], { names: namesOf([wait()]), atMs: 0 }, false],
  ["something else right after", [wait()], { names: "other", atMs: NOW_MS - 9_999 }, false],
  ["something else later", [wait()], { names: "other", atMs: NOW_MS - 10_000 }, true],
  ["something else after a clock that was set back", [wait()], { names: "other", atMs: NOW_MS + 60_000 }, true],
])("to tell: %s", (_what, waits, told, isTold) => {
  expect(isToTell({ names: "", atMs: null, ...told }, waits, NOW_MS)).toBe(isTold);
});
