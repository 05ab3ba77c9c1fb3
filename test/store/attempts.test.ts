import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import {
  deleteAttempt,
  findAttempt,
  insertAttempt,
  listAttemptsOf,
  listOpenAttempts,
  markPreparedAmbiguous,
  raiseNonces,
  takeNonce,
  updateAttempt,
} from "../../src/store/attempts.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { forget } from "../../src/store/remembered.ts";
import { attemptRow, orderRow } from "../support/rows.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

test("an attempt comes back as it was stored", () => {
  const store = openStore(":memory:");
  const stored = insertAttempt(store, attemptRow({ vaultAddress: "0xbb", targetOid: "77", answerText: "said" }));
  expect(findAttempt(store, stored.id)).toEqual(stored);
  expect(stored).toMatchObject(attemptRow({ vaultAddress: "0xbb", targetOid: "77", answerText: "said" }));
});

test("two payloads under one number of one signer cannot be stored, under two signers they can", () => {
  const store = openStore(":memory:");
  insertAttempt(store, attemptRow({ action: '{"a":1}' }));
  expect(() => insertAttempt(store, attemptRow({ action: '{"a":2}' }))).toThrow("UNIQUE");
  insertAttempt(store, attemptRow({ signer: "0xother" }));
  expect(listOpenAttempts(store)).toHaveLength(2);
});

test("a done attempt stays as it is", () => {
  const store = openStore(":memory:");
  const { id } = insertAttempt(store, attemptRow());
  expect(updateAttempt(store, id, { state: "done", settledAtMs: 5 })).toBe(true);
  expect(updateAttempt(store, id, { state: "ambiguous", negatives: 9 })).toBe(false);
  expect(findAttempt(store, id)).toMatchObject({ state: "done", negatives: 0, settledAtMs: 5 });
});

test("what is prepared or ambiguous is open, oldest first; a start makes all of it ambiguous", () => {
  const store = openStore(":memory:");
  const ids = [1, 2, 3].map((nonce) => insertAttempt(store, attemptRow({ nonce })).id);
  updateAttempt(store, ids[1] ?? 0, { state: "done" });
  updateAttempt(store, ids[2] ?? 0, { state: "ambiguous" });
  expect(listOpenAttempts(store).map(({ id, state }) => [id, state])).toEqual([
    [ids[0] ?? 0, "prepared"],
    [ids[2] ?? 0, "ambiguous"],
  ]);
  expect(markPreparedAmbiguous(store)).toBe(1);
  expect(markPreparedAmbiguous(store)).toBe(0);
  expect(listOpenAttempts(store).map(({ state }) => state)).toEqual(["ambiguous", "ambiguous"]);
  expect(listAttemptsOf(store, orderRow().id).map(({ state }) => state)).toEqual(["ambiguous", "done", "ambiguous"]);
});

test("the number of an attempt that was taken back is not used again", () => {
  const store = openStore(":memory:");
  const nonce = takeNonce(store, "0xaa", 1_000);
  const { id } = insertAttempt(store, attemptRow({ signer: "0xaa", nonce: nonce ?? 0 }));
  deleteAttempt(store, id);
  expect(takeNonce(store, "0xaa", 1_000)).toBe(1_001);
});

test("what is taken back, in whatever order, and what a restore says, stays behind every later number", () => {
  const store = openStore(":memory:");
  const ids = [7, 9, 8].map((nonce) => insertAttempt(store, attemptRow({ signer: "0xaa", nonce })).id);
  for (const nth of [1, 0, 2]) deleteAttempt(store, ids[nth] ?? 0);
  forget(store);
  expect(takeNonce(store, "0xaa", 1)).toBe(10);
  insertAttempt(store, attemptRow({ signer: "0xbb", nonce: 3 }));
  raiseNonces(store, 100);
  expect([takeNonce(store, "0xaa", 1), takeNonce(store, "0xbb", 1)]).toEqual([101, 101]);
});

test("nonces of each signer strictly increase under any clock, also across restarts", async () => {
  await inTemporaryDirectory(async (path) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            signer: fc.constantFrom("0xaa", "0xbb"),
            nowMs: fc.integer({ min: 1_000, max: 1_020 }),
            isRestart: fc.boolean(),
            isTakenBack: fc.boolean(),
          }),
          { maxLength: 20 },
        ),
        async (trace) => {
          run += 1;
          const file = join(path, `${run}.db`);
          let store = openStore(file);
          const last = new Map<string, number>();
          for (const { signer, nowMs, isRestart, isTakenBack } of trace) {
            if (isRestart) {
              closeStore(store);
              store = openStore(file);
            }
            const nonce = takeNonce(store, signer, nowMs) ?? 0;
            const { id } = insertAttempt(store, attemptRow({ signer, nonce }));
            if (isTakenBack) deleteAttempt(store, id);
            expect(nonce).toBeGreaterThan(last.get(signer) ?? 0);
            last.set(signer, nonce);
          }
          closeStore(store);
        },
      ),
      { numRuns: 15 },
    );
  });
});

test("a signer far ahead of the clock gets no number, and loses none", () => {
  const store = openStore(":memory:");
  const DAY_MS = 86_400_000;
  takeNonce(store, "0xaa", DAY_MS);
  expect(takeNonce(store, "0xaa", 1_000)).toBeNull();
  expect(takeNonce(store, "0xaa", DAY_MS)).toBe(DAY_MS + 1);
});
