import { expect, test } from "bun:test";
import { type SeenParts, waitsFor } from "../../src/actions/waits-for.ts";
import type { Attempt } from "../../src/core/attempt.ts";
import { attemptRow, legRow } from "../support/rows.ts";

const CLOID = legRow().cloid;
const ambiguous = { state: "ambiguous", cloid: CLOID, expiresAtMs: 1_795_253_412_000 } as const;
const modify = { ...ambiguous, kind: "modify", targetOid: "77" } as const;
const lost: SeenParts = { legs: [legRow({ state: "lost" })], isReleased: false, isAwaiting: false, weightWaitS: 0 };
const resting: SeenParts = {
  legs: [legRow({ state: "canceled" }), legRow({ state: "resting" })],
  isReleased: false,
  isAwaiting: false,
  weightWaitS: 0,
};

const WAITING: [string, Partial<Attempt>, SeenParts, string[]][] = [
  ["nothing left the gateway yet", { state: "prepared" }, lost, ["exchange's answer", "being sent"]],
  [
    "it can still land",
    { ...ambiguous, noops: 1 },
    lost,
    ["1 empty actions sent so far", "2026-11-21T09:30:15.000Z", "client order id"],
  ],
  ["its number is taken", { ...ambiguous, seal: "nonce_taken", negatives: 1 }, lost, ["1 of 2 so far", "quiet"]],
  ["it has expired", { ...ambiguous, seal: "expiry", negatives: 0 }, lost, ["0 of 2 so far", "expired"]],
  ["nothing is known of a replacement", { ...modify, noops: 2 }, lost, ["2 empty actions sent so far"]],
  [
    "the replacement rests",
    modify,
    { legs: [legRow({ state: "resting" })], isReleased: false, isAwaiting: false, weightWaitS: 0 },
    ["what became of 77"],
  ],
  ["a cancel is armed", { ...ambiguous, kind: "cancel", cloid: null }, resting, ["1 of 2 so far", "another cancel"]],
  [
    "our own weight is used up",
    ambiguous,
    { ...lost, weightWaitS: 26 },
    ["next, a look", "has room for that in about 26 s"],
  ],
  ["its account waits since a restore", ambiguous, { ...lost, isAwaiting: true }, ["after the restore"]],
];

test.each(WAITING)("while %s, that and the next step are told", (_when, some, seen, parts) => {
  const text = waitsFor({ id: 1, ...attemptRow(some) }, seen);
  for (const part of parts) expect(text).toContain(part);
});

test("a settled action waits for nothing", () => {
  expect(waitsFor({ id: 1, ...attemptRow({ ...ambiguous, state: "done" }) }, lost)).toBeNull();
});
