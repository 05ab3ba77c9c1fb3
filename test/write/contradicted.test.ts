/** What a key answers once something has been noted of an order: of the one that its answer tells, or of another. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { KeyRecord } from "../../src/core/idempotency.ts";
import { orderText } from "../../src/core/resource.ts";
import { ELSEWHERE, LISTED_AFTER_END } from "../../src/settle/look/apply-sight.ts";
import { OVERRULED } from "../../src/settle/record/note.ts";
import { appendNote } from "../../src/store/notes.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { contradicted } from "../../src/write/contradicted.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { orderRow } from "../support/rows.ts";

const ORIGINAL = orderRow({
  status: "filled",
  filledSize: decimal("1"),
  averagePrice: decimal("100"),
  exchangeOrderId: "7",
});
const BESIDE = orderRow({
  id: "0190a0b0-0000-7007-8000-000000000002",
  status: "canceled",
  filledSize: decimal("0"),
  exchangeOrderId: "9",
});

/** What is noted, of which of the two, what a key was told whose request named the original, and what it tells now; null: the same. */
const ROWS: [string, "original" | "beside", "original" | "beside", "original" | "beside" | null][] = [
  [OVERRULED, "original", "original", "original"],
  [ELSEWHERE, "original", "original", "original"],
  [LISTED_AFTER_END, "original", "original", "original"],
  [OVERRULED, "original", "beside", null],
  [ELSEWHERE, "original", "beside", null],
  [LISTED_AFTER_END, "original", "beside", null],
  [OVERRULED, "beside", "beside", "beside"],
  [ELSEWHERE, "beside", "beside", "beside"],
  [LISTED_AFTER_END, "beside", "beside", "beside"],
  [OVERRULED, "beside", "original", null],
  [ELSEWHERE, "beside", "original", null],
];

test.each(ROWS)("with `%s` noted of the %s, the key that told the %s tells %p", (what, noted, told, expected) => {
  const store = openMemoryStore();
  const orders = { original: ORIGINAL, beside: BESIDE };
  for (const order of [ORIGINAL, BESIDE]) insertOrder(store, order);
  appendNote(store, { resourceId: orders[noted].id, attemptId: null, atMs: 2_000, what, detail: "what was shown" });
  const record: KeyRecord = {
    accountId: ORIGINAL.accountId,
    idempotencyKey: "modify-1",
    route: "POST /v1/orders/{id}/modify",
    fingerprint: "f",
    createdAtMs: 1_000,
    resource: { kind: "order", id: ORIGINAL.id },
    answer: { status: 200, body: orderText({ ...orders[told], status: "rejected" }) },
  };
  const answer = contradicted(store, record);
  expect(answer).toEqual(expected === null ? null : { status: 200, body: orderText(orders[expected]), isReplay: true });
});
