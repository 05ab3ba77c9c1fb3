import { expect, test } from "bun:test";
import { DELIVERY, type Delivery, delayed, FIRST, openPaperRig } from "../support/paper-rig.ts";
import { after, modify, open, opened, PLACED, read } from "./modified-order.ts";

/** Modifies whose answer is lost or late, and what else happens to the order meanwhile. */

const LOST: [string, Delivery][] = [
  ["the connection broke", DELIVERY.answerLost],
  ["a web server answered in its place", DELIVERY.badGateway],
  ["it came after five seconds", delayed(0, 5_500)],
];

test.each(LOST)(
  "a modify whose answer was lost, because %s, is found by its own client order id",
  async (_name, delivery) => {
    const { rig, id, oid } = await opened();
    await rig.trade("sell", "0.04", "90000");
    rig.deliveries.push(delivery);
    const answer = await modify(rig, id, { price: "91000" });
    expect(answer).toMatchObject({
      status: 200,
      body: { id, status: "open", price: "91000", time_in_force: "alo", size: "0.1", filled_size: "0.04", error: null },
    });
    expect(answer.body["exchange_order_id"]).not.toBe(oid);
    expect(await open(rig)).toHaveLength(1);
    expect(rig.sent.filter((type) => type !== "noop")).toEqual(["batchModify"]);
  },
);

test("a modify that never arrived leaves the order as it was, and cannot arrive any more", async () => {
  const { rig, id, oid } = await opened();
  let arrive: () => Promise<unknown> = async () => undefined;
  rig.deliveries.push((late) => {
    arrive = late;
    return DELIVERY.neverArrived();
  });
  const answer = await modify(rig, id, { price: "91000" });
  expect(answer).toMatchObject({ status: 200, body: { id, status: "open", price: "90000", exchange_order_id: oid } });
  expect(answer.body["error"]).toContain("The modify was not carried out");
  await arrive();
  expect(await open(rig)).toMatchObject([{ oid: Number(oid), limitPx: "90000.0" }]);
  expect((await read(rig, id)).body).toMatchObject({ status: "open", time_in_force: "gtc", error: null });
});

test("a lost refusal that killed the original is found out: canceled", async () => {
  const { rig, id } = await opened();
  await rig.trade("sell", "1", "95000");
  rig.deliveries.push(DELIVERY.answerLost);
  await modify(rig, id, { price: "96000" });
  await rig.clock.advance(60_000);
  expect((await read(rig, id)).body).toMatchObject({ id, status: "canceled", filled_size: "0" });
  expect(await open(rig)).toEqual([]);
});

test("when the look-ups fail the modify is 202 and unknown, until they work again", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(async (arrive) => {
    rig.failing.add("orderStatus");
    return DELIVERY.answerLost(arrive);
  });
  const answer = await modify(rig, id, { price: "91000" }, "modify-01");
  expect(answer).toMatchObject({ status: 202, body: { id, status: "unknown" } });
  const meanwhile = await modify(rig, id, { price: "92000" });
  expect(meanwhile).toMatchObject({ status: 409, body: { error: { code: "idempotency_in_progress" } } });
  rig.failing.clear();
  await rig.clock.advance(15_000);
  const again = await modify(rig, id, { price: "91000" }, "modify-01");
  expect(again).toMatchObject({ status: 200, body: { id, status: "open", price: "91000", error: null } });
  expect((await read(rig, id)).body).toEqual(again.body);
});

test("a modify whose answer came is still 202 while the original cannot be looked up", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(async (arrive) => {
    rig.failing.add("orderStatus");
    return arrive();
  });
  expect(await modify(rig, id, { price: "91000" })).toMatchObject({ status: 202, body: { id, status: "unknown" } });
  rig.failing.clear();
  await rig.clock.advance(15_000);
  expect((await read(rig, id)).body).toMatchObject({ id, status: "open", price: "91000" });
});

test("an order that was filled further while its price was modified is not asked for twice: it is reduced once", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(after(() => rig.trade("sell", "0.03", "90000")));
  await modify(rig, id, { price: "89000" });
  await rig.clock.advance(20_000);
  const order = (await read(rig, id)).body;
  expect(order).toMatchObject({ id, status: "open", size: "0.1", filled_size: "0.03", price: "89000" });
  expect(await open(rig)).toMatchObject([{ sz: "0.07", limitPx: "89000.0" }]);
  expect(rig.sent).toEqual(["batchModify", "batchModify"]);
});

test("modifies of one order queue: each acts on what the one before has left", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(delayed(1_000, 1_000));
  const first = rig.ask(FIRST, { route: `POST /v1/orders/${id}/modify`, body: { price: "91000" } });
  const second = rig.ask(FIRST, { route: `POST /v1/orders/${id}/modify`, body: { price: "92000" } });
  expect((await rig.answerOf(first)).body).toMatchObject({ id, status: "open", price: "91000" });
  expect((await rig.answerOf(second)).body).toMatchObject({ id, status: "open", price: "92000" });
  expect(await open(rig)).toMatchObject([{ limitPx: "92000.0", sz: "0.1" }]);
});

test("a modify of an order that is on its way waits for it, and does not stop it", async () => {
  const rig = await openPaperRig();
  rig.deliveries.push(delayed(1_000, 1_000));
  const placed = rig.ask(FIRST, { route: "POST /v1/orders", body: PLACED, key: "place-0001" });
  await rig.clock.advance(100);
  // As the specification lists orders.
  const list = (await rig.ask(FIRST, { route: "GET /v1/orders" })).body["data"] as { id: string }[];
  const answer = await modify(rig, list[0]?.id, { price: "91000" });
  expect((await rig.answerOf(placed)).body).toMatchObject({ status: "open", price: "90000" });
  expect(answer.body).toMatchObject({ id: list[0]?.id, status: "open", price: "91000" });
  expect(rig.sent).toEqual(["order", "batchModify"]);
});

test("an order of which nothing is known yet cannot be modified", async () => {
  const rig = await openPaperRig();
  rig.failing.add("orderStatus");
  rig.deliveries.push(DELIVERY.answerLost);
  const placed = await rig.answer(FIRST, { route: "POST /v1/orders", body: PLACED });
  expect(placed).toMatchObject({ status: 202, body: { status: "unknown" } });
  const refused = await modify(rig, placed.body["id"], { price: "91000" }, "modify-01");
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "order_not_modifiable" } } });
  expect(rig.sent).not.toContain("batchModify");
  rig.failing.clear();
  await rig.clock.advance(15_000);
  const answer = await modify(rig, placed.body["id"], { price: "91000" }, "modify-01");
  expect(answer.body).toMatchObject({ status: "open", price: "91000" });
});

test("a cancel does not queue behind a modify, and nothing of the order is left open", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(delayed(3_000, 0));
  const modified = rig.ask(FIRST, { route: `POST /v1/orders/${id}/modify`, body: { price: "91000" } });
  await rig.clock.advance(100);
  const canceled = await rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
  expect(canceled.body).toMatchObject({ id, status: "canceled" });
  expect((await rig.answerOf(modified)).body).toMatchObject({ id, status: "canceled" });
  await rig.clock.advance(10_000);
  expect(await open(rig)).toEqual([]);
});

test("a modify of which no byte left is a 503, and the order and the key are as before", async () => {
  const { rig, id, answer } = await opened();
  rig.deliveries.push(DELIVERY.notSent);
  const refused = await modify(rig, id, { price: "91000" }, "modify-01");
  expect(refused).toMatchObject({ status: 503, body: { error: { code: "exchange_unreachable" } } });
  expect((await read(rig, id)).body).toEqual(answer.body);
  expect((await modify(rig, id, { price: "91000" }, "modify-01")).body).toMatchObject({ id, price: "91000" });
});

test("a modify that was signed while the exchange's time was taken for a minute later replaces its order all the same", async () => {
  const { rig, id, oid } = await opened();
  const { exchange } = rig.deps;
  const { nowMs } = exchange;
  Object.assign(exchange, { nowMs: () => nowMs() + 60_000 });
  rig.deliveries.push((arrive) => {
    Object.assign(exchange, { nowMs });
    return arrive();
  });
  const answer = await modify(rig, id, { price: "91000" });
  expect(answer).toMatchObject({ status: 200, body: { id, status: "open", price: "91000", error: null } });
  expect(answer.body["exchange_order_id"]).not.toBe(oid);
  expect((await read(rig, id)).body).toMatchObject({ status: "open", price: "91000" });
});

test("an order that was filled whole is told as filled while a modify of it is lost, which ends without its number", async () => {
  const { rig, id, oid } = await opened();
  rig.deliveries.push(...Array.from({ length: 60 }, () => DELIVERY.neverArrived));
  expect(await modify(rig, id, { price: "91000" }, "lost-modify")).toMatchObject({ status: 202 });
  await rig.trade("sell", "0.1", "90000");
  await rig.clock.advance(40_000);
  expect((await read(rig, id)).body).toMatchObject({ status: "filled", exchange_order_id: oid, error: null });
  const answer = await modify(rig, id, { price: "91000" }, "lost-modify");
  expect(answer).toMatchObject({ status: 200, body: { id, status: "filled", filled_size: "0.1" } });
  expect(answer.body["error"]).toContain("filled before it could be replaced");
  expect(rig.deliveries.length).toBeGreaterThan(0);
});
