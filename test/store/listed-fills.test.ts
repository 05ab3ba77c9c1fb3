/** Whose a fill is: what a modify places beside an order that is over is one of its own, with an id of its own, before the modify is settled. */
import { expect, test } from "bun:test";
import { cloidOf, uuidOfCloid } from "../../src/core/cloid.ts";
import { decimal } from "../../src/core/decimal.ts";
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

type Told = { isTargetClosed: boolean; state: "ambiguous" | "done"; filled: string };
const OPEN: Told = { isTargetClosed: false, state: "ambiguous", filled: "0" };

test.each<[string, Told, string | null]>([
  [
    "beside an order that is over, by a modify that is not settled",
    { ...OPEN, isTargetClosed: true },
    uuidOfCloid(PLACED),
  ],
  ["beside one that has been filled whole meanwhile", { ...OPEN, filled: "1" }, uuidOfCloid(PLACED)],
  ["in the place of one that was open", OPEN, ORDER],
  ["in the place of one that ended with a part filled", { ...OPEN, filled: "0.4" }, ORDER],
  ["in its place, by a modify that is settled", { ...OPEN, state: "done" }, ORDER],
])("what is filled of what was placed %s", (_what, { isTargetClosed, state, filled }, owner) => {
  const store = openMemoryStore();
  const { accountId, keyHash } = orderRow();
  inTransaction(store, () => {
    insertOrder(store, orderRow({ id: ORDER, status: "filled" }));
    insertLeg(
      store,
      legRow({
        cloid: cloidOf(ORDER),
        orderId: ORDER,
        oid: "70",
        state: filled === "0" ? "resting" : "filled",
        filledSize: decimal(filled),
      }),
    );
    insertLeg(store, legRow({ cloid: PLACED, orderId: ORDER, oid: "77", ordinal: 1, state: "sent" }));
    const resource = { kind: "order", id: ORDER } as const;
    insertAttempt(
      store,
      attemptRow({ accountId, resource, kind: "modify", cloid: PLACED, targetOid: "70", isTargetClosed, state }),
    );
  });
  const fills = [fillRow({ accountId, id: "1", oid: "77" }), fillRow({ accountId, id: "2", oid: "70" })];
  expect(listed(store, accountId, fills).map(({ orderId }) => orderId)).toEqual([owner, ORDER]);
  expect(listed(store, accountId, fills).map((each) => each.keyHash)).toEqual([keyHash, keyHash]);
  closeStore(store);
});
