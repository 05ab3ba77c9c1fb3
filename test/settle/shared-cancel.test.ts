/** A cancel by client order id, where another order bears ours. */
import { expect, test } from "bun:test";
import { listLegs } from "../../src/store/legs.ts";
import { DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

const ANOTHERS_NAME = `0x${"07".repeat(16)}`;

test.each([
  ["ends ours where nothing else is shown under it", null, "canceled"],
  ["says nothing of ours where something else is shown under it", {}, "lost"],
  ["says that ours is over where an answer was for an order of another name", { cloid: ANOTHERS_NAME }, "closing"],
])("one that was carried out %s", async (_name, instead, state) => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost);
  rig.exchange.answer("orderStatus", ({ oid }) => {
    const [order] = rig.venue.orders;
    if (order === undefined || (typeof oid === "number" && oid !== order.oid)) return { status: "unknownOid" };
    // A record as the small venue writes it.
    const record = recordOf(order) as { order: object };
    const another = { ...record.order, oid: 7_777, origSz: "5.0", sz: "5.0", ...instead };
    return { status: "order", order: instead === null ? record : { ...record, order: another, status: "open" } };
  });
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("frontendOpenOrders", () => []);
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(instead === null ? 0 : 10_000);
  const id = String((await rig.answerOf(rig.place("key-0001"))).order["id"]);
  rig.cancel("key-0002", id).catch(() => undefined);
  await rig.clock.advance(20_000);
  expect(listLegs(rig.store, id)[0]?.state).toBe(state as never);
});
