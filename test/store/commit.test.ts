import { expect, test } from "bun:test";
import { join } from "node:path";
import { appendAudit } from "../../src/store/audit.ts";
import { inTransaction, inTransactionBeside, inTransactionNotWaiting } from "../../src/store/commit.ts";
import type { Sync } from "../../src/store/disk.ts";
import { appendEvent, onEvents } from "../../src/store/events.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { openDurableQueue } from "../support/durable-queue.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { orderRow } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { findAuditLength, orderIds } from "./counts.ts";

/** A store in memory whose waits for the disk are counted. */
function openCounted(): { store: Store; waits: { now: number; beside: number } } {
  const waits = { now: 0, beside: 0 };
  const sync: Sync = {
    now() {
      waits.now += 1;
    },
    async beside() {
      waits.beside += 1;
    },
    close: () => undefined,
  };
  const store = openStore(":memory:", { syncOf: () => sync });
  waits.now = 0;
  return { store, waits };
}

test("an intent's commit waits for the disk and an outcome's does not, whichever came before", () => {
  const { store, waits } = openCounted();
  for (let round = 1; round <= 3; round += 1) {
    inTransaction(store, () => insertOrder(store, orderRow({ id: `waits-${round}` })));
    expect(waits.now).toBe(round);
    inTransactionNotWaiting(store, () => insertOrder(store, orderRow({ id: `does-not-${round}` })));
    expect(waits).toEqual({ now: round, beside: 0 });
  }
});

test("a commit that was made while another thread waits is waited for by the next wait", async () => {
  let end: () => void = () => undefined;
  let begun = 0;
  const sync: Sync = {
    now: () => undefined,
    beside() {
      begun += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    close: () => undefined,
  };
  const store = openStore(":memory:", { syncOf: () => sync });
  const told: number[] = [];
  const write = (number: number) => {
    const { onDisk } = inTransactionBeside(store, () => insertOrder(store, orderRow({ id: `order-${number}` })));
    return onDisk.then(() => told.push(number));
  };
  const all = [write(1), write(2), write(3)];
  expect(begun).toBe(1);
  end();
  await all[0];
  expect(told).toEqual([1]);
  await Promise.resolve();
  expect(begun).toBe(2);
  end();
  await Promise.all(all);
  expect(told).toEqual([1, 2, 3]);
});

test("nobody hears of an intent before it is on the disk", async () => {
  const waiting = Promise.withResolvers<void>();
  const sync: Sync = { now: () => undefined, beside: () => waiting.promise, close: () => undefined };
  const store = openStore(":memory:", { syncOf: () => sync });
  const heard: string[] = [];
  onEvents(store, (accountIds) => void heard.push(...accountIds));
  const event = { accountId: "a", atMs: 1, type: "order.created", resourceId: "b", payload: "{}" } as const;
  const { onDisk } = inTransactionBeside(store, () => appendEvent(store, event));
  expect(heard).toEqual([]);
  waiting.resolve();
  await onDisk;
  expect(heard).toEqual(["a"]);
});

test("a work that throws leaves nothing behind, and the connection usable", () => {
  const store = openMemoryStore();
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
  const store = openMemoryStore();
  // @ts-expect-error a transaction would commit at the first await
  void inTransaction(store, async () => 1);
  // @ts-expect-error a transaction would commit at the first await
  void inTransactionNotWaiting(store, async () => 1);
});

/** A queue whose shared commits happen when the test says so. */
function openQueue(store: Store): { queue: ReturnType<typeof openDurableQueue>; turn(): void; scheduled(): number } {
  const runs: (() => void)[] = [];
  const queue = openDurableQueue(store, (run) => runs.push(run), stillClock(0));
  return { queue, turn: () => runs.shift()?.(), scheduled: () => runs.length };
}

function insertNumber(number: number): (store: Store) => number {
  return (store) => {
    insertOrder(store, orderRow({ id: `order-${number}` }));
    return number;
  };
}

test("intents of one turn share one transaction", async () => {
  const store = openMemoryStore();
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
  const store = openMemoryStore();
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
  const store = openMemoryStore();
  const { queue, turn } = openQueue(store);
  const first = queue.intent(insertNumber(1));
  const second = queue.intent((inner) => orderIds(inner));
  turn();
  expect(await first).toBe(1);
  expect(await second).toEqual(["order-1"]);
});

test("the 129th intent of a turn goes into the next transaction, and none is forgotten", async () => {
  const store = openMemoryStore();
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
  const store = openMemoryStore();
  const { queue, turn, scheduled } = openQueue(store);
  const later = queue.intent(insertNumber(1)).then(() => queue.intent(insertNumber(2)));
  turn();
  await Bun.sleep(0);
  expect(scheduled()).toBe(1);
  turn();
  expect(await later).toBe(2);
});

test("a commit that the disk refuses rejects every intent of the turn and stores none", async () => {
  const store = openMemoryStore();
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

test("only what cannot be read again waits for the disk, whoever shares its transaction", async () => {
  const ends: (() => void)[] = [];
  const beside = () => new Promise<void>((resolve) => void ends.push(resolve));
  const store = openStore(":memory:", { syncOf: () => ({ now: () => undefined, beside, close: () => undefined }) });
  const { queue, turn } = openQueue(store);
  const told: string[] = [];
  const all = [
    queue.intent(() => "intent").then((name) => told.push(name)),
    queue.outcome(() => "can be read again", true).then((name) => told.push(name)),
    queue.outcome(() => "cannot", false).then((name) => told.push(name)),
  ];
  turn();
  await Bun.sleep(1);
  expect(told).toEqual(["can be read again"]);
  ends.shift()?.();
  await Promise.all(all);
  expect(told.toSorted()).toEqual(["can be read again", "cannot", "intent"]);
  expect(ends).toEqual([]);
});

test("an outcome that can be read again is shown at once, one behind intents with them", async () => {
  const store = openMemoryStore();
  const { queue, turn, scheduled } = openQueue(store);
  expect(await queue.outcome(insertNumber(1), true)).toBe(1);
  expect(scheduled()).toBe(0);
  expect(orderIds(store)).toEqual(["order-1"]);
  const crowd = Promise.all([queue.intent(insertNumber(2)), queue.intent(insertNumber(3))]);
  const later = queue.outcome(insertNumber(4), true);
  expect(orderIds(store)).toHaveLength(1);
  turn();
  expect([await crowd, await later]).toEqual([[2, 3], 4]);
  expect(await queue.outcome(insertNumber(5), true)).toBe(5);
  expect(scheduled()).toBe(0);
});

test("an outcome that cannot be read again waits for the end of a turn that is shared, and is committed at once otherwise", async () => {
  const store = openMemoryStore();
  const { queue, turn, scheduled } = openQueue(store);
  expect(await queue.outcome(insertNumber(1), false)).toBe(1);
  expect(store.$client.inTransaction).toBe(false);
  const crowd = Promise.all([queue.intent(insertNumber(2)), queue.intent(insertNumber(3))]);
  turn();
  await crowd;
  const later = queue.outcome(insertNumber(4), false);
  expect(orderIds(store)).toHaveLength(3);
  turn();
  expect(await later).toBe(4);
  expect(scheduled()).toBe(0);
});

test("an outcome that fails is taken out and answered alone", async () => {
  const store = openMemoryStore();
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
