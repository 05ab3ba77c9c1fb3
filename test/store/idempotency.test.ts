import { expect, test } from "bun:test";
import type { KeyRecord } from "../../src/core/idempotency.ts";
import {
  deleteKeyRecord,
  findKeyRecord,
  insertKeyRecord,
  passKeyOn,
  storeAnswer,
} from "../../src/store/idempotency.ts";
import type { Store } from "../../src/store/open.ts";
import { findOrder, insertRefused } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { orderRow } from "../support/rows.ts";

const RECORD: KeyRecord = {
  accountId: "a",
  idempotencyKey: "key-0001",
  route: "POST /v1/orders",
  fingerprint: "v1:aa",
  resource: { kind: "order", id: "o" },
  answer: null,
  createdAtMs: 1,
};

/** The two places where a key may stand. */
const PLACES: Record<string, (store: Store, record: KeyRecord) => void> = {
  "in a row of its own": insertKeyRecord,
  "in its order's row": (store, record) => {
    const { accountId, createdAtMs, resource } = record;
    const order = orderRow({ id: resource.id, accountId, createdAtMs, idempotencyKey: record.idempotencyKey });
    insertRefused(store, order, record);
  },
};

/** A key of its own needs an order of its own. */
function another(some: Partial<KeyRecord>): KeyRecord {
  return { ...RECORD, resource: { kind: "order", id: crypto.randomUUID() }, ...some };
}

for (const [place, insert] of Object.entries(PLACES)) {
  test(`${place}: a key is its account's, and exists once`, () => {
    const store = openMemoryStore();
    insert(store, RECORD);
    expect(findKeyRecord(store, "a", "key-0001")).toEqual(RECORD);
    expect(findKeyRecord(store, "b", "key-0001")).toBeNull();
    expect(() => insert(store, another({ fingerprint: "v1:bb" }))).toThrow("UNIQUE");
    insert(store, another({ accountId: "b" }));
  });

  test(`${place}: an answer is fixed once, for this key alone`, () => {
    const store = openMemoryStore();
    insert(store, RECORD);
    insert(store, another({ idempotencyKey: "key-0002" }));
    expect(storeAnswer(store, RECORD, { status: 201, body: '{"n":1}' })).toBe(true);
    expect(storeAnswer(store, RECORD, { status: 200, body: '{"n":2}' })).toBe(false);
    expect(findKeyRecord(store, "a", "key-0001")?.answer).toEqual({ status: 201, body: '{"n":1}' });
    expect(findKeyRecord(store, "a", "key-0002")?.answer).toBeNull();
    expect(storeAnswer(store, { accountId: "a", idempotencyKey: "nobody" }, { status: 200, body: "{}" })).toBe(false);
  });

  test(`${place}: an answer may be stored with the key`, () => {
    const store = openMemoryStore();
    const answer = { status: 201, body: "{}" } as const;
    insert(store, { ...RECORD, answer });
    expect(findKeyRecord(store, "a", "key-0001")).toEqual({ ...RECORD, answer });
    expect(storeAnswer(store, RECORD, { status: 200, body: '{"n":2}' })).toBe(false);
  });

  test(`${place}: a key that is given back is free`, () => {
    const store = openMemoryStore();
    insert(store, RECORD);
    deleteKeyRecord(store, "a", "key-0001");
    expect(findKeyRecord(store, "a", "key-0001")).toBeNull();
    insert(store, another({}));
  });

  test(`${place}: a key without an answer can be passed on, with one it cannot`, () => {
    const store = openMemoryStore();
    insert(store, RECORD);
    passKeyOn(store, RECORD, "later");
    const passed: KeyRecord = { ...RECORD, resource: { kind: "order", id: "later" } };
    expect(findKeyRecord(store, "a", "key-0001")).toEqual(passed);
    passKeyOn(store, RECORD, "latest");
    expect(findKeyRecord(store, "a", "key-0001")?.resource.id).toBe("latest");
    expect(storeAnswer(store, RECORD, { status: 201, body: "{}" })).toBe(true);
    passKeyOn(store, RECORD, "too-late");
    expect(findKeyRecord(store, "a", "key-0001")?.resource.id).toBe("latest");
  });
}

test("an order keeps its row when its key is given back or passed on", () => {
  for (const change of [deleteKeyRecord, (store: Store) => passKeyOn(store, RECORD, "later")]) {
    const store = openMemoryStore();
    const order = orderRow({ id: "o", accountId: "a", createdAtMs: 1, idempotencyKey: RECORD.idempotencyKey });
    insertRefused(store, order, RECORD);
    change(store, "a", "key-0001");
    expect(findOrder(store, "o")).toEqual(order);
  }
});
