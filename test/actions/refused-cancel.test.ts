import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";

const TOO_MANY =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";

function refused() {
  return {
    kind: "answered" as const,
    httpStatus: 200,
    body: JSON.stringify({ status: "err", response: TOO_MANY }),
  };
}

test("a cancel that is refused while nobody knows what the order is stays armed, and ends with the order", async () => {
  const rig = openGatewayRig();
  rig.venue.isBlind = true;
  const never = Array.from({ length: 20 }, () => DELIVERY.neverArrived);
  rig.deliveries.push(DELIVERY.answerLost, refused, ...never);
  const placed = await rig.answerOf(rig.place("key-0001"));
  expect(placed.order["status"]).toBe("unknown");
  rig.deliveries.splice(0, rig.deliveries.length, refused, ...never);
  const answer = await rig.answerOf(rig.cancel("cancel-01", String(placed.order["id"])));
  expect([answer.httpStatus, answer.order["status"]]).toEqual([202, "unknown"]);
  rig.venue.isBlind = false;
  rig.deliveries.length = 0;
  await rig.clock.advance(10 * 60_000);
  expect(findOrder(rig.store, String(placed.order["id"]))?.status).toBe("canceled");
  const again = await rig.answerOf(rig.cancel("cancel-01", String(placed.order["id"])));
  expect([again.httpStatus, again.order["status"]]).toEqual([200, "canceled"]);
});
