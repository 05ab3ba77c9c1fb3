/** One attempt is pursued once, whoever asks for it: two pursuits would send everything twice. */
import { expect, test } from "bun:test";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { DELIVERY, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

function cancels({ exchange }: GatewayRig): number {
  return exchange.sent.filter(({ body }) => body.includes('"cancel"')).length;
}

/** A cancel of a resting order that never arrives, as often as it is issued again. */
async function armed(): Promise<GatewayRig> {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  rig.deliveries.push(...Array.from({ length: 40 }, () => DELIVERY.neverArrived));
  await rig.answerOf(rig.cancel("key-0002", String(order["id"])));
  return rig;
}

test("a cancel that was issued again under a new number is followed by the pursuit that issued it", async () => {
  const [alone, asked] = [await armed(), await armed()];
  await Promise.all([alone, asked].map((rig) => rig.clock.advance(10_000)));
  for (let second = 0; second < 120; second += 1) {
    for (const { id } of listOpenAttempts(asked.store)) {
      expect(id).toBeGreaterThan(2);
      void asked.deps.settling.pursue(id);
    }
    await Promise.all([alone, asked].map((rig) => rig.clock.advance(1_000)));
  }
  expect(cancels(asked)).toBe(cancels(alone));
  expect(asked.exchange.asked.length).toBe(alone.exchange.asked.length);
});

test("an order that is closed here is not asked for again", async () => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const id = String(order["id"]);
  expect(await rig.answerOf(rig.cancel("key-0002", id))).toMatchObject({ order: { status: "canceled" } });
  await rig.clock.advance(10_000);
  const before = rig.exchange.asked.length;
  expect(await rig.deps.settling.look(id, "settle")).toBe("closed");
  expect(rig.exchange.asked.length).toBe(before);
});

test("a database that cannot be read for a while ends no pursuit", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost);
  const asked = rig.place("key-0001");
  rig.exchange.answer("orderStatus", () => ({ kind: "failed", reason: "the connection was reset" }));
  expect(await rig.answerOf(asked)).toMatchObject({ httpStatus: 202 });
  rig.store.$client.run("ALTER TABLE orders RENAME TO orders_aside");
  await rig.clock.advance(20_000);
  expect(rig.log.filter(({ level }) => level === "error").length).toBeGreaterThan(1);
  rig.store.$client.run("ALTER TABLE orders_aside RENAME TO orders");
  rig.exchange.answer("orderStatus", rig.venue.infos["orderStatus"] ?? (() => null));
  await rig.clock.advance(20_000);
  expect(await rig.answerOf(rig.place("key-0001"))).toMatchObject({ httpStatus: 201, order: { status: "open" } });
});
