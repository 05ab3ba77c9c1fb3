/** Another process holds the database's write lock: everybody waits in turn, nobody stops the event loop for long. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { isLocked, onceUnlocked } from "../../src/store/locked.ts";
import { openStore, type Store } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { openDurableQueue } from "../support/durable-queue.ts";
import { orderRow } from "../support/rows.ts";
import { type StillClock, stillClock } from "../support/still-clock.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { orderIds } from "./counts.ts";

type Locked = { store: Store; clock: StillClock; tries(): number; unlock(): void };

function inLockedDatabase(work: (locked: Locked) => Promise<void>): Promise<void> {
  return inTemporaryDirectory(async (path) => {
    const store = openStore(join(path, "postern.db"));
    // The time of these tests stands still: nobody waits in earnest.
    store.$client.run("PRAGMA busy_timeout = 0");
    const other = new Database(join(path, "postern.db"));
    other.run("BEGIN IMMEDIATE");
    let tries = 0;
    const run = store.$client.run.bind(store.$client);
    // Only the text of what is run matters here, and every overload begins with it.
    store.$client.run = ((sql: string) => {
      if (sql === "BEGIN IMMEDIATE") tries += 1;
      return run(sql);
    }) as typeof store.$client.run;
    await work({ store, clock: stillClock(0), tries: () => tries, unlock: () => other.run("ROLLBACK") });
    other.close();
    store.$client.close();
  });
}

function insert(name: string): (store: Store) => string {
  return (store) => {
    insertOrder(store, orderRow({ id: name }));
    return name;
  };
}

test("intents wait together, one try at a time, and are stored in order once the lock is free", async () => {
  await inLockedDatabase(async ({ store, clock, tries, unlock }) => {
    const queue = openDurableQueue(store, (run) => setImmediate(run), clock);
    const first = queue.intent(insert("order-1"));
    await clock.advance(100);
    const rest = [2, 3, 4].map((number) => queue.intent(insert(`order-${number}`)));
    await clock.advance(100);
    // At 0, 50, 100, 150 and 200 ms, however many wait.
    expect(tries()).toBe(5);
    unlock();
    await clock.advance(50);
    expect(await Promise.all([first, ...rest])).toEqual(["order-1", "order-2", "order-3", "order-4"]);
    expect(orderIds(store)).toEqual(["order-1", "order-2", "order-3", "order-4"]);
  });
});

test("an outcome waits for the lock longer than an intent, and each is told its own", async () => {
  await inLockedDatabase(async ({ store, clock, unlock }) => {
    const queue = openDurableQueue(store, (run) => setImmediate(run), clock);
    const outcome = queue.outcome(insert("outcome"), true);
    const intent = queue.intent(insert("intent")).catch((error: unknown) => error);
    await clock.advance(2_100);
    expect(isLocked(await intent)).toBe(true);
    await clock.advance(20_000);
    unlock();
    await clock.advance(50);
    expect(await outcome).toBe("outcome");
    // It is committed by then.
    await clock.advance(5);
    const other = new Database(store.$client.filename);
    other.run("BEGIN IMMEDIATE");
    const given = queue.outcome(insert("late"), true).catch((error: unknown) => error);
    await clock.advance(30_100);
    expect(isLocked(await given)).toBe(true);
    other.close();
    expect(orderIds(store)).toEqual(["outcome"]);
  });
});

test("an intent that the lock has kept for two seconds is refused, and one that came later waits on", async () => {
  await inLockedDatabase(async ({ store, clock, unlock }) => {
    const queue = openDurableQueue(store, (run) => setImmediate(run), clock);
    const first = queue.intent(insert("order-1")).catch((error: unknown) => error);
    await clock.advance(1_500);
    const second = queue.intent(insert("order-2"));
    await clock.advance(500);
    expect(isLocked(await first)).toBe(true);
    unlock();
    await clock.advance(50);
    expect(await second).toBe("order-2");
    expect(orderIds(store)).toEqual(["order-2"]);
  });
});

test("an intent behind more outcomes than one transaction takes is refused after two seconds as well", async () => {
  await inLockedDatabase(async ({ store, clock, unlock }) => {
    const queue = openDurableQueue(store, (run) => setImmediate(run), clock);
    const outcomes = Array.from({ length: 128 }, (_value, number) => queue.outcome(insert(`outcome-${number}`), true));
    let told: unknown = null;
    const intent = queue.intent(insert("intent")).catch((error: unknown) => {
      told = error;
    });
    await clock.advance(1_950);
    expect(told).toBeNull();
    await clock.advance(50);
    expect(isLocked(told)).toBe(true);
    unlock();
    await clock.advance(50);
    await Promise.all([...outcomes, intent]);
    expect(orderIds(store)).toHaveLength(128);
    expect(orderIds(store)).not.toContain("intent");
  });
});

test("an outcome is written once the lock is free; after half a minute its caller hears of the lock", async () => {
  await inLockedDatabase(async ({ store, clock, unlock }) => {
    const work = () => insert("order-1")(store);
    const lost = onceUnlocked(clock, work).catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(isLocked(await lost)).toBe(true);
    const kept = onceUnlocked(clock, work);
    await clock.advance(1_000);
    unlock();
    await clock.advance(50);
    expect(await kept).toBe("order-1");
  });
});

test("any other fault is thrown at once", async () => {
  const clock = stillClock(0);
  const broken = onceUnlocked(clock, () => {
    throw new Error("disk I/O error");
  });
  expect(broken).rejects.toThrow("disk I/O error");
});
