/** A cancel by client order id, where another order bears ours. */
import { expect, test } from "bun:test";
import { listLegs } from "../../src/store/legs.ts";
import { DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

test.each([
  ["ends ours where nothing else is shown under it", false, "canceled"],
  ["says nothing of ours where something else is shown under it", true, "lost"],
])("one that was carried out %s", async (_name, isShared, state) => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost);
  rig.exchange.answer("orderStatus", ({ oid }) => {
    const [order] = rig.venue.orders;
    if (order === undefined || (typeof oid === "number" && oid !== order.oid)) return { status: "unknownOid" };
    // A record as the small venue writes it.
    const record = recordOf(order) as { order: object };
    const another = { ...record.order, oid: 7_777, origSz: "5.0", sz: "5.0" };
    return { status: "order", order: isShared ? { ...record, order: another, status: "open" } : record };
  });
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("frontendOpenOrders", () => []);
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(isShared ? 10_000 : 0);
  const id = String((await rig.answerOf(rig.place("key-0001"))).order["id"]);
  rig.cancel("key-0002", id).catch(() => undefined);
  await rig.clock.advance(20_000);
  expect(listLegs(rig.store, id)[0]?.state).toBe(state as never);
});
