import { expect, test } from "bun:test";
import { listAttemptsOf, listOpenAttempts } from "../../src/store/attempts.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";

test("a process that dies right before it concludes leaves the seal, and the next one concludes from it", async () => {
  const first = openGatewayRig();
  first.deliveries.push(DELIVERY.neverArrived);
  first.stopAt.add("after_intent");
  void first.place("key-0001").catch(() => undefined);
  await first.clock.advance(100);
  const second = await first.restart();
  second.stopAt.add("settle_before_conclude");
  void second.settler.takeUp();
  const [attempt] = listOpenAttempts(second.store);
  const orderId = attempt?.resource.id ?? "";
  await second.clock.advance(1_000);
  expect(listAttemptsOf(second.store, orderId).map(({ seal, state }) => [seal, state])).toEqual([
    ["noop", "ambiguous"],
  ]);
  const third = await second.restart();
  void third.settler.takeUp();
  await third.clock.advance(100);
  expect(findOrder(third.store, orderId)?.status).toBe("rejected");
});
