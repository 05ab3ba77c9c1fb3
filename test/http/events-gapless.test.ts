import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { Deps } from "../../src/deps.ts";
import { type EventsAsked, eventSource } from "../../src/http/event-streams.ts";
import { openStreams } from "../../src/http/open-streams.ts";
import { markInterrupted } from "../../src/settle/start-up.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { inTransaction, inTransactionNotWaiting } from "../../src/store/commit.ts";
import { latestEventId } from "../../src/store/events.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { stillClock } from "../exchange/clocks.ts";
import { orderRow } from "../support/rows.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { type EventReader, readEvents } from "./event-reader.ts";

const ACCOUNTS = ["5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90", "6d1e9b63-7a1f-4a4c-8d66-1f8e2c3b5da1"] as const;
const KEY_HASH = "ab".repeat(32);

type Step =
  | { kind: "write"; account: 0 | 1; rows: number; waits: boolean; fails: boolean }
  | { kind: "read"; events: number }
  | { kind: "drop" }
  | { kind: "restart" };

const STEPS = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("write" as const),
        account: fc.constantFrom(0 as const, 1 as const),
        rows: fc.integer({ min: 1, max: 90 }),
        waits: fc.boolean(),
        fails: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("read" as const), events: fc.integer({ min: 1, max: 80 }) }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: "drop" as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  ),
  { minLength: 1, maxLength: 25 },
);

/** A gateway's log and streams over one file, and one reader who goes on with the last id that it has. */
async function live(path: string, steps: readonly Step[]): Promise<{ read: string[]; stored: string[] }> {
  let store = openStore(path);
  let streams = start(store);
  let reader = null as EventReader | null;
  let lastId = "0";
  let count = 0;
  const read: string[] = [];
  insertApiKey(store, {
    keyHash: KEY_HASH,
    accountId: ACCOUNTS[0],
    scopes: ["trading:read"],
    issuedAtMs: 1,
    registeredAtMs: 1,
  });

  function connect(): EventReader {
    const asked = { after: Number(lastId), follows: true };
    return readEvents(streams.open(asked));
  }

  /** Up to so many events, as many as there are. */
  async function take(events: number): Promise<void> {
    reader ??= connect();
    for (let index = 0; index < events && behind(store, lastId) > 0; ) {
      const event = await reader.next();
      if (event === null) throw new Error("the stream has ended");
      if (event.type === "reset") throw new Error("the reader was told to begin again");
      if (event.type === "ready") continue;
      read.push(event.id);
      lastId = event.id;
      index += 1;
    }
  }

  for (const step of steps) {
    if (step.kind === "read") await take(step.events);
    if (step.kind === "drop") {
      await reader?.cancel();
      reader = null;
    }
    if (step.kind === "restart") {
      streams.endAll();
      reader = null;
      closeStore(store);
      store = openStore(path);
      streams = start(store);
    }
    if (step.kind === "write") {
      const transact = step.waits ? inTransaction : inTransactionNotWaiting;
      try {
        transact(store, () => {
          for (let row = 0; row < step.rows; row += 1) {
            count += 1;
            insertOrder(store, orderRow({ id: `order-${count}`, accountId: ACCOUNTS[step.account], status: "open" }));
          }
          if (step.fails) throw new Error("rolled back");
        });
      } catch (error) {
        if (!step.fails) throw error;
      }
    }
  }
  await take(Number.POSITIVE_INFINITY);
  const stored = listEventsAfter(store, { accountId: ACCOUNTS[0], after: 0, limit: 100_000 }).map(({ id }) =>
    String(id),
  );
  streams.endAll();
  closeStore(store);
  return { read, stored };
}

function behind(store: Store, lastId: string): number {
  return listEventsAfter(store, { accountId: ACCOUNTS[0], after: Number(lastId), limit: 1 }).length;
}

function start(store: Store) {
  const clock = stillClock();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  // What streams and the marking of a start touch of it.
  const deps = { store, clock, log } as unknown as Deps;
  markInterrupted(deps);
  const streams = openStreams(deps);
  const listener = { accountId: ACCOUNTS[0], keyHash: KEY_HASH };
  const open = (asked: EventsAsked) => streams.open(KEY_HASH, () => eventSource(deps, listener, asked));
  return { open, endAll: streams.endAll };
}

test("a start jumps ahead of every id that may have been given out", async () => {
  await inTemporaryDirectory((directory) => {
    const store = openStore(join(directory, "starts.db"));
    const ids = [1, 2].map(() => {
      start(store);
      return latestEventId(store);
    });
    expect(ids[0]).toBe(stillClock().nowMs() * 1_000);
    expect((ids[1] ?? 0) - (ids[0] ?? 0)).toBeGreaterThanOrEqual(1_000_000);
    closeStore(store);
  });
});

test("a reader gets every stored event once and in order, through drops and restarts, and none that was rolled back", async () => {
  await inTemporaryDirectory(async (directory) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        run += 1;
        const { read, stored } = await live(join(directory, `${run}.db`), steps);
        expect(read).toEqual(stored);
      }),
      { numRuns: 40 },
    );
  });
});
