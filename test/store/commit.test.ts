import { expect, test } from "bun:test";
import { join } from "node:path";
import { appendAudit } from "../../src/store/audit.ts";
import { inTransaction, inTransactionNotWaiting } from "../../src/store/commit.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { assertFull, closeStore, openStore, type Store } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { orderRow } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { findAuditLength, orderIds } from "./counts.ts";

function synchronous(store: Store): unknown {
  const statement = store.$client.prepare("PRAGMA synchronous");
  const row = statement.get();
  statement.finalize();
  return Object.values(row ?? {})[0];
}

const FULL = 2;
const NORMAL = 1;

test("an intent's commit waits for the disk and an outcome's does not, whichever came before", async () => {
  await inTemporaryDirectory((path) => {
    const store = openStore(join(path, "postern.db"));
    const seen: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      inTransaction(store, () => seen.push(synchronous(store)));
      inTransactionNotWaiting(store, () => seen.push(synchronous(store)));
    }
    expect(seen).toEqual([FULL, NORMAL, FULL, NORMAL, FULL, NORMAL]);
    expect(synchronous(store)).toBe(FULL);
    closeStore(store);
  });
});

test("an outcome that fails leaves the next intent waiting for the disk again", () => {
  const store = openStore(":memory:");
  expect(() =>
    inTransactionNotWaiting(store, () => {
      throw new Error("bug");
    }),
  ).toThrow("bug");
  expect(() => assertFull(store.$client)).not.toThrow();
});

test("no intent is stored while commits do not wait for the disk", () => {
  const store = openStore(":memory:");
  store.$client.run("PRAGMA synchronous = NORMAL");
  expect(() => inTransaction(store, () => insertOrder(store, orderRow()))).toThrow("bug: commits do not wait");
  expect(orderIds(store)).toEqual([]);
});

test("a work that throws leaves nothing behind, and the connection usable", () => {
  const store = openStore(":memory:");
  expect(() =>
    inTransaction(store, () => {
      insertOrder(store, orderRow());
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(orderIds(store)).toEqual([]);
  inTransaction(store, () => insertOrder(store, orderRow()));
  expect(orderIds(store)).toHaveLength(1);
});

test("a work that returns a promise does not compile", () => {
  const store = openStore(":memory:");
  // @ts-expect-error a transaction would commit at the first await
  void inTransaction(store, async () => 1);
  // @ts-expect-error a transaction would commit at the first await
  void inTransactionNotWaiting(store, async () => 1);
});

/** A queue whose shared commits happen when the test says so. */
function openQueue(store: Store): { queue: ReturnType<typeof openCommitQueue>; turn(): void; scheduled(): number } {
  const runs: (() => void)[] = [];
  const queue = openCommitQueue(store, (run) => runs.push(run), stillClock(0));
  return { queue, turn: () => runs.shift()?.(), scheduled: () => runs.length };
}

function insertNumber(number: number): (store: Store) => number {
  return (store) => {
    insertOrder(store, orderRow({ id: `order-${number}` }));
    return number;
  };
}

test("intents of one turn share one transaction", async () => {
  const store = openStore(":memory:");
  const { queue, turn, scheduled } = openQueue(store);
  const commits: string[] = [];
  const run = store.$client.run.bind(store.$client);
  // Only the text of what is run matters here, and every overload begins with it.
  store.$client.run = ((sql: string) => {
    if (sql === "COMMIT") commits.push(sql);
    return run(sql);
  }) as typeof store.$client.run;
  const results = Promise.all([1, 2, 3, 4].map((number) => queue.intent(insertNumber(number))));
  expect(scheduled()).toBe(1);
  turn();
  expect(await results).toEqual([1, 2, 3, 4]);
  expect(commits).toEqual(["COMMIT"]);
  expect(orderIds(store)).toHaveLength(4);
});

test("an intent that fails is taken out and answered alone", async () => {
  const store = openStore(":memory:");
  const { queue, turn } = openQueue(store);
  const works = [1, 2, 3].map((number) => queue.intent(insertNumber(number)));
  const failing = queue.intent((inner) => {
    insertOrder(inner, orderRow({ id: "half-done" }));
    throw new Error("not this one");
  });
  const same = queue.intent(insertNumber(2));
  const last = queue.intent(insertNumber(4));
  turn();
  const settled = await Promise.allSettled([...works, failing, same, last]);
  expect(settled.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(orderIds(store)).toEqual(["order-1", "order-2", "order-3", "order-4"]);
});

test("an intent sees what the intents before it in the same turn have stored", async () => {
  const store = openStore(":memory:");
  const { queue, turn } = openQueue(store);
  const first = queue.intent(insertNumber(1));
  const second = queue.intent((inner) => orderIds(inner));
  turn();
  expect(await first).toBe(1);
  expect(await second).toEqual(["order-1"]);
});

test("the 129th intent of a turn goes into the next transaction, and none is forgotten", async () => {
  const store = openStore(":memory:");
  const { queue, turn, scheduled } = openQueue(store);
  const all = Promise.all(Array.from({ length: 300 }, (_value, number) => queue.intent(insertNumber(number))));
  const counts: number[] = [];
  while (scheduled() > 0) {
    turn();
    counts.push(orderIds(store).length);
  }
  expect(counts).toEqual([128, 256, 300]);
  expect(await all).toHaveLength(300);
});

test("an intent that comes while answers go out gets its own turn", async () => {
  const store = openStore(":memory:");
  const { queue, turn, scheduled } = openQueue(store);
  const later = queue.intent(insertNumber(1)).then(() => queue.intent(insertNumber(2)));
  turn();
  await Promise.resolve();
  await Promise.resolve();
  expect(scheduled()).toBe(1);
  turn();
  expect(await later).toBe(2);
});

test("a commit that the disk refuses rejects every intent of the turn and stores none", async () => {
  const store = openStore(":memory:");
  const { queue, turn } = openQueue(store);
  const run = store.$client.run.bind(store.$client);
  let isFull = true;
  // As above: only the text matters.
  store.$client.run = ((sql: string) => {
    if (sql === "COMMIT" && isFull) throw new Error("database or disk is full");
    return run(sql);
  }) as typeof store.$client.run;
  const works = [1, 2, 3].map((number) => queue.intent(insertNumber(number)));
  turn();
  const settled = await Promise.allSettled(works);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(orderIds(store)).toEqual([]);
  isFull = false;
  const after = queue.intent(insertNumber(4));
  turn();
  expect(await after).toBe(4);
});

test("on a full disk an intent is stored whole or not at all, and what is told is true", async () => {
  await inTemporaryDirectory(async (path) => {
    const store = openStore(join(path, "postern.db"));
    const { queue, turn } = openQueue(store);
    const pages = Object.values(store.$client.prepare("PRAGMA page_count").get() ?? {})[0];
    store.$client.run(`PRAGMA max_page_count = ${Number(pages) + 4}`);
    const works = Array.from({ length: 60 }, (_value, number) =>
      queue.intent((inner) => {
        appendAudit(inner, {
          atMs: 1,
          actor: "a",
          event: "e",
          reference: `${number}`,
          detail: { of: "x".repeat(500) },
        });
        return insertNumber(number)(inner);
      }),
    );
    turn();
    const settled = await Promise.allSettled(works);
    const told = settled.flatMap((each) => (each.status === "fulfilled" ? [`order-${each.value}`] : []));
    expect(orderIds(store)).toEqual(told.toSorted());
    expect(findAuditLength(store)).toBe(told.length);
    expect(settled.some(({ status }) => status === "rejected")).toBe(true);
    store.$client.run("PRAGMA max_page_count = 100000");
    const after = queue.intent(insertNumber(99));
    turn();
    expect(await after).toBe(99);
    closeStore(store);
  });
});

test("an outcome waits for the disk when it cannot be read again, and when anything beside it has to", async () => {
  const store = openStore(":memory:");
  const { queue, turn } = openQueue(store);
  const look = (inner: Store) => synchronous(inner);
  const crowd = Promise.all([queue.intent(look), queue.outcome(look, true), queue.outcome(look, false)]);
  turn();
  expect(await crowd).toEqual([FULL, FULL, FULL]);
  const outcomes = Promise.all([queue.outcome(look, true), queue.outcome(look, true)]);
  turn();
  expect(await outcomes).toEqual([NORMAL, NORMAL]);
  const refused = Promise.all([queue.outcome(look, true), queue.outcome(look, false), queue.outcome(look, true)]);
  turn();
  expect(await refused).toEqual([FULL, FULL, FULL]);
  expect(synchronous(store)).toBe(FULL);
});

test("an outcome on its own is committed at once, one among others with them", async () => {
  const store = openStore(":memory:");
  const { queue, turn, scheduled } = openQueue(store);
  expect(await queue.outcome(insertNumber(1), true)).toBe(1);
  expect(scheduled()).toBe(0);
  const crowd = Promise.all([queue.intent(insertNumber(2)), queue.intent(insertNumber(3))]);
  turn();
  await crowd;
  const later = queue.outcome(insertNumber(4), true);
  expect(orderIds(store)).toHaveLength(3);
  turn();
  expect(await later).toBe(4);
});

test("an outcome that fails is taken out and answered alone", async () => {
  const store = openStore(":memory:");
  const { queue, turn } = openQueue(store);
  const intent = queue.intent(insertNumber(1));
  const failing = queue.outcome((inner) => {
    insertOrder(inner, orderRow({ id: "half-done" }));
    throw new Error("not this one");
  }, true);
  const last = queue.outcome(insertNumber(2), true);
  turn();
  const settled = await Promise.allSettled([intent, failing, last]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(orderIds(store)).toEqual(["order-1", "order-2"]);
});

test("a disk that has no room for an intent may have it for the outcomes of its turn", async () => {
  await inTemporaryDirectory(async (path) => {
    const store = openStore(join(path, "postern.db"));
    const { queue, turn } = openQueue(store);
    const pages = Object.values(store.$client.prepare("PRAGMA page_count").get() ?? {})[0];
    store.$client.run(`PRAGMA max_page_count = ${Number(pages) + 2}`);
    const huge = { atMs: 1, actor: "a", event: "e", reference: "r", detail: { of: "x".repeat(50_000) } };
    const intent = queue.intent((inner) => appendAudit(inner, huge));
    const outcome = queue.outcome(insertNumber(1), true);
    turn();
    const [refused, kept] = await Promise.allSettled([intent, outcome]);
    expect([refused.status, kept.status]).toEqual(["rejected", "fulfilled"]);
    expect(orderIds(store)).toEqual(["order-1"]);
    expect(findAuditLength(store)).toBe(0);
    closeStore(store);
  });
});
