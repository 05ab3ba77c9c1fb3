/** An agent key may be retired or locked while something that it signed is still in the air. */
import { expect, test } from "bun:test";
import { findAttempt } from "../../src/store/attempts.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, type Delivery, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

/** Places an order whose answer is lost, and takes the key away meanwhile; gives the order's status a minute later. */
async function loseAndRetire(rig: GatewayRig, delivery: Delivery): Promise<string | undefined> {
  rig.deliveries.push((body, venue, clock) => {
    rig.deps.signers.lock();
    return delivery(body, venue, clock);
  });
  rig.place("key-00000001").catch(() => undefined);
  await rig.clock.advance(60_000);
  return findOrder(rig.store, findAttempt(rig.store, 1)?.resource.id ?? "")?.status;
}

test("an order that never arrived stays unknown while the account is quiet: nothing can ask for its number any more", async () => {
  const rig = openGatewayRig();
  expect(await loseAndRetire(rig, DELIVERY.neverArrived)).toBe("unknown");
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "ambiguous", seal: null });
  expect(rig.exchange.sent).toHaveLength(1);
});

test("an order that did arrive is found and followed as ever", async () => {
  const rig = openGatewayRig();
  expect(await loseAndRetire(rig, DELIVERY.answerLost)).toBe("open");
  expect(rig.exchange.sent).toHaveLength(1);
});

test("a new order is refused before anything is stored", async () => {
  const rig = openGatewayRig();
  rig.deps.signers.lock();
  await expect(rig.place("key-00000002")).rejects.toThrow("locked or missing");
  expect(findAttempt(rig.store, 1)).toBeNull();
});
