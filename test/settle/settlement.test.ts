/** From a lost answer to the truth: what counts, what does not, and that nothing is sent twice on the way. */
import { expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import { findAttempt, listOpenAttempts } from "../../src/store/attempts.ts";
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

/** The exchange is gone for noops as well: only time can seal. */
const NO_NOOPS: readonly Delivery[] = Array.from({ length: 5 }, () => DELIVERY.neverArrived);

test("a noop that the exchange takes and one clean sweep after it prove that the order never was", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived]);
  await rig.clock.advance(5_000);
  expect(statusOf(rig, id)).toBe("rejected");
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", seal: "noop", negatives: 1, noops: 1 });
  expect(kinds(rig)).toEqual(["order", "noop"]);
  const [order, noop] = rig.exchange.sent.map(({ body }) => JSON.parse(body) as { nonce: number });
  expect(noop?.nonce).toBe(order?.nonce ?? 0);
});

test("without a noop's answer nothing is concluded before the exchange's time has passed the expiry by three seconds", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, NO_NOOPS);
  await rig.clock.advance(15_000);
  expect([statusOf(rig, id), findAttempt(rig.store, 1)?.seal]).toEqual(["unknown", null]);
  await rig.clock.advance(30_000);
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", seal: "expiry", negatives: 6 });
  expect(statusOf(rig, id)).toBe("rejected");
});

test("an account without actions sends no noop: it would only be refused, and the expiry seals", async () => {
  const rig = openGatewayRig();
  rig.deps.allowance.fits = (_address, purpose) => purpose !== "settle";
  const { id } = await placeLost(rig, [DELIVERY.neverArrived]);
  await rig.clock.advance(15_000);
  expect([statusOf(rig, id), findAttempt(rig.store, 1)?.noops]).toEqual(["unknown", 0]);
  await rig.clock.advance(30_000);
  expect(kinds(rig)).toEqual(["order"]);
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", seal: "expiry", noops: 0 });
  expect(statusOf(rig, id)).toBe("rejected");
});

test("after the expiry six looks are needed, a second apart, every third elsewhere, and the last is a sweep", async () => {
  const rig = openGatewayRig();
  await placeLost(rig, NO_NOOPS);
  await rig.clock.advance(60_000);
  const looks = listNotes(rig.store, findAttempt(rig.store, 1)?.resource.id ?? "").filter(
    ({ what }) => what === "looked, not found",
  );
  expect(looks).toHaveLength(6);
  for (const [index, look] of looks.entries()) {
    const before = looks[index - 1];
    if (before !== undefined) expect(look.atMs - before.atMs).toBeGreaterThanOrEqual(1_000);
  }
  const sweeps = rig.exchange.asked.filter(({ request }) => request.type === "historicalOrders");
  expect(sweeps).toHaveLength(1);
  const elsewhere = rig.exchange.asked.filter(
    ({ request, options }) => options.onNewConnection === true && request.type === "clearinghouseState",
  );
  expect(elsewhere).toHaveLength(2);
});

test("each look's time is read right before it, in one turn", async () => {
  const rig = openGatewayRig();
  await placeLost(rig, NO_NOOPS);
  await rig.clock.advance(20_000);
  const types = rig.exchange.asked.map(({ request }) => request.type);
  for (const [index, type] of types.entries())
    if (type === "orderStatus") expect(types[index - 1]).toBe("clearinghouseState");
});

test("a node that is stuck before the expiry never proves anything, however often and long it is asked", async () => {
  const rig = openGatewayRig();
  rig.venue.stuckAtMs = rig.clock.nowMs() + 4_000;
  rig.venue.isBlind = true;
  const { id } = await placeLost(rig, [DELIVERY.answerLost, ...NO_NOOPS]);
  await rig.clock.advance(100_000);
  expect(statusOf(rig, id)).toBe("unknown");
  expect(findAttempt(rig.store, 1)).toMatchObject({ seal: null, negatives: 0 });
  rig.venue.stuckAtMs = null;
  rig.venue.isBlind = false;
  await rig.clock.advance(10_000);
  expect(statusOf(rig, id)).toBe("open");
});

test("a look on a state older than the noop counts for nothing, though the noop was taken", async () => {
  const rig = openGatewayRig();
  rig.venue.stuckAtMs = rig.clock.nowMs();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived]);
  await rig.clock.advance(60_000);
  expect(findAttempt(rig.store, 1)).toMatchObject({ seal: "noop", negatives: 0 });
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.stuckAtMs = null;
  await rig.clock.advance(2_000);
  expect(statusOf(rig, id)).toBe("rejected");
});

test("a step of the host's clock seals nothing", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived, ...NO_NOOPS]);
  rig.clock.stepWall(600_000);
  await rig.clock.advance(10_000);
  expect([statusOf(rig, id), findAttempt(rig.store, 1)?.seal]).toEqual(["unknown", null]);
});

test("an exchange that answers no reads settles nothing, and is asked on and on", async () => {
  const rig = openGatewayRig();
  for (const type of Object.keys(rig.venue.infos)) rig.venue.failing.add(type);
  const { id } = await placeLost(rig, NO_NOOPS);
  await rig.clock.advance(300_000);
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.failing.clear();
  await rig.clock.advance(20_000);
  expect(statusOf(rig, id)).toBe("rejected");
});

test("where accounts cannot be read for two minutes the exchange's status time has to do", async () => {
  const rig = openGatewayRig();
  rig.venue.failing.add("clearinghouseState");
  const { id } = await placeLost(rig, NO_NOOPS);
  await rig.clock.advance(100_000);
  expect(statusOf(rig, id)).toBe("unknown");
  await rig.clock.advance(60_000);
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
  const { id } = await placeLost(rig, [DELIVERY.neverArrived]);
  await rig.clock.advance(60_000);
  expect(statusOf(rig, id)).toBe("unknown");
  rig.venue.failing.clear();
  await rig.clock.advance(5_000);
  expect(statusOf(rig, id)).toBe("rejected");
});

test("a nonce that the action itself has taken asks for 24 looks, because the order is somewhere", async () => {
  const rig = openGatewayRig();
  rig.venue.isBlind = true;
  // Executed and refused, so that no record is left of it.
  rig.venue.fates.push({ kind: "refused", text: "Insufficient margin to place order. asset=0" });
  const { id } = await placeLost(rig, [DELIVERY.answerLost]);
  await rig.clock.advance(20_000);
  expect(findAttempt(rig.store, 1)).toMatchObject({ seal: "nonce_taken", hasLanded: true });
  expect(statusOf(rig, id)).toBe("unknown");
  await rig.clock.advance(60_000);
  expect(findAttempt(rig.store, 1)).toMatchObject({ state: "done", negatives: 24 });
  expect(statusOf(rig, id)).toBe("rejected");
});

test("noops come six seconds apart, are counted before they leave, and none is sent after the expiry", async () => {
  const rig = openGatewayRig();
  const counts: number[] = [];
  const counting: Delivery = () => {
    counts.push(findAttempt(rig.store, 1)?.noops ?? 0);
    return { kind: "unknown", reason: "lost" };
  };
  await placeLost(rig, [DELIVERY.neverArrived, counting, counting, counting]);
  await rig.clock.advance(60_000);
  expect(counts).toEqual([1, 2]);
  expect(kinds(rig)).toEqual(["order", "noop", "noop"]);
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

test("a history that does not reach back to the send is no proof: canceled, without a record", async () => {
  const rig = openGatewayRig();
  const { id } = await placeLost(rig, [DELIVERY.neverArrived]);
  const later = { ...OTHER, placedAtMs: rig.clock.nowMs() + 1_000, statusAtMs: rig.clock.nowMs() + 1_000 };
  rig.venue.history = Array.from({ length: 2_000 }, (_value, index) => recordOf({ ...later, oid: 5_000 + index }));
  await rig.clock.advance(10_000);
  expect(findOrder(rig.store, id)).toMatchObject({
    status: "canceled",
    filledSize: "0",
    error: "The exchange keeps no record that old.",
  });
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
