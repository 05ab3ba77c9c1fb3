import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { Attempt } from "../../src/core/attempt.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertAgent } from "../../src/store/agents.ts";
import {
  deleteAttempt,
  findAttempt,
  findAttemptByCloid,
  firstPlacedAfter,
  insertAttempt,
  listAttemptsOf,
  listOpenAttempts,
  markPreparedAmbiguous,
  newestAttemptId,
  updateAttempt,
} from "../../src/store/attempts.ts";
import { onBroken, whyBroken } from "../../src/store/broken.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { raiseNonces, takeNonce } from "../../src/store/nonces.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { deleteOrder, findOrder, insertOrder, insertPlacing } from "../../src/store/orders.ts";
import { forget } from "../../src/store/remembered.ts";
import { sealUnused } from "../../src/store/unused-numbers.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, attemptRow, orderRow, placingRows } from "../support/rows.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const AGENT = {
  address: "0xcc",
  ownerAddress: accountRow().ownerAddress,
  name: "postern-1",
  state: "approved",
  sealedKey: new Uint8Array(8),
  createdAtMs: 0,
  approvedAtMs: 0,
  validUntilMs: null,
} as const;

test("an attempt comes back as it was stored", () => {
  const store = openMemoryStore();
  const stored = insertAttempt(store, attemptRow({ vaultAddress: "0xbb", targetOid: "77", answerText: "said" }));
  expect(findAttempt(store, stored.id)).toEqual(stored);
  expect(stored).toMatchObject(attemptRow({ vaultAddress: "0xbb", targetOid: "77", answerText: "said" }));
});

test("an attempt that places an order comes back from its row as it was stored", () => {
  const store = openMemoryStore();
  const some = {
    vaultAddress: "0xbb",
    answerText: "said",
    sentAtMs: 3,
    noops: 2,
    seal: "noop",
    hasLanded: true,
  } as const;
  for (const placing of [placingRows(1), placingRows(2, some), placingRows(3, { negatives: 4, settledAtMs: 5 })]) {
    const stored = insertPlacing(store, placing);
    expect(stored).toEqual({ ...placing.attempt, id: stored.id });
    expect(findAttempt(store, stored.id)).toEqual(stored);
    expect(findAttemptByCloid(store, stored.cloid ?? "")).toEqual(stored);
    expect(listAttemptsOf(store, stored.resource.id)).toEqual([stored]);
    expect(findOrder(store, stored.resource.id)).toEqual(placing.order);
  }
});

test("what an order's row could not say of its attempt is not stored there", () => {
  const store = openMemoryStore();
  const others: Partial<Attempt>[] = [
    { kind: "modify" as const },
    { targetOid: "77" },
    { isTargetClosed: true },
    { intendedTotal: "1" },
    { cloid: attemptRow().cloid },
    { cloid: null },
    { accountId: "another" },
    { idempotencyKey: "another" },
    { resource: attemptRow().resource },
  ];
  for (const some of others) expect(() => insertPlacing(store, placingRows(1, some))).toThrow("bug: not the attempt");
  expect(findOrder(store, placingRows(1).order.id)).toBeNull();
});

test("two payloads under one number cannot be stored, in whichever two rows", () => {
  const same = { signer: "0xaa", nonce: 7 };
  const inserts = [
    (store: Store) => insertAttempt(store, attemptRow(same)),
    (store: Store) => insertPlacing(store, placingRows(1, same)),
    (store: Store) => insertPlacing(store, placingRows(2, same)),
  ];
  for (const first of inserts) {
    for (const second of inserts) {
      if (first === second) continue;
      const store = openMemoryStore();
      insertAccount(store, accountRow());
      let broken = "";
      onBroken(store, (because) => {
        broken = because;
      });
      inTransaction(store, first);
      expect(() => inTransaction(store, second)).toThrow(/UNIQUE|two actions under one number/);
      expect(broken).not.toBe("");
      expect(listOpenAttempts(store)).toHaveLength(1);
    }
  }
});

test("an id of one table is never a row of the other: all writing ends", () => {
  const inserts = [
    (store: Store) => insertAttempt(store, attemptRow({ nonce: 1 })),
    (store: Store) => insertPlacing(store, placingRows(2)),
  ];
  for (const [first, second] of [inserts, inserts.toReversed()]) {
    if (first === undefined || second === undefined) throw new Error("two of them");
    const store = openMemoryStore();
    insertAccount(store, accountRow());
    inTransaction(store, first);
    // As if it had never been counted.
    store.$client.run("DELETE FROM sqlite_sequence WHERE name IN ('orders', 'attempts')");
    forget(store);
    expect(() => inTransaction(store, second)).toThrow("two actions under one number");
    expect(whyBroken(store)).not.toBeNull();
    expect(listOpenAttempts(store)).toHaveLength(1);
  }
});

test("ids ascend over both tables, and none is given out again after its row is gone", async () => {
  await inTemporaryDirectory((path) => {
    let store = openStore(join(path, "p.db"));
    const taken: number[] = [];
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      const attempt =
        nth % 2 === 0 ? insertAttempt(store, attemptRow({ nonce: nth })) : insertPlacing(store, placingRows(nth));
      taken.push(attempt.id);
      if (nth > 2) deleteAttempt(store, attempt);
      if (nth > 2) deleteOrder(store, placingRows(nth).order.id, 1);
      if (nth === 4) forget(store);
      if (nth !== 5) continue;
      closeStore(store);
      store = openStore(join(path, "p.db"));
    }
    expect(taken).toEqual([1, 2, 3, 4, 5, 6]);
    expect(newestAttemptId(store)).toBe(2);
    closeStore(store);
  });
});

test("the first attempt after an id that places something is found in both tables", () => {
  const store = openMemoryStore();
  insertPlacing(store, placingRows(1, { createdAtMs: 10 }));
  insertAttempt(store, attemptRow({ nonce: 2, cloid: null, createdAtMs: 20 }));
  insertAttempt(store, attemptRow({ nonce: 3, createdAtMs: 30 }));
  insertOrder(store, orderRow());
  insertPlacing(store, placingRows(5, { createdAtMs: 50 }));
  expect([0, 1, 2, 3, 4, 5].map((id) => firstPlacedAfter(store, id))).toEqual([10, 30, 30, 50, 50, null]);
  expect(newestAttemptId(store)).toBe(5);
});

test("an order's attempt changes like any other, and stays as it is once it is done", () => {
  const store = openMemoryStore();
  const placing = insertPlacing(store, placingRows(1));
  const { id, resource } = placing;
  const other = insertPlacing(store, placingRows(2));
  const change = { sentAtMs: 3, noops: 1, seal: "expiry", hasLanded: true, negatives: 2, answerText: "said" } as const;
  expect(updateAttempt(store, placing, change)).toBe(true);
  expect(findAttempt(store, id)).toMatchObject({ ...change, state: "prepared" });
  expect(() => updateAttempt(store, placing, { isTargetClosed: true })).toThrow("bug:");
  expect(updateAttempt(store, placing, { state: "done", settledAtMs: 5 })).toBe(true);
  expect(updateAttempt(store, placing, { state: "ambiguous", negatives: 9 })).toBe(false);
  expect(findAttempt(store, id)).toMatchObject({ ...change, state: "done", settledAtMs: 5 });
  expect(findAttempt(store, other.id)).toEqual(other);
  deleteAttempt(store, placing);
  expect(findAttempt(store, id)).toBeNull();
  expect(listAttemptsOf(store, resource.id)).toEqual([]);
});

test("two payloads under one number of one signer cannot be stored, under two signers they can", () => {
  const store = openMemoryStore();
  insertAttempt(store, attemptRow({ action: '{"a":1}' }));
  expect(() => insertAttempt(store, attemptRow({ action: '{"a":2}' }))).toThrow("bug: two actions");
  insertAttempt(store, attemptRow({ signer: "0xother" }));
  expect(listOpenAttempts(store)).toHaveLength(2);
});

test("a done attempt stays as it is", () => {
  const store = openMemoryStore();
  const attempt = insertAttempt(store, attemptRow());
  expect(updateAttempt(store, attempt, { state: "done", settledAtMs: 5 })).toBe(true);
  expect(updateAttempt(store, attempt, { state: "ambiguous", negatives: 9 })).toBe(false);
  expect(findAttempt(store, attempt.id)).toMatchObject({ state: "done", negatives: 0, settledAtMs: 5 });
});

test("what is prepared or ambiguous is open, oldest first; a start makes all of it ambiguous", () => {
  const store = openMemoryStore();
  insertAccount(store, accountRow());
  const others = [1, 2, 3].map((nonce) => insertAttempt(store, attemptRow({ nonce })));
  const ids = others.map(({ id }) => id);
  const placing = insertPlacing(store, placingRows(4));
  updateAttempt(store, placing, { state: "ambiguous" });
  expect(listOpenAttempts(store).map(({ id }) => id)).toEqual([...ids, placing.id]);
  expect(updateAttempt(store, placing, { state: "done" })).toBe(true);
  const other = insertPlacing(store, placingRows(5));
  expect([markPreparedAmbiguous(store), markPreparedAmbiguous(store)]).toEqual([4, 0]);
  for (const id of ids) store.$client.run(`UPDATE attempts SET state = 'prepared' WHERE id = ${id}`);
  expect(findAttempt(store, other.id)?.state).toBe("ambiguous");
  expect(findAttempt(store, placing.id)?.state).toBe("done");
  updateAttempt(store, other, { state: "done" });
  updateAttempt(store, others[1] ?? other, { state: "done" });
  updateAttempt(store, others[2] ?? other, { state: "ambiguous" });
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
  const store = openMemoryStore();
  const nonce = takeNonce(store, "0xaa", 1_000);
  deleteAttempt(store, insertAttempt(store, attemptRow({ signer: "0xaa", nonce: nonce ?? 0 })));
  expect(takeNonce(store, "0xaa", 1_000)).toBe(1_001);
});

test("a placing's number is passed when it is stored, and stays used up when it is taken back", () => {
  const store = openMemoryStore();
  expect(takeNonce(store, "0xaa", 5)).toBe(5);
  const placing = insertPlacing(store, placingRows(1, { signer: "0xaa", nonce: 9 }));
  expect(takeNonce(store, "0xaa", 5)).toBe(10);
  deleteAttempt(store, placing);
  forget(store);
  expect(takeNonce(store, "0xaa", 5)).toBe(10);
  insertPlacing(store, placingRows(2, { signer: "0xbb", nonce: 3 }));
  raiseNonces(store, 100);
  expect(takeNonce(store, "0xbb", 1)).toBe(101);
});

test("what is taken back, in whatever order, and what a restore says, stays behind every later number", () => {
  const store = openMemoryStore();
  const attempts = [7, 9, 8].map((nonce) => insertAttempt(store, attemptRow({ signer: "0xaa", nonce })));
  for (const attempt of attempts.toSorted((a, b) => b.nonce - a.nonce)) deleteAttempt(store, attempt);
  forget(store);
  expect(takeNonce(store, "0xaa", 1)).toBe(10);
  insertAttempt(store, attemptRow({ signer: "0xbb", nonce: 3 }));
  raiseNonces(store, 100);
  expect([takeNonce(store, "0xaa", 1), takeNonce(store, "0xbb", 1)]).toEqual([101, 101]);
});

test("a signer that has signed nothing yet goes on above what a restore says", () => {
  const store = openMemoryStore();
  insertAccount(store, accountRow());
  insertAgent(store, AGENT);
  raiseNonces(store, 100);
  expect(takeNonce(store, AGENT.address, 1)).toBe(101);
});

test("beside a number that is out of reach the one that was taken back stays used up", () => {
  const store = openMemoryStore();
  const DAY_MS = 86_400_000;
  const back = insertAttempt(store, attemptRow({ signer: "0xaa", nonce: 1_005 }));
  deleteAttempt(store, back);
  insertAttempt(store, attemptRow({ signer: "0xaa", nonce: 1_003 }));
  insertAttempt(store, attemptRow({ signer: "0xaa", nonce: 2 * DAY_MS }));
  forget(store);
  expect(takeNonce(store, "0xaa", 1_000)).toBe(1_006);
});

test("what is known of an unused number is said once", () => {
  const store = openMemoryStore();
  const { id } = insertPlacing(store, placingRows(1));
  const sealed = (by: "noop" | "expiry") => {
    const attempt = findAttempt(store, id);
    if (attempt === null) throw new Error("bug: no attempt");
    sealUnused(store, attempt, by);
    return findAttempt(store, id)?.seal;
  };
  store.$client.run("UPDATE orders SET attempt_state = 'done'");
  expect([sealed("noop"), sealed("expiry")]).toEqual(["noop", "noop"]);
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
            isPlacing: fc.boolean(),
          }),
          { maxLength: 20 },
        ),
        async (trace) => {
          run += 1;
          const file = join(path, `${run}.db`);
          let store = openStore(file);
          const last = new Map<string, number>();
          let nth = 0;
          for (const { signer, nowMs, isRestart, isTakenBack, isPlacing } of trace) {
            nth += 1;
            if (isRestart) {
              closeStore(store);
              store = openStore(file);
            }
            const nonce = takeNonce(store, signer, nowMs);
            const attempt = isPlacing
              ? insertPlacing(store, placingRows(nth, { signer, nonce }))
              : insertAttempt(store, attemptRow({ signer, nonce }));
            if (isTakenBack) deleteAttempt(store, attempt);
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
  const store = openMemoryStore();
  const DAY_MS = 86_400_000;
  takeNonce(store, "0xaa", DAY_MS);
  expect(takeNonce(store, "0xaa", 1_000)).toBe(1_000);
  expect(takeNonce(store, "0xaa", DAY_MS)).toBe(DAY_MS + 1);
});
