/** From a lost answer to the truth: what counts, what does not, and that nothing is sent twice on the way. */
import { expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import type { LegEvent } from "../../src/core/order.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { findAttempt, listOpenAttempts } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listNotes } from "../../src/store/notes.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, type Delivery, delayed, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

function kinds({ exchange }: GatewayRig): string[] {
  // The bodies are our own.
  return exchange.sent.map(({ body }) => (JSON.parse(body) as { action: { type: string } }).action.type);
}

/** Places an order whose answer is lost, and returns it as it stands after the answer. */
async function placeLost(rig: GatewayRig, deliveries: readonly Delivery[]): Promise<{ id: string; attempt: Attempt }> {
  rig.deliveries.push(...deliveries);
  const asked = rig.place("key-0001");
  asked.catch(() => undefined);
  await rig.clock.advance(0);
  const attempt = findAttempt(rig.store, 1);
  if (attempt === null) throw new Error("no attempt");
  return { id: attempt.resource.id, attempt };
}

function statusOf(rig: GatewayRig, id: string): string | undefined {
  return findOrder(rig.store, id)?.status;
}

/** The exchange is gone for the first noops as well. */
const NO_NOOPS: readonly Delivery[] = Array.from({ length: 5 }, () => DELIVERY.neverArrived);
/** And for all of them. */
const NO_ANSWERS: readonly Delivery[] = Array.from({ length: 200 }, () => DELIVERY.neverArrived);

test("a noop that the exchange takes proves at once that the order never was", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived]);
  await rig.clock.advance(100);
  expect(statusOf(rig, id)).toBe("rejected");
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", seal: "noop", negatives: 0, noops: 1 });
  expect(kinds(rig)).toEqual(["order", "noop"]);
  const [order, noop] = rig.exchange.sent.map(({ body }) => JSON.parse(body) as { nonce: number });
  expect(noop?.nonce).toBe(order?.nonce ?? 0);
});

/** Something of the account that happened at that moment, as its history has it. */
function historyOf(atMs: number, oid = 5_000): unknown {
  return recordOf({ ...OTHER, oid, placedAtMs: atMs, statusAtMs: atMs });
}

test("without a noop's answer nothing is concluded while the account is quiet, however long", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_ANSWERS]);
  await rig.clock.advance(600_000);
  expect([statusOf(rig, id), findAttempt(rig.store, 1)?.seal]).toEqual(["unknown", null]);
});

test("two answers of a history that itself has gone on past its end say that it left no order", async () => {
  const rig = openGatewayRig();
  const { id, attempt } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_ANSWERS]);
  rig.venue.history = [historyOf(attempt.expiresAtMs + 3_000)];
  await rig.clock.advance(60_000);
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.history = [historyOf(attempt.expiresAtMs + 3_001)];
  await rig.clock.advance(90_000);
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", seal: "expiry", negatives: 2 });
  expect(findOrder(rig.store, id)).toMatchObject({
    status: "rejected",
    error: expect.stringContaining("left no order"),
  });
});

test("a noop that is taken long after the expiry is still the exchange's word", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_NOOPS]);
  await rig.clock.advance(200_000);
  expect(findOrder(rig.store, id)).toMatchObject({
    status: "rejected",
    error: expect.stringContaining("never executed"),
  });
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", seal: "noop" });
});

test("an account without actions sends no noop: it would only be refused", async () => {
  const rig = openGatewayRig();
  rig.deps.allowance.fits = (_address, purpose) => purpose !== "settle";
  const { id, attempt } = await placeLost(rig, [DELIVERY.neverArrived]);
  await rig.clock.advance(15_000);
  expect([statusOf(rig, id), findAttempt(rig.store, 1)?.noops]).toEqual(["unknown", 0]);
  rig.venue.history = [historyOf(attempt.expiresAtMs + 4_000)];
  await rig.clock.advance(60_000);
  expect(kinds(rig)).toEqual(["order"]);
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", seal: "expiry", noops: 0 });
  expect(statusOf(rig, id)).toBe("rejected");
});

test("witnesses are separate requests, a second apart, over more than one connection", async () => {
  const rig = openGatewayRig();
  const { attempt } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_ANSWERS]);
  rig.venue.history = [historyOf(attempt.expiresAtMs + 4_000)];
  await rig.clock.advance(120_000);
  const witnesses = listNotes(rig.store, attempt.resource.id).filter(({ what }) => what === "absence witnessed");
  expect(witnesses).toHaveLength(2);
  expect((witnesses[1]?.atMs ?? 0) - (witnesses[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
  const looks = rig.exchange.asked.filter(({ request }) => request.type === "orderStatus");
  expect(new Set(looks.map(({ options }) => options.onNewConnection === true))).toEqual(new Set([true, false]));
});

test("stores that are all behind never prove anything, however often and long they are asked", async () => {
  const rig = openGatewayRig();
  rig.venue.isBlind = true;
  rig.exchange.answer("frontendOpenOrders", () => []);
  rig.exchange.answer("userFillsByTime", () => []);
  const { id, attempt } = await placeLost(rig, [DELIVERY.answerLost, ...NO_ANSWERS]);
  // Moving, and not there yet.
  const nowMs = () => rig.clock.nowMs();
  rig.exchange.answer("historicalOrders", () => [historyOf(Math.min(nowMs() - 100_000, attempt.expiresAtMs))]);
  await rig.clock.advance(600_000);
  expect(statusOf(rig, id)).toBe("unknown");
  expect(findAttempt(rig.store, 1)).toMatchObject({ seal: null, negatives: 0 });
  rig.venue.isBlind = false;
  await rig.clock.advance(15_000);
  expect(statusOf(rig, id)).toBe("open");
});

test.each([
  ["a fill that the stream tells", { type: "fills_seen", filled: { size: "0.4", notional: "1" } }],
  ["a number that the stream names", { type: "reported", oid: "1001" }],
] as const)(
  "%s outweighs every store that lacks the order, the number taken by our own noop included",
  async (_name, event) => {
    const rig = openGatewayRig();
    for (const type of Object.keys(rig.venue.infos)) rig.venue.failing.add(type);
    const { id, attempt } = await placeLost(rig, [DELIVERY.answerLost, ...NO_ANSWERS]);
    // The brand is the parser's, and these texts are what it gives.
    const reported = event as unknown as LegEvent;
    inTransaction(rig.store, (store) => recordLegEvent(store, attempt.cloid ?? "", reported, rig.clock.nowMs()));
    rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
    rig.exchange.answer("frontendOpenOrders", () => []);
    rig.exchange.answer("userFillsByTime", () => []);
    rig.exchange.answer("historicalOrders", () => [historyOf(attempt.expiresAtMs + 10_000)]);
    rig.store.$client.run("UPDATE orders SET seal = 'noop'");
    await rig.clock.advance(300_000);
    expect(statusOf(rig, id)).toBe("unknown");
  },
);

test("a step of the host's clock seals nothing", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_NOOPS]);
  rig.clock.stepWall(600_000);
  await rig.clock.advance(10_000);
  expect([statusOf(rig, id), findAttempt(rig.store, 1)?.seal]).toEqual(["unknown", null]);
});

test("an exchange that answers nothing settles nothing, and is asked on and on", async () => {
  const rig = openGatewayRig();
  for (const type of Object.keys(rig.venue.infos)) rig.venue.failing.add(type);
  const { id } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_ANSWERS]);
  await rig.clock.advance(300_000);
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.failing.clear();
  rig.deliveries.length = 0;
  await rig.clock.advance(40_000);
  expect(statusOf(rig, id)).toBe("rejected");
});

test("look-ups that fail to show a living order are overruled by the sweep", async () => {
  const rig = openGatewayRig();
  rig.venue.isBlind = true;
  const { id } = await placeLost(rig, [DELIVERY.answerLost, ...NO_NOOPS]);
  await rig.clock.advance(60_000);
  expect(statusOf(rig, id)).toBe("open");
  expect(findOrder(rig.store, id)?.exchangeOrderId).toBe("1001");
});

test("a sweep that cannot be read to the end proves nothing", async () => {
  const rig = openGatewayRig();
  rig.venue.failing.add("userFillsByTime");
  const { id, attempt } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_ANSWERS]);
  rig.venue.history = [historyOf(attempt.expiresAtMs + 10_000)];
  await rig.clock.advance(120_000);
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.failing.clear();
  await rig.clock.advance(90_000);
  expect(statusOf(rig, id)).toBe("rejected");
});

test("what the exchange took is never called never executed: without a trace it is said to have left no order", async () => {
  const rig = openGatewayRig();
  // Executed and refused, so that no record is left of it.
  rig.venue.fates.push({ kind: "refused", text: "Insufficient margin to place order. asset=0" });
  const { id, attempt } = await placeLost(rig, [DELIVERY.answerLost]);
  await rig.clock.advance(200_000);
  expect(findAttempt(rig.store, 1)).toMatchObject({ seal: "nonce_taken", hasLanded: true });
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.history = [historyOf(attempt.expiresAtMs + 10_000)];
  await rig.clock.advance(90_000);
  expect(findOrder(rig.store, id)).toMatchObject({
    status: "rejected",
    error: expect.stringContaining("left no order"),
  });
});

test.each([
  ["of the whole action", { kind: "answers", json: null }],
  ["of the order", { kind: "refused", text: "The order is not to our taste. asset=0" }],
] as const)(
  "a refusal %s in words that are not listed is known within a second, its number used",
  async (_name, fate) => {
    const rig = openGatewayRig();
    rig.venue.fates.push(fate);
    const refused: Delivery = (body) => {
      const outcome = rig.venue.take(body);
      if (fate.kind === "refused") return outcome;
      return {
        kind: "answered",
        httpStatus: 200,
        body: '{"status":"err","response":"The order is not to our taste."}',
      };
    };
    rig.deliveries.push(refused);
    const placed = rig.place("key-0001");
    await rig.clock.advance(1_000);
    const { httpStatus, order } = await rig.answerOf(placed);
    expect(httpStatus).toBe(201);
    expect(order).toMatchObject({ status: "rejected", error: expect.stringContaining("not to our taste") });
  },
);

test("noops come six seconds apart, then thirty, and are counted before they leave", async () => {
  const rig = openGatewayRig();
  const counts: number[] = [];
  const counting: Delivery = () => {
    counts.push(findAttempt(rig.store, 1)?.noops ?? 0);
    return { kind: "unknown", reason: "lost" };
  };
  await placeLost(rig, [DELIVERY.neverArrived, ...Array.from({ length: 9 }, () => counting)]);
  await rig.clock.advance(60_000);
  expect(counts).toEqual([1, 2, 3]);
});

test("the order's own late answer settles it while a cancel's noop is on its way", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(0, 2_000), DELIVERY.neverArrived);
  const placed = rig.place("key-0001");
  await rig.clock.advance(100);
  const id = findAttempt(rig.store, 1)?.resource.id ?? "";
  const canceled = rig.cancel("cancel-01", id);
  expect((await rig.answerOf(placed)).httpStatus).toBe(201);
  expect((await rig.answerOf(canceled)).order).toMatchObject({ id, status: "canceled", filled_size: "0" });
  expect(rig.venue.orders.map(({ status }) => status)).toEqual(["canceled"]);
});

test("a history that does not reach back to the send is no witness", async () => {
  const rig = openGatewayRig();
  const { id, attempt } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_ANSWERS]);
  const fromMs = attempt.expiresAtMs + 10_000;
  rig.venue.history = Array.from({ length: 2_000 }, (_value, index) => historyOf(fromMs + index, 5_000 + index));
  await rig.clock.advance(300_000);
  expect(statusOf(rig, id)).toBe("unknown");
});

test("beyond the history an order is still known by its fills", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "1.0", status: "filled" });
  rig.venue.isBlind = true;
  const { id } = await placeLost(rig, [DELIVERY.answerLost, ...NO_NOOPS]);
  const { historicalOrders } = rig.venue.infos;
  expect(historicalOrders).toBeDefined();
  rig.exchange.answer("historicalOrders", () => []);
  await rig.clock.advance(60_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "filled", filledSize: "1" });
});

const OTHER = {
  oid: 1,
  cloid: `0x${"ee".repeat(16)}`,
  isBuy: true,
  price: "1",
  size: "1",
  tif: "Gtc",
  reduceOnly: false,
  isTrigger: false,
  status: "canceled",
  placedAtMs: 0,
  statusAtMs: 0,
  fills: [],
};

test("many lost orders are settled side by side", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(...Array.from({ length: 20 }, () => DELIVERY.neverArrived));
  const asked = Array.from({ length: 20 }, (_value, index) => rig.place(`key-00${index + 10}`));
  const answers = await Promise.all(asked.map((each) => rig.answerOf(each)));
  expect(answers.map(({ httpStatus }) => httpStatus)).toEqual(Array.from({ length: 20 }, () => 201));
  await rig.clock.advance(30_000);
  expect(listOpenAttempts(rig.store)).toEqual([]);
});
