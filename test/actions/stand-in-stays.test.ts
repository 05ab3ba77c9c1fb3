/** Whether a stop that stands in for that of a bracket of elsewhere stays, once the bracket may have been canceled. */
import { expect, test } from "bun:test";
import { adoptOutside } from "../../src/actions/adopt-outside.ts";
import type { Attempt } from "../../src/core/attempt.ts";
import { decimal } from "../../src/core/decimal.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { ACCOUNT, type GatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";
import { CANCEL_ALL, goOn, OID, openWithBracket, placeStandIn, sent } from "./bracket-of-elsewhere.ts";

/** Its order has a row, and a cancel of ours that was sent at the start. */
function cancelParent({ store }: GatewayRig, change: Partial<Attempt>): string {
  const order = orderRow({ exchangeOrderId: String(OID), status: "open", filledSize: decimal("0") });
  inTransaction(store, () => {
    insertOrder(store, order);
    insertLeg(store, legRow({ orderId: order.id, oid: String(OID) }));
    const of = {
      kind: "cancel",
      resource: { kind: "order", id: order.id },
      targetOid: String(OID),
      expiresAtMs: START_MS,
    } as const;
    insertAttempt(store, attemptRow({ ...of, idempotencyKey: "cancel-all other", cloid: null, ...change }));
  });
  return order.id;
}

const LATER_MS = 200_000;

test.each<[string, { cancel: Partial<Attempt> | null; standsIn: boolean; afterMs: number }, string]>([
  ["it is being canceled", { cancel: { state: "ambiguous" }, standsIn: true, afterMs: LATER_MS }, "goes"],
  ["it was canceled", { cancel: { state: "done", hasLanded: true }, standsIn: true, afterMs: LATER_MS }, "goes"],
  ["a cancel of it was refused just now", { cancel: { state: "done" }, standsIn: true, afterMs: 0 }, "goes"],
  ["one was, before any list", { cancel: { state: "done" }, standsIn: true, afterMs: LATER_MS }, "stays alone"],
  ["none was sent", { cancel: null, standsIn: true, afterMs: 0 }, "stays alone"],
  ["it is being canceled bare", { cancel: { state: "ambiguous" }, standsIn: false, afterMs: 0 }, "stays"],
])("what a list shows filled keeps the stop that stands in for its own where %s", async (_what, about, wanted) => {
  const { rig, now } = openWithBracket();
  if (about.standsIn) placeStandIn(rig);
  if (about.cancel !== null) cancelParent(rig, about.cancel);
  await rig.clock.advance(about.afterMs);
  now.left = "0.6";
  const asked = await goOn(rig, adoptOutside(rig.deps, CANCEL_ALL, ACCOUNT));
  const goes = asked.orderIds.length === 1 ? "goes" : "stays";
  expect(sent(rig, '"o":99}') > 0 ? `${goes} alone` : goes).toBe(wanted);
});
