/** Status words that are new, and end like words that are known. */
import { expect, test } from "bun:test";
import type { Leg, OrderTerms } from "../../src/core/order.ts";
import { legToCancel } from "../../src/settle/cancel/cancel.ts";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, DELIVERY, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { legRow } from "../support/rows.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";

/** An order of which every record has that word from now on. */
async function worded(status: string): Promise<{ rig: GatewayRig; id: string; order: BookOrder }> {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const sinceMs = rig.clock.nowMs();
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    // A record as the small venue writes it.
    order: { ...(recordOf(order) as object), status, statusTimestamp: sinceMs },
  }));
  return { rig, id: String(shown["id"]), order };
}

async function lookFourTimes(rig: GatewayRig, id: string): Promise<void> {
  for (let nth = 0; nth < 4; nth += 1) {
    await rig.clock.advance(2_000);
    await rig.deps.settling.look(id);
  }
}

const WORDS = ["pendingCancel", "cancelRejected", "newReasonCanceled", "modifyCanceled"];

test.each(WORDS)(
  "an order of which the record says %s is open while the list of open orders holds it",
  async (word) => {
    const { rig, id } = await worded(word);
    await lookFourTimes(rig, id);
    expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
  },
);

test.each(WORDS)(
  "one of which the record says %s is unknown while a list lacks it, and over by a newer one",
  async (word) => {
    const { rig, id, order } = await worded(word);
    rig.venue.close(order, "canceled");
    await lookFourTimes(rig, id);
    expect(findOrder(rig.store, id)).toMatchObject({
      status: "unknown",
      error: expect.stringContaining("a newer list decides"),
    });
    await rig.answerOf(rig.place("key-0002"));
    const { follower } = openFollowing(rig.deps, rig.deps.settling);
    await follower.resync("all");
    // That it is over is known by now. What was filled of it the record, which may be from before that, does not say.
    await lookFourTimes(rig, id);
    expect(findOrder(rig.store, id)?.status).toBe("unknown");
    await lookFourTimes(rig, id);
    expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", error: `unknown status (${word})` });
  },
);

/** Longer than a list of open orders is behind. */
async function lookForMinutes(rig: GatewayRig, id: string): Promise<void> {
  for (let nth = 0; nth < 20; nth += 1) {
    await rig.clock.advance(10_000);
    await rig.deps.settling.look(id, "settle");
  }
}

test.each([...WORDS.map((word) => [word, "canceled"] as const), ["pendingReview", "unknown"] as const])(
  "in a quiet account one of which the record says %s, and that no list of two and a half minutes after its placing holds, is %s",
  async (word, status) => {
    const { rig, id, order } = await worded(word);
    rig.venue.close(order, "canceled");
    await rig.clock.advance(100_000);
    await lookFourTimes(rig, id);
    expect(findOrder(rig.store, id)?.status).toBe("unknown");
    await lookForMinutes(rig, id);
    const error = status === "canceled" ? `unknown status (${word})` : expect.stringContaining("a newer list decides");
    expect(findOrder(rig.store, id)).toMatchObject({ status, error });
  },
);

test.each([
  ["working", "open", "the next one holds it"],
  ["newReasonCanceled", "open", "the next one holds it"],
  ["working", "unknown", "the next one is no newer"],
] as const)(
  "one of which the record says %s is %s where one list, which is another account's, lacks it, and %s",
  async (word, status, next) => {
    const { rig, id, order } = await worded(word);
    const rows = (orders: readonly BookOrder[]) => orders.map((each) => (recordOf(each) as { order: unknown }).order);
    const others = { ...order, oid: 9_999, cloid: `0x${"cd".repeat(16)}`, placedAtMs: rig.clock.nowMs() + 60_000 };
    const lists = [[others], next === "the next one holds it" ? [order] : []];
    rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? rows(lists.shift() ?? [order]) : []));
    await rig.clock.advance(2_000);
    await rig.deps.settling.look(id);
    expect(findOrder(rig.store, id)).toMatchObject({ status });
    await lookFourTimes(rig, id);
    expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
  },
);

test("and one that a list holds is open, whatever its word ends with", async () => {
  const { rig, id } = await worded("newReasonCanceled");
  await lookForMinutes(rig, id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
});

test.each([
  ["newReasonRejected", "rejected", {}],
  ["newReasonCanceled", "canceled", {}],
  // It had been there, or something of it was filled.
  ["newReasonRejected", "canceled", { laterByMs: 5_000 }],
  ["newReasonRejected", "canceled", { left: "0.6" }],
] as const)("of one whose answer was lost a record says %s: it is %s (%p)", async (word, status, shownAs) => {
  const { laterByMs = 0, left = null } = shownAs as { laterByMs?: number; left?: string };
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost, ...Array.from({ length: 50 }, () => DELIVERY.neverArrived));
  rig.venue.isBlind = true;
  for (const type of ["frontendOpenOrders", "historicalOrders"]) rig.exchange.answer(type, () => []);
  const { order: shown } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const shownOrder = (recordOf(order) as { order: object }).order;
  const record = {
    order: left === null ? shownOrder : { ...shownOrder, sz: left },
    status: word,
    statusTimestamp: order.placedAtMs + laterByMs,
  };
  rig.venue.close(order, "canceled");
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: record }));
  await lookForMinutes(rig, String(shown["id"]));
  expect(findOrder(rig.store, String(shown["id"]))).toMatchObject({ status, error: `unknown status (${word})` });
});

test("the record of one that was open says nothing of what was filled of it before a list lacked it", async () => {
  const { rig, id, order } = await worded("pendingReview");
  await rig.clock.advance(2_000);
  const request = { type: "clearinghouseState", user: ACCOUNT.tradingAddress, dex: "" };
  const before = await rig.exchange.info(request, { purpose: "settle" });
  await rig.clock.advance(2_000);
  // Filled whole; record, fills and position are behind, and the position is newer than the record.
  const record = { ...(recordOf(order) as object), status: "pendingReview" };
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: record }));
  rig.venue.fill(order, order.size);
  rig.venue.close(order, "filled");
  rig.exchange.answer("userFillsByTime", () => []);
  rig.exchange.answer("clearinghouseState", () => (before.kind === "ok" ? before.json : null));
  await rig.answerOf(rig.place("key-0002"));
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  await follower.resync("all");
  const seen = new Set<string | undefined>();
  for (let nth = 0; nth < 4; nth += 1) {
    await lookFourTimes(rig, id);
    seen.add(findOrder(rig.store, id)?.status);
  }
  expect([...seen]).toEqual(["unknown"]);
});

test("one that a list lacks and that lives is open again by the next list, and is canceled meanwhile", async () => {
  const { rig, id, order } = await worded("pendingReview");
  rig.exchange.answer("frontendOpenOrders", () => []);
  await lookFourTimes(rig, id);
  expect(findOrder(rig.store, id)?.status).toBe("unknown");
  rig.exchange.answer("frontendOpenOrders", () => [(recordOf(order) as { order: unknown }).order]);
  await lookFourTimes(rig, id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
  rig.exchange.answer("frontendOpenOrders", () => []);
  await lookFourTimes(rig, id);
  rig.deliveries.push(DELIVERY.neverArrived);
  const canceled = rig.cancel("key-0002", id);
  canceled.catch(() => undefined);
  await rig.clock.advance(10_000);
  expect(order.status).toBe("canceled");
});

test("one that a list holds again is looked at when that list is read", async () => {
  const { rig, id, order } = await worded("pendingReview");
  rig.exchange.answer("frontendOpenOrders", () => []);
  await lookFourTimes(rig, id);
  rig.exchange.answer("frontendOpenOrders", () => [(recordOf(order) as { order: unknown }).order]);
  await openFollowing(rig.deps, rig.deps.settling).follower.resync("all");
  await rig.clock.advance(5_000);
  expect(findOrder(rig.store, id)?.status).toBe("open");
});

test("a cancel of one that a modify was to replace names what the exchange had confirmed", () => {
  const original: Leg = { ...legRow(), oid: "77", state: "closing", isExchangesWord: false };
  const replacement: Leg = { ...legRow(), cloid: "0x2", ordinal: 1, state: "lost" };
  expect(legToCancel([original, replacement])).toBe(original);
  expect(legToCancel([{ ...original, isExchangesWord: true }, replacement])).toBe(replacement);
});

test.each([
  ["as late as the record is no end", 0, "open"],
  ["before the record may have ended since", 1, "unknown"],
] as const)("what the feed told open %s, though a list lacks it", async (_name, laterByMs, status) => {
  const { rig, id, order } = await worded("working");
  const record = recordOf(order) as { order: object; statusTimestamp: number };
  const shownMs = record.statusTimestamp + laterByMs;
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    order: { ...record, status: "working", statusTimestamp: shownMs },
  }));
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data: [record] }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
  rig.deps.picture.hear(ACCOUNT.tradingAddress, { kind: "order_updates", updates: frame.updates });
  rig.exchange.answer("frontendOpenOrders", () => []);
  await lookFourTimes(rig, id);
  expect(findOrder(rig.store, id)?.status).toBe(status);
});

/** One whose answer was lost, with `shown` as its record for one look; after that no store but that of fills knows it. */
async function shownOnce(
  terms: Partial<OrderTerms>,
  left: string,
): Promise<{ rig: GatewayRig; id: string; word: string; order: BookOrder }> {
  const word = "retired";
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost, ...Array.from({ length: 200 }, () => DELIVERY.neverArrived));
  rig.venue.isBlind = true;
  for (const type of ["frontendOpenOrders", "historicalOrders"]) rig.exchange.answer(type, () => []);
  if (left !== "1") rig.venue.fates.push({ kind: "fills", size: String(1 - Number(left)), status: "canceled" });
  const { order: shown } = await rig.answerOf(rig.place("key-0001", terms));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const record = {
    order: (recordOf(order) as { order: object }).order,
    status: word,
    statusTimestamp: order.placedAtMs,
  };
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: record }));
  if (order.status === "open") rig.venue.close(order, "canceled");
  const id = String(shown["id"]);
  await rig.deps.settling.look(id);
  await rig.clock.advance(2_000);
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  return { rig, id, word, order };
}

test.each(["0.6", "1"])(
  "what never rests is over by its first record, with %s left, whatever its word",
  async (left) => {
    const { rig, id, word } = await shownOnce({ timeInForce: "ioc" }, left);
    await lookForMinutes(rig, id);
    const [filledSize, words] = left === "1" ? ["0", "keeps no record"] : ["0.4", word];
    expect(findOrder(rig.store, id)).toMatchObject({
      status: "canceled",
      filledSize,
      error: expect.stringContaining(words),
    });
  },
);

test("and what may rest is over, though its record was kept for one look alone, when a newer list lacks it", async () => {
  const { rig, id, order } = await shownOnce({}, "1");
  await lookForMinutes(rig, id);
  expect(findOrder(rig.store, id)?.status).toBe("unknown");
  const newer = recordOf({ ...order, oid: 2_000, cloid: "0x9", placedAtMs: rig.clock.nowMs() }) as { order: unknown };
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [newer.order] : []));
  await lookForMinutes(rig, id);
  expect(findOrder(rig.store, id)?.status).toBe("canceled");
});

test.each([
  ["is over once its cancels have found nothing for as long as any list is behind", true, "canceled"],
  ["stays unknown where they are not answered", false, "unknown"],
] as const)("in a quiet account one whose word nobody knows %s", async (_name, areAnswered, status) => {
  const { rig, id, order } = await worded("expired");
  rig.venue.fill(order, "0.4");
  rig.venue.close(order, "canceled");
  await lookFourTimes(rig, id);
  if (!areAnswered) rig.deliveries.push(...Array.from({ length: 50 }, () => DELIVERY.neverArrived));
  rig.cancel("key-0002", id).catch(() => undefined);
  await rig.clock.advance(240_000);
  expect(findOrder(rig.store, id)?.status).toBe("unknown");
  await rig.clock.advance(240_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status, ...(areAnswered ? { filledSize: "0.4" } : {}) });
});
