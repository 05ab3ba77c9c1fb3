import { expect, test } from "bun:test";
import type { KeyRecord } from "../../src/core/idempotency.ts";
import { deleteKeyRecord, findKeyRecord, insertKeyRecord, storeAnswer } from "../../src/store/idempotency.ts";
import { openStore } from "../../src/store/open.ts";

const RECORD: KeyRecord = {
  accountId: "a",
  key: "key-0001",
  route: "POST /v1/orders",
  fingerprint: "v1:aa",
  resource: { kind: "order", id: "o" },
  attemptId: null,
  answer: null,
  createdAtMs: 1,
};

test("a key is its account's, and exists once", () => {
  const store = openStore(":memory:");
  insertKeyRecord(store, RECORD);
  expect(findKeyRecord(store, "a", "key-0001")).toEqual(RECORD);
  expect(findKeyRecord(store, "b", "key-0001")).toBeNull();
  expect(() => insertKeyRecord(store, { ...RECORD, fingerprint: "v1:bb" })).toThrow("UNIQUE");
  insertKeyRecord(store, { ...RECORD, accountId: "b" });
});

test("an answer is fixed once, for this key alone", () => {
  const store = openStore(":memory:");
  insertKeyRecord(store, RECORD);
  insertKeyRecord(store, { ...RECORD, key: "key-0002" });
  expect(storeAnswer(store, RECORD, { status: 201, body: '{"n":1}' })).toBe(true);
  expect(storeAnswer(store, RECORD, { status: 200, body: '{"n":2}' })).toBe(false);
  expect(findKeyRecord(store, "a", "key-0001")?.answer).toEqual({ status: 201, body: '{"n":1}' });
  expect(findKeyRecord(store, "a", "key-0002")?.answer).toBeNull();
  expect(storeAnswer(store, { accountId: "a", key: "nobody" }, { status: 200, body: "{}" })).toBe(false);
});

test("a key that is given back is free", () => {
  const store = openStore(":memory:");
  insertKeyRecord(store, RECORD);
  deleteKeyRecord(store, "a", "key-0001");
  expect(findKeyRecord(store, "a", "key-0001")).toBeNull();
  insertKeyRecord(store, RECORD);
});
