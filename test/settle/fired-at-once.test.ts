/** A trigger that is met when it is placed fires in the same moment: whether the exchange had taken it. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

const MET = { trigger: { price: "90", kind: "stop_loss", market: true }, side: "sell", price: "80" } as const;

test.each([
  ["marketOrderNoLiquidityRejected", true],
  ["badTriggerPxRejected", false],
  ["perpMarginRejected", false],
])("one of which the answer was lost and whose record says %s in one moment was taken: %p", async (status, isTaken) => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost);
  rig.exchange.answer("orderStatus", () => {
    const [order] = rig.venue.orders;
    // Its list and its history have it over as well.
    if (order?.status === "open") Object.assign(order, { status });
    return order === undefined
      ? { status: "unknownOid" }
      : // A record as the small venue writes it.
        { status: "order", order: { ...(recordOf(order) as object), status } };
  });
  const { order } = await rig.answerOf(rig.place("key-0001", MET));
  const oid = String(rig.venue.orders[0]?.oid);
  expect(findOrder(rig.store, String(order["id"]))).toMatchObject({
    status: "rejected",
    exchangeOrderId: isTaken ? oid : null,
  });
});
