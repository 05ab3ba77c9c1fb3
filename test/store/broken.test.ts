import { expect, test } from "bun:test";
import { insertAttempt } from "../../src/store/attempts.ts";
import { noteFailure, onBroken, whyBroken } from "../../src/store/broken.ts";
import { inTransaction, inTransactionNotWaiting } from "../../src/store/commit.ts";
import type { Sync } from "../../src/store/disk.ts";
import { writeProbe } from "../../src/store/health.ts";
import { openStore, type Store } from "../../src/store/open.ts";
import { insertOrder, insertPlacing } from "../../src/store/orders.ts";
import { openDurableQueue } from "../support/durable-queue.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { attemptRow, orderRow, placingRows } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";
import { orderIds } from "./counts.ts";

function failure(code: string): Error {
  return Object.assign(new Error("disk I/O error"), { code });
}

/** The next statement of this text fails so, once. */
function failNext(store: Store, statement: string, error: Error): void {
  const { $client: client } = store;
  const run = client.run.bind(client);
  client.run = ((sql: string, ...rest: never[]) => {
    if (sql !== statement) return run(sql, ...rest);
    client.run = run;
    throw error;
  }) as typeof client.run;
}

const KINDS: [string, boolean][] = [
  ["SQLITE_IOERR_FSYNC", true],
  ["SQLITE_IOERR_DIR_FSYNC", true],
  ["SQLITE_IOERR_READ", true],
  ["SQLITE_IOERR_SHORT_READ", true],
  ["SQLITE_CORRUPT", true],
  ["SQLITE_CORRUPT_INDEX", true],
  ["SQLITE_NOTADB", true],
  ["SQLITE_IOERR_WRITE", false],
  ["SQLITE_FULL", false],
  ["SQLITE_BUSY", false],
  ["SQLITE_BUSY_SNAPSHOT", false],
  ["SQLITE_READONLY", false],
];

test.each(KINDS)("after %s at a commit the database is written no more: %p", (code, isLasting) => {
  const store = openMemoryStore();
  const told: string[] = [];
  onBroken(store, (because) => told.push(because));
  failNext(store, "COMMIT", failure(code));
  expect(() => inTransaction(store, () => insertOrder(store, orderRow()))).toThrow("disk I/O error");
  expect(orderIds(store)).toEqual([]);
  expect(told).toEqual(isLasting ? [`disk I/O error (${code})`] : []);
  const again = () => inTransaction(store, () => insertOrder(store, orderRow()));
  if (isLasting) {
    expect(again).toThrow("is not written any more");
    expect(() => inTransactionNotWaiting(store, () => insertOrder(store, orderRow()))).toThrow("not written any more");
    expect(told).toHaveLength(1);
  } else {
    again();
  }
  expect(orderIds(store)).toHaveLength(isLasting ? 0 : 1);
});

test("intents of one turn are all refused by the disk that failed one of them, and so are those after", async () => {
  const store = openMemoryStore();
  const queue = openDurableQueue(store, (run) => void setImmediate(run), stillClock(0));
  failNext(store, "COMMIT", failure("SQLITE_IOERR_FSYNC"));
  const asked = ["a", "b"].map((id) => queue.intent(() => insertOrder(store, orderRow({ id }))));
  const ends = await Promise.allSettled(asked);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(queue.intent(() => insertOrder(store, orderRow()))).rejects.toThrow("not written any more");
  expect(whyBroken(store)).toContain("SQLITE_IOERR_FSYNC");
});

test("a statement that finds a damaged page inside an intent stops everything as well", async () => {
  const store = openMemoryStore();
  const queue = openDurableQueue(store, (run) => void setImmediate(run), stillClock(0));
  const asked = queue.intent(() => {
    throw failure("SQLITE_CORRUPT");
  });
  await expect(asked).rejects.toThrow("disk I/O error");
  expect(whyBroken(store)).toContain("SQLITE_CORRUPT");
});

const LASTING: [string, () => Error][] = [
  ["two actions under one number", () => new Error("UNIQUE constraint failed: attempts.signer, attempts.nonce")],
  ["a damaged page", () => failure("SQLITE_CORRUPT")],
];

test.each(LASTING)("nothing that shares a transaction with %s is stored", async (_name, fault) => {
  const store = openMemoryStore();
  const queue = openDurableQueue(store, (run) => void setImmediate(run), stillClock(0));
  const told: string[] = [];
  onBroken(store, (because) => told.push(because));
  const fail = (error: Error) => () => {
    throw error;
  };
  const ends = await Promise.allSettled([
    queue.intent(() => insertOrder(store, orderRow({ id: "before" }))),
    // Each work is run on its own from here on.
    queue.intent(fail(new Error("a refusal"))),
    queue.intent(fail(fault())),
    queue.intent(() => insertOrder(store, orderRow({ id: "after" }))),
    queue.outcome(() => insertOrder(store, orderRow({ id: "outcome" })), true),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(Array.from(ends, () => "rejected"));
  expect(orderIds(store)).toEqual([]);
  expect(told).toHaveLength(1);
});

test.each(LASTING)("%s is remembered although a second try would not meet it", async (_name, fault) => {
  const store = openMemoryStore();
  const queue = openDurableQueue(store, (run) => void setImmediate(run), stillClock(0));
  let tries = 0;
  const ends = await Promise.allSettled([
    queue.intent(() => insertOrder(store, orderRow({ id: "before" }))),
    queue.intent(() => {
      tries += 1;
      if (tries === 1) throw fault();
    }),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(whyBroken(store)).toContain(fault().message);
  expect(orderIds(store)).toEqual([]);
});

test("two actions under one number are a broken invariant; a refusal of an intent is none", () => {
  const store = openMemoryStore();
  insertAttempt(store, attemptRow());
  expect(() => inTransaction(store, () => insertAttempt(store, attemptRow()))).toThrow("bug: two actions under one");
  expect(whyBroken(store)).toContain("two actions under one number");
  const other = openMemoryStore();
  noteFailure(other, new Error("a refusal"));
  insertOrder(other, orderRow());
  expect(() => inTransaction(other, () => insertOrder(other, orderRow()))).toThrow("UNIQUE constraint failed");
  expect(whyBroken(other)).toBeNull();
});

test.each(["attempts", "orders"])("the index of %s sees it as well, where nobody has asked before", (table) => {
  const store = openMemoryStore();
  for (const nth of [1, 2]) insertAttempt(store, attemptRow({ nonce: nth }));
  for (const nth of [3, 4]) insertPlacing(store, placingRows(nth));
  expect(() => inTransaction(store, () => void store.$client.run(`UPDATE ${table} SET nonce = 5`))).toThrow("UNIQUE");
  expect(whyBroken(store)).toContain(`${table}.signer, ${table}.nonce`);
});

test("the probe of an upgrade that the disk fails is remembered like any other commit", () => {
  const store = openMemoryStore();
  writeProbe(store);
  failNext(store, "COMMIT", failure("SQLITE_IOERR_FSYNC"));
  expect(() => writeProbe(store)).toThrow("disk I/O error");
  expect(whyBroken(store)).toContain("SQLITE_IOERR_FSYNC");
  expect(() => writeProbe(store)).toThrow("is not written any more");
});

const NOT_THERE: Sync = {
  now() {
    throw new Error("EIO: i/o error, fdatasync");
  },
  beside: () => Promise.reject(new Error("EIO: i/o error, fdatasync")),
  close: () => undefined,
};

/** The disk takes what a start writes, and nothing after it. */
function openFailing(): Store {
  let isWhole = true;
  const now = () => {
    if (!isWhole) NOT_THERE.now();
  };
  const store = openStore(":memory:", { syncOf: () => ({ ...NOT_THERE, now }) });
  isWhole = false;
  return store;
}

test("after a wait for the disk that failed nothing is written, though the next one would be told that all is well", () => {
  const store = openFailing();
  expect(() => inTransaction(store, () => insertOrder(store, orderRow()))).toThrow("could not be brought to the disk");
  expect(whyBroken(store)).toContain("EIO");
  expect(() => inTransaction(store, () => insertOrder(store, orderRow({ id: "b" })))).toThrow("not written any more");
});

test("an intent whose wait on another thread fails is refused, and so are those after", async () => {
  const store = openFailing();
  const queue = openDurableQueue(store, (run) => void setImmediate(run), stillClock(0));
  const ends = await Promise.allSettled(
    ["a", "b"].map((id) => queue.intent(() => insertOrder(store, orderRow({ id })))),
  );
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(whyBroken(store)).toContain("EIO");
  await expect(queue.intent(() => insertOrder(store, orderRow({ id: "c" })))).rejects.toThrow("not written any more");
});

test("who listens late is told at once what was found before", () => {
  const store = openMemoryStore();
  failNext(store, "COMMIT", failure("SQLITE_IOERR_FSYNC"));
  expect(() => inTransaction(store, () => insertOrder(store, orderRow()))).toThrow("disk I/O error");
  const told: string[] = [];
  onBroken(store, (because) => told.push(because));
  expect(told).toEqual(["disk I/O error (SQLITE_IOERR_FSYNC)"]);
  expect(() => inTransaction(store, () => insertOrder(store, orderRow()))).toThrow("is not written any more");
});
