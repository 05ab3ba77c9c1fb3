import { expect, test } from "bun:test";
import { appendEvent } from "../../src/store/events.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";

test.each([
  ["processing", null, 0],
  ["unknown", null, 0],
  ["unknown", "0", 0],
  ["unknown", "0.4", 1],
  ["processing", "0.4", 1],
  ["open", "0", 1],
  ["filled", "1", 1],
])("an order that was told %s with %p filled is %i changes that reads have to hold", (status, filled, count) => {
  const rig = openGatewayRig();
  rig.deps.ownWrites.told(ACCOUNT, { dex: "" });
  const order = { object: "order", market: "BTC", status, exchange_order_id: "7", filled_size: filled };
  appendEvent(rig.store, {
    accountId: ACCOUNT.id,
    atMs: rig.clock.nowMs(),
    type: "order.updated",
    resourceId: "an-order",
    payload: JSON.stringify(order),
  });
  expect(rig.deps.ownWrites.told(ACCOUNT, { dex: "" })()).toHaveLength(count);
});
