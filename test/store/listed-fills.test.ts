/** Whose a fill is: what a modify places beside an order that is over is one of its own, with an id of its own, before the modify is settled. */
import { expect, test } from "bun:test";
import { cloidOf, uuidOfCloid } from "../../src/core/cloid.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listed } from "../../src/store/fills.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { closeStore } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { attemptRow, fillRow, legRow, orderRow } from "../support/rows.ts";

const ORDER = "0190a0b0-0000-7007-8001-000000000001";
const PLACED = cloidOf("0190a0b0-0000-7007-8001-000000000009");

test.each<[string, boolean, "ambiguous" | "done", string | null]>([
  ["beside an order that is over, by a modify that is not settled", true, "ambiguous", uuidOfCloid(PLACED)],
  ["in the place of one that was open", false, "ambiguous", ORDER],
  ["in its place, by a modify that is settled", false, "done", ORDER],
])("what is filled of what was placed %s", (_what, isTargetClosed, state, owner) => {
  const store = openMemoryStore();
  const { accountId, keyHash } = orderRow();
  inTransaction(store, () => {
    insertOrder(store, orderRow({ id: ORDER, status: "filled" }));
    insertLeg(store, legRow({ cloid: cloidOf(ORDER), orderId: ORDER, oid: "70", state: "filled" }));
    insertLeg(store, legRow({ cloid: PLACED, orderId: ORDER, oid: "77", ordinal: 1, state: "sent" }));
    const resource = { kind: "order", id: ORDER } as const;
    insertAttempt(store, attemptRow({ accountId, resource, cloid: PLACED, isTargetClosed, state }));
  });
  const fills = [fillRow({ accountId, id: "1", oid: "77" }), fillRow({ accountId, id: "2", oid: "70" })];
  expect(listed(store, accountId, fills).map(({ orderId }) => orderId)).toEqual([owner, ORDER]);
  expect(listed(store, accountId, fills).map((each) => each.keyHash)).toEqual([keyHash, keyHash]);
  closeStore(store);
});
