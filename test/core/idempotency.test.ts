import { expect, test } from "bun:test";
import { decide, type KeyRecord } from "../../src/core/idempotency.ts";

const RECORD: KeyRecord = {
  accountId: "a",
  idempotencyKey: "key-0001",
  route: "POST /v1/orders",
  fingerprint: "v1:aa",
  resource: { kind: "order", id: "o" },
  answer: null,
  createdAtMs: 1,
};

test.each([
  ["no record", null, "v1:aa", "first"],
  ["a running one", RECORD, "v1:aa", "as_it_stands"],
  ["an answered one", { ...RECORD, answer: { status: 201, body: "{}" } }, "v1:aa", "replay"],
  ["a running one of another request", RECORD, "v1:bb", "reused"],
  ["an answered one of another request", { ...RECORD, answer: { status: 201, body: "{}" } }, "v1:bb", "reused"],
] as const)("a key with %s", (_name, record, print, decision) => {
  expect(decide(record, print)).toBe(decision);
});
