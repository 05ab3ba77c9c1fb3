import { expect, test } from "bun:test";
import { ApiError } from "../../src/core/errors.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { listAttemptsOf, listOpenAttempts } from "../../src/store/attempts.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { findOrder } from "../../src/store/orders.ts";
import { ACCOUNT, DELIVERY, type Delivery, delayed, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import type { BookOrder } from "../support/small-venue.ts";

async function placed(rig: GatewayRig): Promise<{ id: string; order: BookOrder }> {
  const answer = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  return { id: String(answer.order["id"]), order };
}

function types({ exchange }: GatewayRig): string[] {
  // The bodies are our own.
  return exchange.sent.map(({ body }) => (JSON.parse(body) as { action: { type: string } }).action.type);
}

test("a cancel of a resting order is answered with the order as it truly ended", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, "0.3");
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({
    httpStatus: 200,
    order: { id, status: "canceled", filled_size: "0.3", average_price: "100", error: null },
  });
  expect(order.status).toBe("canceled");
  expect(listOpenAttempts(rig.store)).toEqual([]);
  expect((await rig.answerOf(rig.cancel("cancel-01", id))).body).toBe(answer.body);
});

test.each(["native", "cloid"] as const)("an order is canceled by its %s id as well", async (kind) => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  const answer = await rig.answerOf(rig.cancel("cancel-01", kind === "native" ? String(order.oid) : order.cloid));
  expect(answer.order).toMatchObject({ id, status: "canceled" });
});

test("a cancel of a closed order is answered with its true status and sends nothing", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "1.0", status: "filled" });
  const { id } = await placed(rig);
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, order: { status: "filled", filled_size: "1" } });
  expect(types(rig)).toEqual(["order"]);
});

test("an order that turns out to live while its cancel is being stored is canceled, and not answered as it stood", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.store.$client.run("UPDATE orders SET leg_state = 'absent', leg_oid = NULL, leg_is_exchanges_word = 0");
  rig.store.$client.run("UPDATE orders SET status = 'rejected', exchange_order_id = NULL");
  const { cloid } = order;
  rig.deps.point = (name) => {
    if (name !== "before_intent") return undefined;
    recordLegEvent(rig.store, cloid, { type: "reported", oid: null }, rig.clock.nowMs());
    return undefined;
  };
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, order: { id, status: "canceled" } });
  expect(order.status).toBe("canceled");
});

test("an order that was filled before its cancel arrived is answered as filled", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, "1.0");
  rig.venue.close(order, "filled");
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, order: { status: "filled", filled_size: "1", error: null } });
});

test("an order that closed before its fills are shown is not called canceled with nothing filled", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.venue.fill(order, "0.3");
  rig.venue.failing.add("userFillsByTime");
  const asked = rig.cancel("cancel-01", id);
  const answer = await rig.answerOf(asked);
  expect(answer).toMatchObject({ httpStatus: 202, order: { status: "unknown" } });
  rig.venue.failing.clear();
  await rig.clock.advance(5_000);
  const later = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(later).toMatchObject({ httpStatus: 200, order: { status: "canceled", filled_size: "0.3" } });
});

const LOST: [string, Delivery][] = [
  ["whose answer was lost", DELIVERY.answerLost],
  ["that never arrived", DELIVERY.neverArrived],
  ["answered too fast", DELIVERY.tooFast],
  ["answered by a bad gateway", DELIVERY.badGateway],
];

test.each(LOST)("a cancel %s is repeated until the order is closed", async (_name, delivery) => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.deliveries.push(delivery);
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, isReplay: false, order: { id, status: "canceled" } });
  expect(order.status).toBe("canceled");
});

const NEW_WORDS = JSON.stringify({ status: "err", response: "not to our taste" });

/** Each: what befell it, and what of that is the exchange's word. */
const SAID: [string, Delivery, string | null][] = [
  ["whose answer was lost", DELIVERY.answerLost, null],
  ["that never arrived", DELIVERY.neverArrived, null],
  ["answered in new words", () => ({ kind: "answered", httpStatus: 200, body: NEW_WORDS }), "not to our taste"],
];

test.each(SAID)(
  "of a cancel %s the story tells as the exchange's words what it has said",
  async (_name, delivery, said) => {
    const rig = openGatewayRig();
    const { id } = await placed(rig);
    rig.deliveries.push(delivery);
    await rig.answerOf(rig.cancel("cancel-01", id));
    const [cancel] = listAttemptsOf(rig.store, id).filter(({ kind }) => kind === "cancel");
    expect(cancel?.answerText ?? null).toBe(said);
  },
);

test("a cancel answered 202 stays armed under the same key, and backs off", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.deliveries.push(...Array.from({ length: 6 }, () => DELIVERY.neverArrived));
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer.httpStatus).toBe(202);
  await rig.clock.advance(300_000);
  expect(order.status).toBe("canceled");
  const cancels = listAttemptsOf(rig.store, id).filter(({ kind }) => kind === "cancel");
  expect(cancels.map(({ idempotencyKey }) => idempotencyKey)).toEqual(cancels.map(() => "cancel-01"));
  expect(new Set(cancels.map(({ nonce }) => nonce)).size).toBe(cancels.length);
  expect(cancels.length).toBeLessThan(10);
  const again = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(again).toMatchObject({ httpStatus: 200, isReplay: true, order: { status: "canceled" } });
});

test("cancels that never arrive are repeated ever more rarely, for as long as it takes", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.deliveries.push(...Array.from({ length: 14 }, () => DELIVERY.neverArrived));
  rig.cancel("cancel-01", id).catch(() => undefined);
  await rig.clock.advance(300_000);
  expect(order.status).toBe("open");
  await rig.clock.advance(600_000);
  expect(order.status).toBe("canceled");
});

test("a cancel that was answered 202 is not given back: it is sent again", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  rig.deliveries.push(delayed(9_000, 0, DELIVERY.notSent));
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer.httpStatus).toBe(202);
  await rig.clock.advance(10_000);
  expect(order.status).toBe("canceled");
  const again = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(again).toMatchObject({ httpStatus: 200, isReplay: true, order: { status: "canceled" } });
});

test("a refused cancel leaves the order its status, and says why in this answer only", async () => {
  const rig = openGatewayRig();
  const { id } = await placed(rig);
  const text = `User or API Wallet 0x${"12".repeat(20)} does not exist.`;
  rig.deliveries.push(() => ({
    kind: "answered",
    httpStatus: 200,
    body: JSON.stringify({ status: "err", response: text }),
  }));
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, order: { status: "open" } });
  expect(answer.order["error"]).toContain(text);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
  expect((await rig.answerOf(rig.cancel("cancel-01", id))).body).toBe(answer.body);
});

test("an answer to a cancel that is new to us proves nothing: it stays armed", async () => {
  const rig = openGatewayRig();
  const { id, order } = await placed(rig);
  const statuses = [{ error: "Cancels are resting today." }];
  const body = JSON.stringify({ status: "ok", response: { type: "cancel", data: { statuses } } });
  rig.deliveries.push(() => ({ kind: "answered", httpStatus: 200, body }));
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, order: { status: "canceled" } });
  expect(order.status).toBe("canceled");
});

test("a cancel of which no byte left is taken back, the order stays", async () => {
  const rig = openGatewayRig();
  const { id } = await placed(rig);
  rig.deliveries.push(DELIVERY.notSent);
  const refused: unknown = await rig.answerOf(rig.cancel("cancel-01", id)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(findKeyRecord(rig.store, ACCOUNT.id, "cancel-01")).toBeNull();
  expect(findOrder(rig.store, id)?.status).toBe("open");
  expect((await rig.answerOf(rig.cancel("cancel-01", id))).order["status"]).toBe("canceled");
});

test("a cancel of an order that is on its way burns its number, and the order never comes to life", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(3_000, 0));
  const order = rig.place("key-0001");
  await rig.clock.advance(100);
  const id = listOpenAttempts(rig.store)[0]?.resource.id ?? "";
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(types(rig)).toEqual(["order", "cancelByCloid", "noop"]);
  expect(answer).toMatchObject({ httpStatus: 200, order: { id, status: "rejected" } });
  const late = await rig.answerOf(order);
  expect(late).toMatchObject({ httpStatus: 201, order: { status: "rejected" } });
  expect(rig.venue.orders).toEqual([]);
});

test("a cancel of an order whose answer was lost cancels it, and both answers are final and true", async () => {
  const rig = openGatewayRig();
  rig.venue.isBlind = true;
  rig.deliveries.push(DELIVERY.answerLost, ...Array.from({ length: 3 }, () => DELIVERY.neverArrived));
  const order = await rig.answerOf(rig.place("key-0001"));
  expect(order.httpStatus).toBe(202);
  rig.venue.isBlind = false;
  const answer = await rig.answerOf(rig.cancel("cancel-01", String(order.order["id"])));
  expect(answer).toMatchObject({ httpStatus: 200, order: { status: "canceled" } });
  expect(rig.venue.orders.map(({ status }) => status)).toEqual(["canceled"]);
});

test("a cancel with a noop on its way is never refused as not sent", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(3_000, 0), DELIVERY.notSent);
  const order = rig.place("key-0001");
  await rig.clock.advance(100);
  const id = listOpenAttempts(rig.store)[0]?.resource.id ?? "";
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, order: { status: "rejected" } });
  await rig.answerOf(order);
});

test("an order under a cancel does not vanish when it turns out that no byte of it left", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(1_000, 0, DELIVERY.notSent), DELIVERY.neverArrived, DELIVERY.neverArrived);
  const order = rig.place("key-0001");
  await rig.clock.advance(100);
  const id = listOpenAttempts(rig.store)[0]?.resource.id ?? "";
  const answer = await rig.answerOf(rig.cancel("cancel-01", id));
  expect(answer).toMatchObject({ httpStatus: 200, order: { id, status: "rejected" } });
  const told = await rig.answerOf(order);
  expect(told).toMatchObject({ httpStatus: 201, order: { id, status: "rejected" } });
  expect(told.order["error"]).toBe("The order was never sent: connection refused.");
});

test("a cancel that waits to be stored while its order is given back finds no such order", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(1_000, 0, DELIVERY.notSent));
  const order = rig.place("key-0001").catch((error: unknown) => error);
  await rig.clock.advance(100);
  const id = listOpenAttempts(rig.store)[0]?.resource.id ?? "";
  rig.deps.point = (name) => (name === "before_intent" ? rig.clock.sleep(2_000) : undefined);
  const canceled: unknown = await rig.answerOf(rig.cancel("cancel-01", id)).catch((error: unknown) => error);
  expect(await order).toMatchObject({ code: "exchange_unreachable" });
  rig.deps.point = () => undefined;
  const unknown: unknown = await rig.answerOf(rig.cancel("cancel-02", id)).catch((error: unknown) => error);
  expect(unknown).toMatchObject({ code: "order_not_found" });
  expect(canceled).toEqual(unknown);
  expect(findKeyRecord(rig.store, ACCOUNT.id, "cancel-01")).toBeNull();
  expect(types(rig)).toEqual(["order"]);
});

test("two cancels at once burn the number once, and both end", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(3_000, 0));
  const order = rig.place("key-0001");
  await rig.clock.advance(100);
  const id = listOpenAttempts(rig.store)[0]?.resource.id ?? "";
  const [one, two] = [rig.cancel("cancel-01", id), rig.cancel("cancel-02", id)];
  expect((await rig.answerOf(one)).order["status"]).toBe("rejected");
  expect((await rig.answerOf(two)).order["status"]).toBe("rejected");
  await rig.answerOf(order);
  expect(types(rig).filter((type) => type === "noop")).toHaveLength(1);
});

test("cancels are taken while the gateway is still starting", async () => {
  const rig = openGatewayRig();
  const { id } = await placed(rig);
  rig.deps.state.phase = "starting";
  expect((await rig.answerOf(rig.cancel("cancel-01", id))).order["status"]).toBe("canceled");
});

test("an order placed elsewhere is adopted with what it has filled, and canceled", async () => {
  const rig = openGatewayRig();
  const { order } = await placed(rig);
  const elsewhere: BookOrder = { ...order, oid: 77, cloid: `0x${"ee".repeat(16)}`, fills: [] };
  rig.venue.orders.push(elsewhere);
  rig.venue.fill(elsewhere, "0.25");
  rig.venue.fill(elsewhere, "0.25");
  rig.deliveries.push((body, venue) => {
    venue.failing.add("userFillsByTime");
    return venue.take(body);
  });
  const first = await rig.answerOf(rig.cancel("cancel-01", "77"));
  expect(first).toMatchObject({ httpStatus: 202, order: { exchange_order_id: "77", filled_size: "0.5" } });
  rig.venue.failing.clear();
  await rig.clock.advance(10_000);
  const answer = await rig.answerOf(rig.cancel("cancel-01", "77"));
  expect(answer.order).toMatchObject({ status: "canceled", exchange_order_id: "77", filled_size: "0.5" });
  expect(elsewhere.status).toBe("canceled");
});

test("an order that nobody knows is not found, and one key is one cancel of one order", async () => {
  const rig = openGatewayRig();
  const { id } = await placed(rig);
  const unknown: unknown = await rig.answerOf(rig.cancel("cancel-01", "999999")).catch((error: unknown) => error);
  expect(unknown).toMatchObject({ code: "order_not_found" });
  await rig.answerOf(rig.cancel("cancel-01", id));
  const reused: unknown = await rig.answerOf(rig.cancel("cancel-01", "999999")).catch((error: unknown) => error);
  expect(reused).toMatchObject({ code: "idempotency_key_reused" });
  const asOrder: unknown = await rig.answerOf(rig.place("cancel-01")).catch((error: unknown) => error);
  expect(asOrder).toMatchObject({ code: "idempotency_key_reused" });
});
