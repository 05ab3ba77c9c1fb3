/** A record of before the fills that are read with it. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

test("seed 91438: an order that its fills show to be filled whole was never told to be open", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "1.0", status: "filled" });
  rig.deliveries.push((body, venue) => {
    venue.take(body);
    for (const fill of venue.orders.flatMap(({ fills }) => fills)) fill.isShown = true;
    return { kind: "unknown", reason: "the connection was reset" };
  });
  rig.exchange.answer("orderStatus", () => {
    const [order] = rig.venue.orders;
    return order === undefined
      ? { status: "unknownOid" }
      : { status: "order", order: recordOf({ ...order, status: "open", fills: [] }) };
  });
  const { order: placed } = await rig.answerOf(rig.place("key-0001"));
  await rig.clock.advance(10_000);
  const id = String(placed["id"]);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "filled", filledSize: "1" });
  const told = rig.store.$client.query("select payload from events where resource_id = ?").all(id) as {
    payload: string;
  }[];
  expect(told.length).toBeGreaterThan(0);
  expect(told.filter(({ payload }) => payload.includes('"status":"open"'))).toEqual([]);
});
