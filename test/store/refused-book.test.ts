/** What is kept in memory of refused actions, whose numbers may not be used up, is what the rows say after each write that makes or ends one. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { findAttempt, insertAttempt, listAttemptsOf, reopenAttempt, updateAttempt } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertLeg, listLegs, updateLeg } from "../../src/store/legs.ts";
import { closeStore, type Store } from "../../src/store/open.ts";
import { findOrder, insertPlacing, settleOrder } from "../../src/store/orders.ts";
import { listUnusedLegs, sealUnused } from "../../src/store/unused-numbers.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { attemptRow, legRow, placingRows } from "../support/rows.ts";

const PLACING = placingRows(1);
const { id: ORDER, accountId } = PLACING.order;
const CLOID = PLACING.leg.cloid;
const EXPIRES_AT_MS = attemptRow().expiresAtMs;

type Write = (store: Store) => void;

function makeAbsent(store: Store): void {
  for (const leg of listLegs(store, ORDER)) updateLeg(store, { ...leg, state: "absent" });
}

function end(store: Store): void {
  for (const each of listAttemptsOf(store, ORDER)) updateAttempt(store, each, { state: "done" });
}

function seal(store: Store): void {
  for (const each of listAttemptsOf(store, ORDER)) sealUnused(store, each, "noop");
}

function reopen(store: Store): void {
  for (const each of listAttemptsOf(store, ORDER)) reopenAttempt(store, each);
}

function settleAbsent(store: Store): void {
  const [order, attempt] = [findOrder(store, ORDER), listAttemptsOf(store, ORDER)[0]];
  if (order === null || attempt === undefined) throw new Error("the order is not there");
  const leg = { ...PLACING.leg, state: "absent" as const };
  const after = { order: { ...order, status: "rejected" as const, seenAtMs: 2 }, leg, seal: null };
  settleOrder(store, { order, leg: PLACING.leg, attempt }, after, { status: 201, body: "{}" });
}

test("what is known of its number is kept by an answer that says nothing of it", () => {
  const store = openMemoryStore();
  inTransaction(store, () => insertPlacing(store, PLACING));
  const sealOf = () => listAttemptsOf(store, ORDER)[0]?.seal;
  inTransaction(store, () => {
    for (const each of listAttemptsOf(store, ORDER)) updateAttempt(store, each, { seal: "nonce_taken" });
  });
  inTransaction(store, () => settleAbsent(store));
  expect([sealOf(), listAttemptsOf(store, ORDER)[0]?.state]).toEqual(["nonce_taken", "done"]);
  closeStore(store);
});

test.each<[what: string, before: readonly Write[], write: Write, unused: [before: boolean, after: boolean]]>([
  ["the answer that it was refused", [], settleAbsent, [false, true]],
  ["that it never came, once its attempt is over", [end], makeAbsent, [false, true]],
  ["the end of the attempt, once it is absent", [makeAbsent], end, [false, true]],
  ["a noop under its number", [makeAbsent, end], seal, [true, false]],
  ["that its attempt is open again", [makeAbsent, end], reopen, [true, false]],
])("%s is seen at once, and taken back with its transaction", (_what, before, write, unused) => {
  const store = openMemoryStore();
  inTransaction(store, () => insertPlacing(store, PLACING));
  for (const each of before) inTransaction(store, () => each(store));
  expect(isUnused(store)).toBe(unused[0]);
  const failing = () =>
    inTransaction(store, () => {
      write(store);
      expect(isUnused(store)).toBe(unused[1]);
      throw new Error("taken back");
    });
  expect(failing).toThrow("taken back");
  expect(isUnused(store)).toBe(unused[0]);
  inTransaction(store, () => write(store));
  expect(isUnused(store)).toBe(unused[1]);
  closeStore(store);
});

test("it ends when its action expires, and counts again for a clock that was set back", () => {
  const store = openMemoryStore();
  inTransaction(store, () => insertPlacing(store, PLACING));
  inTransaction(store, () => settleAbsent(store));
  const ages = [EXPIRES_AT_MS, EXPIRES_AT_MS - 1, EXPIRES_AT_MS - 2, EXPIRES_AT_MS];
  expect(ages.map((ageMs) => isUnused(store, ageMs))).toEqual([false, true, true, false]);
  closeStore(store);
});

test("what one account asked for may come for that account alone, whichever is asked for first", () => {
  const store = openMemoryStore();
  inTransaction(store, () => insertPlacing(store, PLACING));
  inTransaction(store, () => settleAbsent(store));
  const ofOther = () => listUnusedLegs(store, "another account", 0).length;
  expect([isUnused(store), ofOther(), isUnused(store)]).toEqual([true, 0, true]);
  closeStore(store);
});

test("what another modify was refused for counts as well", () => {
  const store = openMemoryStore();
  inTransaction(store, () => insertPlacing(store, PLACING));
  expect(isUnused(store)).toBe(false);
  const cloid = `0x${"7".repeat(32)}`;
  inTransaction(store, () => {
    const resource = { kind: "order", id: ORDER } as const;
    const made = legRow({ cloid, orderId: ORDER, ordinal: 1, state: "absent", size: decimal("2") });
    insertLeg(store, made);
    const { id } = insertAttempt(store, { ...attemptRow({ resource, cloid }), nonce: 2_000 });
    expect(isUnused(store)).toBe(false);
    const attempt = findAttempt(store, id);
    if (attempt !== null) updateAttempt(store, attempt, { state: "done", answerText: "refused" });
  });
  expect(listUnusedLegs(store, accountId, 0).map((leg) => [leg.cloid, leg.remaining, leg.isUnheard])).toEqual([
    [cloid, decimal("2"), true],
  ]);
  closeStore(store);
});

function isUnused(store: Store, expiresAfterMs = 0): boolean {
  return listUnusedLegs(store, accountId, expiresAfterMs).some(({ cloid }) => cloid === CLOID);
}
