import { expect, test } from "bun:test";
import { listAttemptsOf, listOpenAttempts } from "../../src/store/attempts.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";

/** Well before the expiry, which is 12 s after the sending. */
const SOON_MS = 5_000;

test("a seal that the process before has seen counts from the start on, not from the expiry", async () => {
  const first = openGatewayRig();
  first.deliveries.push(DELIVERY.neverArrived);
  first.stopAt.add("after_intent");
  void first.place("key-0001").catch(() => undefined);
  await first.clock.advance(100);
  const second = await first.restart();
  void second.settler.takeUp();
  const [attempt] = listOpenAttempts(second.store);
  const orderId = attempt?.resource.id ?? "";
  for (let tries = 0; tries < 40 && listAttemptsOf(second.store, orderId)[0]?.seal !== "noop"; tries += 1) {
    await second.clock.advance(50);
  }
  expect(listAttemptsOf(second.store, orderId).map(({ seal, state }) => [seal, state])).toEqual([
    ["noop", "ambiguous"],
  ]);
  const third = await second.restart();
  void third.settler.takeUp();
  await third.clock.advance(SOON_MS);
  expect(findOrder(third.store, orderId)?.status).toBe("rejected");
});
