import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { firstEventId, type NewEvent, parseEventId } from "../../src/core/event.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertApiKey, revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { whyBroken } from "../../src/store/broken.ts";
import { inTransaction, inTransactionNotWaiting } from "../../src/store/commit.ts";
import { appendEvent, hasEvent, latestEventId, markStart, onEvents, pruneEvents } from "../../src/store/events.ts";
import { insertFills } from "../../src/store/fills.ts";
import { insertLeg } from "../../src/store/legs.ts";
import type { Store } from "../../src/store/open.ts";
import {
  deleteOperation,
  findOperation,
  insertOperation,
  markOperationsUnknown,
  updateOperation,
} from "../../src/store/operations.ts";
import { deleteOrder, findOrder, insertOrder, updateOrder } from "../../src/store/orders.ts";
import { openDurableQueue } from "../support/durable-queue.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, legRow, orderRow } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";

const ACCOUNT = orderRow().accountId;
const KEY = {
  keyHash: "ab".repeat(32),
  accountId: ACCOUNT,
  scopes: ["trading:read"] as const,
  issuedAtMs: 900,
  registeredAtMs: 1_000,
};
const OPERATION = {
  id: "0190a0b0-0000-7007-8000-000000000002",
  accountId: ACCOUNT,
  action: "leverage",
  market: "BTC",
  parameters: "{}",
  before: null,
  releasedAtMs: null,
  keyHash: null,
  status: "processing",
  exchangeId: null,
  error: null,
  createdAtMs: 1_000,
  version: 0,
} as const;
const FILL = {
  accountId: ACCOUNT,
  id: "5000-BTC-7",
  timeMs: 5_000,
  market: "BTC",
  oid: "77",
  side: "buy",
  price: "100",
  size: "1",
  isTaker: true,
  fee: "0.1",
  feeToken: "USDC",
  builderFee: null,
  realizedPnl: "0",
  startPosition: "0",
  direction: "Open Long",
  twapId: null,
  isLiquidation: false,
  transactionHash: "0x00",
} as unknown as Parameters<typeof insertFills>[1][number];

type Told = { type: string; resource: string; payload: unknown };

function told(store: Store): Told[] {
  return listEventsAfter(store, { accountId: ACCOUNT, after: 0, limit: 1_000 }).map(
    ({ type, resourceId, payload }) => ({
      type,
      resource: resourceId,
      payload: payload === null ? null : JSON.parse(payload),
    }),
  );
}

function stored(): Store {
  const store = openMemoryStore();
  insertAccount(store, accountRow());
  insertOrder(store, orderRow());
  insertOperation(store, OPERATION);
  insertApiKey(store, KEY);
  return store;
}

/** Every change of what a client may be told, and what it is told. */
const CHANGES: readonly [string, (store: Store) => unknown, readonly Partial<Told>[]][] = [
  [
    "an order that is stored",
    (store) => insertOrder(store, orderRow({ id: "new" })),
    [{ type: "order.created", resource: "new" }],
  ],
  [
    "an order that changes",
    (store) => updateOrder(store, orderRow({ status: "open", exchangeOrderId: "77" })),
    [{ type: "order.updated", payload: expect.objectContaining({ status: "open", exchange_order_id: "77" }) }],
  ],
  ["an order that has moved on meanwhile", (store) => updateOrder(store, orderRow({ version: 3 })), []],
  [
    "an order that is taken back",
    (store) => deleteOrder(store, orderRow().id, 2_000),
    [{ type: "order.removed", payload: { object: "order", id: orderRow().id } }],
  ],
  ["an order that is not there to be taken back", (store) => deleteOrder(store, "nobody", 2_000), []],
  [
    "an order whose fate was open at the end",
    (store) => {
      insertLeg(store, legRow());
      return recordLegEvent(store, legRow().cloid, { type: "lost", reason: "stopped" }, 2_000);
    },
    [{ type: "order.updated", payload: expect.objectContaining({ status: "unknown", error: "stopped" }) }],
  ],
  [
    "an operation that is stored",
    (store) => insertOperation(store, { ...OPERATION, id: "new" }),
    [{ type: "operation.created", resource: "new" }],
  ],
  [
    "an operation that ends",
    (store) => updateOperation(store, OPERATION.id, { status: "succeeded", exchangeId: null, error: null }, 2_000),
    [{ type: "operation.updated", payload: expect.objectContaining({ status: "succeeded" }) }],
  ],
  [
    "an operation that is taken back",
    (store) => deleteOperation(store, OPERATION.id, 2_000),
    [{ type: "operation.removed", payload: { object: "operation", id: OPERATION.id } }],
  ],
  [
    "an operation whose fate was open at the end",
    (store) => markOperationsUnknown(store, "stopped", 2_000),
    [{ type: "operation.updated", payload: expect.objectContaining({ status: "unknown", error: "stopped" }) }],
  ],
  [
    "a fill",
    (store) => insertFills(store, [FILL, FILL], { atMs: 6_000, toldFromMs: 5_000 }),
    [{ type: "fill.created", resource: "5000-BTC-7", payload: null }],
  ],
  [
    "a fill from before the account came here",
    (store) => insertFills(store, [FILL], { atMs: 6_000, toldFromMs: 5_001 }),
    [],
  ],
  [
    "a key",
    (store) => insertApiKey(store, { ...KEY, keyHash: "cd".repeat(32) }),
    [{ type: "key.registered", payload: expect.objectContaining({ state: "active", last_used_at: null }) }],
  ],
  [
    "a key that is revoked",
    (store) => revokeApiKey(store, { accountId: ACCOUNT, keyHash: KEY.keyHash, revokedAtMs: 2_000 }),
    [{ type: "key.revoked", payload: expect.objectContaining({ state: "revoked", scopes: ["trading:read"] }) }],
  ],
  [
    "a hash that is revoked before it is registered",
    (store) => revokeApiKey(store, { accountId: ACCOUNT, keyHash: "ee".repeat(32), revokedAtMs: 2_000 }),
    [
      {
        type: "key.revoked",
        payload: { object: "api_key", account: ACCOUNT, key_hash: "ee".repeat(32), state: "revoked" },
      },
    ],
  ],
  ["a key that is blocked", (store) => setKeyState(store, KEY.keyHash, "blocked", 2_000), [{ type: "key.blocked" }]],
  ["a key on hold", (store) => setKeyState(store, KEY.keyHash, "held", 2_000), [{ type: "key.held" }]],
  ["a key that is kept", (store) => setKeyState(store, KEY.keyHash, "active", 2_000), [{ type: "key.released" }]],
];

describe("the log of events", () => {
  test.each(CHANGES)("tells of %s", (_what, change, expected) => {
    const store = stored();
    const before = told(store).length;
    inTransaction(store, () => void change(store));
    expect(told(store).slice(before)).toEqual(expected.map((event) => expect.objectContaining(event)));
  });

  test.each(CHANGES.filter(([, , expected]) => expected.length > 0))(
    "cannot be written without %s, nor that without it",
    (_what, change) => {
      const store = stored();
      const all = () => [told(store), findOrder(store, orderRow().id), findOperation(store, OPERATION.id)];
      const before = all();
      store.$client.run("CREATE TRIGGER full_disk BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk full'); END");
      expect(() => inTransaction(store, () => void change(store))).toThrow("disk full");
      expect(all()).toEqual(before);
    },
  );

  test("says nothing about a revocation that was there before, nor of another account's key", () => {
    const store = stored();
    revokeApiKey(store, { accountId: ACCOUNT, keyHash: KEY.keyHash, revokedAtMs: 2_000 });
    const before = told(store).length;
    revokeApiKey(store, { accountId: ACCOUNT, keyHash: KEY.keyHash, revokedAtMs: 3_000 });
    revokeApiKey(store, { accountId: "another", keyHash: KEY.keyHash, revokedAtMs: 3_000 });
    expect(told(store)).toHaveLength(before);
    const [event] = listEventsAfter(store, { accountId: "another", after: 0, limit: 10 });
    expect(JSON.parse(event?.payload ?? "")).not.toHaveProperty("scopes");
  });
});

function event(accountId: string): NewEvent {
  return { accountId, atMs: 1, type: "order.removed", resourceId: "x", payload: "{}" };
}

describe("listeners", () => {
  test("hear of an account once its transaction is through, and of nothing that was rolled back", () => {
    const store = openMemoryStore();
    const heard: string[][] = [];
    const stop = onEvents(store, (accountIds) => void heard.push([...accountIds].sort()));
    inTransaction(store, () => {
      appendEvent(store, event("b"));
      appendEvent(store, event("a"));
      expect(heard).toEqual([]);
    });
    inTransactionNotWaiting(store, () => appendEvent(store, event("c")));
    inTransaction(store, () => 0);
    stop();
    inTransaction(store, () => appendEvent(store, event("d")));
    expect(heard).toEqual([["a", "b"], ["c"]]);
  });

  test("that throw are no fault of what was stored, nor keep the others from hearing of it", async () => {
    const store = openMemoryStore();
    const failure = Object.assign(new Error("bug: a listener"), { code: "SQLITE_CORRUPT" });
    onEvents(store, () => {
      throw failure;
    });
    const heard: string[][] = [];
    onEvents(store, (accountIds) => void heard.push([...accountIds]));
    expect(inTransaction(store, () => appendEvent(store, event("a")))).toBeUndefined();
    const queue = openDurableQueue(store, (run) => void setImmediate(run), stillClock(0));
    const write = (name: string) => (inner: Store) => {
      appendEvent(inner, event(name));
      return name;
    };
    expect(await Promise.all([queue.intent(write("b")), queue.outcome(write("c"), true)])).toEqual(["b", "c"]);
    expect(heard).toEqual([["a"], ["b", "c"]]);
    expect(whyBroken(store)).toBeNull();
  });
});

describe("ids", () => {
  test("of a later start are above all that an earlier one can have given out, whatever the clock says", () => {
    const starts = fc.record({
      nowMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      rows: fc.nat(20),
      lost: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(starts, { maxLength: 6 }), (lives) => {
        const store = openMemoryStore();
        let highest = 0;
        for (const { nowMs, rows, lost } of lives) {
          markStart(store, nowMs);
          expect(latestEventId(store)).toBeGreaterThan(highest);
          for (let row = 0; row < rows; row += 1) appendEvent(store, event("a"));
          highest = latestEventId(store);
          // What a power cut takes: the newest rows. The start itself waited for the disk.
          const kept = highest - Math.min(lost, rows);
          store.$client.run("DELETE FROM events WHERE id > ?", [kept]);
        }
      }),
    );
  });

  test("stay whole numbers that JSON can carry until the year 2255", () => {
    expect(Number.isSafeInteger(firstEventId(0, Date.parse("2255-01-01T00:00:00Z")))).toBe(true);
  });

  const TEXTS: [string, number | null][] = [
    ["0", 0],
    ["1795253400000000", 1_795_253_400_000_000],
    ["", null],
    ["01", null],
    ["-1", null],
    ["1.0", null],
    ["1e3", null],
    [" 1", null],
    ["17952534000000000", null],
    ["abc", null],
  ];
  test.each(TEXTS)("%p is read as %p", (text, id) => {
    expect(parseEventId(text)).toBe(id);
  });
});

describe("old rows", () => {
  function withRows(times: readonly number[]): Store {
    const store = openMemoryStore();
    for (const atMs of times) appendEvent(store, { ...event("a"), atMs });
    return store;
  }
  const left = (store: Store) =>
    listEventsAfter(store, { accountId: "a", after: 0, limit: 100 }).map(({ atMs }) => atMs);

  test("are deleted by age and by number, oldest first, so many at a time", () => {
    const store = withRows([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(pruneEvents(store, { maxRows: 100, beforeMs: 4 }, 2)).toBe(2);
    expect(left(store)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(pruneEvents(store, { maxRows: 100, beforeMs: 4 }, 2)).toBe(1);
    expect(pruneEvents(store, { maxRows: 3, beforeMs: 0 }, 100)).toBe(2);
    expect(left(store)).toEqual([6, 7, 8]);
    expect(pruneEvents(store, { maxRows: 3, beforeMs: 0 }, 100)).toBe(0);
  });

  test("never include the newest, by which clients know where they are", () => {
    const store = withRows([1, 2]);
    expect(pruneEvents(store, { maxRows: 0, beforeMs: 100 }, 100)).toBe(1);
    expect(hasEvent(store, latestEventId(store))).toBe(true);
  });
});
