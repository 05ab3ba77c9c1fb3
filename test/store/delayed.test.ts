/** Outcomes that are told before they are committed: whoever asks is shown them, whatever fails meanwhile. */
import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { settlePlacing } from "../../src/settle/record/record.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { findAttempt } from "../../src/store/attempts.ts";
import { appendAudit, findBrokenAuditRow } from "../../src/store/audit.ts";
import {
  commitDelayed,
  inSnapshot,
  inTransaction,
  inTransactionBeside,
  inTransactionDelayed,
} from "../../src/store/commit.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { NO_DISK } from "../../src/store/disk.ts";
import type { StoredEvent } from "../../src/store/events.ts";
import { writeProbe } from "../../src/store/health.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { findLegByOid } from "../../src/store/legs.ts";
import { closeStore, openStore, openStoreReadOnly, type Store } from "../../src/store/open.ts";
import { findOrder, insertPlacing, listOpenOrders } from "../../src/store/orders.ts";
import { orders } from "../../src/store/schema.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { placingRows } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const ACCOUNT = placingRows(1).order.accountId;

function storePlacing(store: Store, nth: number) {
  const rows = placingRows(nth);
  const attempt = insertPlacing(store, rows);
  appendAudit(store, { atMs: nth, actor: "a", event: "sign_place", reference: rows.order.id, detail: { nth } });
  return { ...rows, attempt };
}

type Stored = ReturnType<typeof storePlacing>;

/** Gives the text that its key answers from then on. */
function rest(store: Store, placing: Stored): string {
  const answer = settlePlacing(store, placing, { type: "rested", oid: String(placing.attempt.id) }, 7_000);
  if (answer === null) throw new Error("it does not stand as it was stored");
  return answer.body;
}

/** Lets statements of the connection fail as a disk, or another process, would have them fail. */
function breakable(store: Store) {
  const { $client: client } = store;
  const run = client.run.bind(client);
  const next: { fault: Fault | null; isLocked: boolean } = { fault: null, isLocked: false };
  // Only the text of what is run matters here, and every overload begins with it.
  client.run = ((sql: string) => {
    if (sql === "BEGIN IMMEDIATE" && next.isLocked) throw failure("SQLITE_BUSY");
    if (sql === "COMMIT" && next.fault !== null) {
      if (next.fault === "full, and SQLite has ended the transaction") run("ROLLBACK");
      next.fault = null;
      throw failure("SQLITE_FULL");
    }
    return run(sql);
  }) as typeof client.run;
  return next;
}

type Fault = "full" | "full, and SQLite has ended the transaction";

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Every kind of reader: by statements that are kept and by those that are not, by what is remembered and by what is counted. */
const LOOKS: Record<string, (store: Store, placing: Stored, body: string) => unknown> = {
  order: (store, { order }) => findOrder(store, order.id)?.status,
  key: (store, { order }, body) =>
    findKeyRecord(store, ACCOUNT, order.idempotencyKey ?? "")?.answer?.body === body && "open",
  attempt: (store, { attempt }) => (findAttempt(store, attempt.id)?.state === "done" ? "open" : "before"),
  leg: (store, { attempt }) => (findLegByOid(store, ACCOUNT, String(attempt.id)) === null ? "before" : "open"),
  list: (store, { order }) => listOpenOrders(store, ACCOUNT).find(({ id }) => id === order.id)?.status,
  events: (store, _placing, body) =>
    listEventsAfter(store, { accountId: ACCOUNT, after: 0, limit: 1_000 }).some(({ payload }) => payload === body) &&
    "open",
  "a query that is built each time": (store, { order }) =>
    store.select({ status: orders.status }).from(orders).where(eq(orders.id, order.id)).get()?.status,
  "the connection itself": (store, { order }) =>
    store.$client.prepare<{ status: string }, [string]>("SELECT status FROM orders WHERE id = ?").get(order.id)?.status,
  snapshot: (store, { order }) => inSnapshot(store, () => findOrder(store, order.id)?.status),
};

type Step =
  | { kind: "intent" | "outcome" | "tick" | "unlock" | "crash" }
  | { kind: "look"; how: string }
  | { kind: "failing intent"; isLocked: boolean }
  | { kind: "fault"; fault: Fault; isLocked: boolean };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("intent" as const) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("outcome" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("look" as const), how: fc.constantFrom(...Object.keys(LOOKS)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("tick" as const, "unlock" as const, "crash" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("failing intent" as const), isLocked: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("fault" as const),
      fault: fc.constantFrom<Fault>("full", "full, and SQLite has ended the transaction"),
      isLocked: fc.boolean(),
    }),
  },
);

let kills = 0;

/** What a killed process leaves: its files, and nothing that it had not committed. */
function afterKill(path: string, work: (store: Store) => void): void {
  kills += 1;
  const left = `${path}.${kills}`;
  for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${left}${suffix}`);
  const store = openStoreReadOnly(left);
  work(store);
  closeStore(store);
}

test("no look shows less than was told, whatever is written, fails or is taken back in between", async () => {
  await inTemporaryDirectory((directory) => {
    let runs = 0;
    const template = join(directory, "template.db");
    closeStore(openStore(template, { keepsSnapshots: false }));
    fc.assert(
      fc.property(fc.array(STEP, { minLength: 5, maxLength: 40 }), (steps) => {
        runs += 1;
        const path = join(directory, `${runs}.db`);
        copyFileSync(template, path);
        live(path, steps);
      }),
      { numRuns: 150 },
    );
    return Promise.resolve();
  });
});

function live(path: string, steps: readonly Step[]): void {
  const store = openStore(path, { syncOf: () => NO_DISK, keepsSnapshots: false });
  const next = breakable(store);
  const pending: Stored[] = [];
  const told: { placing: Stored; body: string }[] = [];
  const seen = new Map<number, StoredEvent>();
  let stored = 0;

  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      // Who cannot be shown all is shown nothing.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  };
  const intent = () => {
    let placing: Stored | null = null;
    attempt(() => {
      placing = inTransaction(store, () => storePlacing(store, stored + 1));
    });
    if (placing === null) return;
    stored += 1;
    pending.push(placing);
  };
  const look = (how: string) =>
    attempt(() => {
      for (const { placing, body } of told) expect(LOOKS[how]?.(store, placing, body)).toBe("open");
      for (const event of listEventsAfter(store, { accountId: ACCOUNT, after: 0, limit: 1_000 })) {
        expect(seen.get(event.id) ?? event).toEqual(event);
        seen.set(event.id, event);
      }
      for (const id of seen.keys())
        expect(listEventsAfter(store, { accountId: ACCOUNT, after: id - 1, limit: 1 })[0]?.id).toBe(id);
    });
  const crash = () =>
    afterKill(path, (left) => {
      expect(findBrokenAuditRow(left)).toBeNull();
      for (const { placing, body } of told) {
        const state = findAttempt(left, placing.attempt.id)?.state;
        const answer = findKeyRecord(left, ACCOUNT, placing.order.idempotencyKey ?? "")?.answer ?? null;
        // As it was told, or as what a start looks for.
        expect([state, answer?.body ?? null]).toEqual(state === "done" ? ["done", body] : ["prepared", null]);
      }
    });
  for (const step of steps) {
    if (step.kind === "intent") intent();
    if (step.kind === "outcome") {
      const placing = pending.shift();
      if (placing === undefined) continue;
      const before = told.length;
      attempt(() => void told.push({ placing, body: inTransactionDelayed(store, () => rest(store, placing)) }));
      if (told.length === before) pending.unshift(placing);
    }
    if (step.kind === "look") look(step.how);
    if (step.kind === "failing intent") {
      next.isLocked = step.isLocked;
      attempt(() =>
        inTransaction(store, () => {
          storePlacing(store, stored + 1);
          throw failure("SQLITE_CONSTRAINT");
        }),
      );
    }
    if (step.kind === "fault") {
      next.fault = step.fault;
      next.isLocked = step.isLocked;
      intent();
      next.fault = null;
    }
    if (step.kind === "unlock") next.isLocked = false;
    if (step.kind === "tick") attempt(() => commitDelayed(store));
    if (step.kind === "crash") crash();
  }
  next.isLocked = false;
  for (const how of Object.keys(LOOKS)) look(how);
  attempt(() => commitDelayed(store));
  crash();
  afterKill(path, (left) => {
    for (const { placing } of told) expect(findAttempt(left, placing.attempt.id)?.state).toBe("done");
  });
  closeStore(store);
}

test("what is delayed is committed within five milliseconds, and again later where that fails", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = openStore(path);
    const next = breakable(store);
    const clock = stillClock(0);
    const queue = openCommitQueue(store, (run) => setImmediate(run), clock);
    const others = () => {
      const other = openStoreReadOnly(path);
      const status = findOrder(other, placingRows(1).order.id)?.status;
      closeStore(other);
      return status;
    };
    const { value: placing } = await queue.intent((inner) => storePlacing(inner, 1));
    await queue.outcome((inner) => rest(inner, placing), true);
    expect([findOrder(store, placing.order.id)?.status, others()]).toEqual(["open", "processing"]);
    next.fault = "full";
    await clock.advance(4);
    expect(next.fault).toBe("full");
    await clock.advance(1);
    expect(next.fault).toBeNull();
    expect([findOrder(store, placing.order.id)?.status, others()]).toEqual(["open", "processing"]);
    await clock.advance(249);
    expect(others()).toBe("processing");
    await clock.advance(1);
    expect(others()).toBe("open");
    closeStore(store);
  });
});

test("what is delayed goes with whatever is committed next, and with the end of the process", async () => {
  const goes: Record<string, (store: Store) => unknown> = {
    "an intent": (store) => inTransactionBeside(store, () => storePlacing(store, 2)).onDisk,
    "what waits for the disk": (store) => inTransaction(store, () => storePlacing(store, 2)),
    "a try whether writing works": writeProbe,
    "the close": () => undefined,
  };
  for (const [name, go] of Object.entries(goes)) {
    await inTemporaryDirectory(async (directory) => {
      const path = join(directory, "postern.db");
      const store = openStore(path);
      const placing = inTransaction(store, () => storePlacing(store, 1));
      inTransactionDelayed(store, () => rest(store, placing));
      await go(store);
      if (name !== "the close") expect([name, store.$client.inTransaction]).toEqual([name, false]);
      closeStore(store);
      const left = openStoreReadOnly(path);
      expect([name, findOrder(left, placing.order.id)?.status]).toEqual([name, "open"]);
      closeStore(left);
    });
  }
});

test("a transaction inside a transaction is a fault of ours, and not a commit of half of it", () => {
  const store = openMemoryStore();
  expect(() => inTransaction(store, () => inTransaction(store, () => storePlacing(store, 1)))).toThrow(
    "bug: a transaction inside a transaction",
  );
  const placing = inTransaction(store, () => storePlacing(store, 1));
  inTransactionDelayed(store, () => rest(store, placing));
  expect(() => inTransaction(store, () => commitDelayed(store))).toThrow("bug: a transaction inside a transaction");
  expect(findOrder(store, placing.order.id)?.status).toBe("open");
});
