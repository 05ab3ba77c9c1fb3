/** The exchange shows an order of which we had concluded that it never was: it can be canceled. */
import { expect, test } from "bun:test";
import { findLegByOid, updateLeg } from "../../src/store/legs.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";

test("an order that we held for never placed is canceled by the native id under which the exchange shows it", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  const [placed] = rig.venue.orders;
  const leg = findLegByOid(rig.store, ACCOUNT.id, String(placed?.oid));
  const order = leg === null ? null : findOrder(rig.store, leg.orderId);
  if (leg === null || order === null || placed === undefined) throw new Error("nothing placed");
  updateLeg(rig.store, { ...leg, oid: null, state: "absent" });
  updateOrder(rig.store, { ...order, exchangeOrderId: null, status: "rejected" });
  const canceled = rig.answerOf(rig.cancel("key-0002", String(placed.oid)));
  await rig.clock.advance(5_000);
  expect((await canceled).order).toMatchObject({ id: order.id, status: "canceled" });
  expect(placed.status).toBe("canceled");
});
