/** A fill names an order that nothing else has named: it may be somebody else's under our client order id. */
import { expect, test } from "bun:test";
import type { OrderStatus, OrderTerms } from "../../src/core/order.ts";
import { followLead } from "../../src/settle/fills/fill-leads.ts";
import { openFillIndex } from "../../src/settle/fills/index-fills.ts";
import { openOtherMachines } from "../../src/settle/restore/other-machine.ts";
import { listLegs } from "../../src/store/legs.ts";
import { listNotes } from "../../src/store/notes.ts";
import { findOrder } from "../../src/store/orders.ts";
import { parseFills } from "../../src/wire/answer/fills.ts";
import { ACCOUNT, DELIVERY, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { type BookOrder, fillsOf, recordOf } from "../support/small-venue.ts";

const OTHER_OID = 9_999;

type Stage = { rig: GatewayRig; id: string; order: BookOrder };

/** An order, and another under its client order id, of which a fill of so much comes first. */
async function openStage(some: Partial<OrderTerms> = {}, isLost = false): Promise<Stage> {
  const rig = openGatewayRig();
  if (isLost) {
    rig.deliveries.push(DELIVERY.answerLost, ...Array.from({ length: 50 }, () => DELIVERY.neverArrived));
    rig.venue.isBlind = true;
    for (const type of ["frontendOpenOrders", "historicalOrders"]) rig.exchange.answer(type, () => []);
  }
  const { order: told } = await rig.answerOf(rig.place("key-0001", some));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  return { rig, id: String(told["id"]), order };
}

function another({ rig, order }: Stage, some: Partial<BookOrder>): BookOrder {
  return {
    ...order,
    oid: OTHER_OID,
    isTrigger: false,
    status: "open",
    placedAtMs: rig.clock.nowMs(),
    fills: [],
    ...some,
  };
}

/** A fill of it becomes known, and every lead is followed for as long as it takes. */
async function tellFill(
  { rig }: Stage,
  order: BookOrder,
  fill: { size: string; price?: string; atMs?: number; tid?: number },
) {
  const { size, price = order.price, atMs = rig.clock.nowMs(), tid = 1 } = fill;
  const fills = parseFills(fillsOf({ ...order, price, fills: [{ size, atMs, tid, isShown: true }] }));
  if (fills === null) throw new Error("the test's own fills cannot be read");
  const index = openFillIndex(rig.deps, openOtherMachines(rig.deps), {
    onGrown: () => undefined,
    onLead: (lead) => void followLead(rig.deps, lead, () => false),
  });
  index.add(ACCOUNT, fills);
  await rig.clock.advance(0);
}

function showById({ rig }: Stage, records: Record<string, unknown>): void {
  rig.exchange.answer("orderStatus", ({ oid }) => {
    const record = records[String(oid)];
    return record === undefined ? { status: "unknownOid" } : { status: "order", order: record };
  });
}

function legOf({ rig, id }: Stage) {
  const [leg] = listLegs(rig.store, id);
  return { oid: leg?.oid ?? null, state: leg?.state, filled: String(leg?.filledSize) };
}

const STOP: Partial<OrderTerms> = {
  side: "sell",
  price: "89.0",
  trigger: { price: "90.0", kind: "stop_loss", market: false },
};

test("what a stop became is named by its fill when its record has the terms, at once", async () => {
  const stage = await openStage(STOP);
  const placed = another(stage, {});
  showById(stage, { [OTHER_OID]: recordOf(placed), [stage.order.oid]: recordOf(stage.order) });
  await tellFill(stage, placed, { size: "0.25" });
  expect(legOf(stage)).toEqual({ oid: String(OTHER_OID), state: "resting", filled: "0.25" });
});

test.each<[string, Partial<BookOrder>]>([
  ["another size", { size: "0.5" }],
  ["another price", { price: "95.0" }],
])("one of which the record has %s is not what it became", async (_name, some) => {
  const stage = await openStage(STOP);
  const placed = another(stage, some);
  showById(stage, { [OTHER_OID]: recordOf(placed), [stage.order.oid]: recordOf(stage.order) });
  await tellFill(stage, placed, { size: "0.25" });
  await stage.rig.clock.advance(120_000);
  expect(legOf(stage)).toEqual({ oid: String(stage.order.oid), state: "armed", filled: "0" });
});

test.each<[string, number, string]>([
  ["at the moment in which it fired", 0, "0.25"],
  ["before it fired", -1, "0"],
])("a fill %s, of which no record is ever shown, is that of a stop, or is not", async (_name, afterMs, filled) => {
  const stage = await openStage(STOP);
  const firedAtMs = stage.rig.clock.nowMs() + 5_000;
  const fired = { ...(recordOf(stage.order) as object), status: "triggered", statusTimestamp: firedAtMs };
  showById(stage, { [stage.order.oid]: fired });
  await tellFill(stage, another(stage, {}), { size: "0.25", atMs: firedAtMs + afterMs });
  for (let nth = 0; nth < 10; nth += 1) await stage.rig.clock.advance(10_000);
  expect(legOf(stage).filled).toBe(filled);
});

test.each<[string, string | null, string]>([
  ["no record any more", null, "0.25"],
  ["a record that says that it has fired", "triggered", "0.25"],
  ["a record that says that it waits", "open", "0"],
  ["a record that says that it was canceled", "canceled", "0"],
])("a fill of which no record is ever shown is that of a stop with %s, or is not", async (_name, status, filled) => {
  const stage = await openStage(STOP);
  showById(stage, status === null ? {} : { [stage.order.oid]: { ...(recordOf(stage.order) as object), status } });
  await tellFill(stage, another(stage, {}), { size: "0.25" });
  expect(legOf(stage).filled).toBe("0");
  for (let nth = 0; nth < 10; nth += 1) await stage.rig.clock.advance(10_000);
  expect(legOf(stage).filled).toBe(filled);
});

test.each([
  ["all", "1", "filled"],
  ["a part", "0.5", "resting"],
])("of a stop of which %s was filled under its own id no other id names what it placed", async (_what, size, state) => {
  const stage = await openStage(STOP);
  const filled = {
    ...stage.order,
    status: "filled",
    fills: [{ size, atMs: stage.rig.clock.nowMs(), tid: 5, isShown: true }],
  };
  showById(stage, { [stage.order.oid]: recordOf(filled) });
  await tellFill(stage, stage.order, { size, tid: 5 });
  if (state === "filled") await stage.rig.deps.settling.look(stage.id);
  await tellFill(stage, another(stage, {}), { size: "0.25" });
  for (let nth = 0; nth < 10; nth += 1) await stage.rig.clock.advance(10_000);
  expect<unknown>(legOf(stage)).toEqual({ oid: String(stage.order.oid), state, filled: size });
});

/** Each: what the only fill says, of a buy of 1 at 100 at most that was sent a moment ago. */
const FILLS: [string, { size: string; price?: string; beforeMs?: number; isBuy?: boolean }, OrderStatus][] = [
  ["all of it, at its price", { size: "1" }, "filled"],
  ["all of it, at a better price", { size: "1", price: "99" }, "filled"],
  ["a part of it", { size: "0.4" }, "unknown"],
  ["more than all of it", { size: "1.5" }, "unknown"],
  ["all of it, at a worse price", { size: "1", price: "100.5" }, "unknown"],
  ["all of it, and from before it was sent", { size: "1", beforeMs: 60_000 }, "unknown"],
  ["all of it, on the other side", { size: "1", isBuy: false }, "unknown"],
];

test.each(FILLS)("an order of which nothing is shown but a fill of %s", async (_name, fill, status) => {
  const stage = await openStage({}, true);
  const { rig, id } = stage;
  const atMs = rig.clock.nowMs() - (fill.beforeMs ?? 0);
  const namesake = another(stage, { price: fill.price ?? "100", isBuy: fill.isBuy ?? true });
  const shown = fillsOf({ ...namesake, fills: [{ size: fill.size, atMs, tid: 1, isShown: true }] });
  rig.exchange.answer("userFillsByTime", () => shown);
  await tellFill(stage, namesake, { ...fill, atMs });
  expect(findOrder(rig.store, id)?.status).toBe("unknown");
  for (let nth = 0; nth < 12; nth += 1) await rig.clock.advance(5_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status, filledSize: status === "filled" ? "1" : null });
});

test.each(FILLS)(
  "the same, told by the stream alone, is known when a few looks have shown no record: %s",
  async (_name, fill, status) => {
    const stage = await openStage({}, true);
    const { rig, id } = stage;
    rig.exchange.answer("userFillsByTime", () => []);
    const atMs = rig.clock.nowMs() - (fill.beforeMs ?? 0);
    const namesake = another(stage, { price: fill.price ?? "100", isBuy: fill.isBuy ?? true });
    await tellFill(stage, namesake, { ...fill, atMs });
    await rig.clock.advance(4_000);
    expect(findOrder(rig.store, id)?.status).toBe("unknown");
    await rig.clock.advance(5_000);
    expect(findOrder(rig.store, id)?.status).toBe(status);
  },
);

test.each<[string, string, OrderStatus]>([
  ["are the whole when the last is there", "99", "filled"],
  ["are none of it when one is at a worse price", "101", "unknown"],
])("fills under one native id that come one by one %s", async (_name, lastPrice, status) => {
  const stage = await openStage({}, true);
  const { rig, id } = stage;
  rig.exchange.answer("userFillsByTime", () => []);
  for (const tid of [1, 2, 3]) {
    await rig.clock.advance(10_000);
    expect(findOrder(rig.store, id)?.status).toBe("unknown");
    const last = { size: "0.5", price: lastPrice, tid };
    await tellFill(stage, another(stage, {}), tid === 3 ? last : { size: "0.25", price: "99", tid });
  }
  await rig.clock.advance(15_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status, filledSize: status === "filled" ? "1" : null });
});

test("what the record of a whole fill shows before that decides: another's is not its end", async () => {
  const stage = await openStage({}, true);
  const { rig, id } = stage;
  rig.exchange.answer("userFillsByTime", () => []);
  const namesake = another(stage, { size: "3" });
  await tellFill(stage, namesake, { size: "1" });
  await rig.clock.advance(4_500);
  showById(stage, { [OTHER_OID]: recordOf(namesake) });
  await rig.clock.advance(30_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", filledSize: null });
});

test("a fill of another's order names ours only until a record shows whose it is", async () => {
  const stage = await openStage({}, true);
  const { rig, id, order } = stage;
  const namesake = another(stage, { size: "0.3" });
  for (const tid of [1, 2]) await tellFill(stage, namesake, { size: "0.15", price: "99", tid });
  expect(legOf(stage)).toEqual({ oid: String(OTHER_OID), state: "lost", filled: "0" });
  // Seed 6053: what is no more than a lead is not told as the order's name.
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", exchangeOrderId: null });
  showById(stage, { [OTHER_OID]: recordOf(namesake), [order.cloid]: recordOf(order), [order.oid]: recordOf(order) });
  for (let nth = 0; nth < 12; nth += 1) await rig.clock.advance(5_000);
  expect(legOf(stage)).toEqual({ oid: String(order.oid), state: "resting", filled: "0" });
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", exchangeOrderId: String(order.oid) });
});

test("seed 87172: what a record once showed to be another's names ours no more when that record is forgotten", async () => {
  const stage = await openStage({}, true);
  const { rig, id } = stage;
  const namesake = another(stage, { size: "0.3", status: "filled" });
  showById(stage, { [OTHER_OID]: recordOf(namesake), [stage.order.cloid]: recordOf(namesake) });
  await tellFill(stage, namesake, { size: "0.3" });
  await rig.deps.settling.look(id, "settle");
  expect(legOf(stage).oid).toBeNull();
  showById(stage, {});
  await tellFill(stage, namesake, { size: "0.2", tid: 2 });
  await rig.clock.advance(120_000);
  expect(legOf(stage)).toMatchObject({ oid: null, filled: "0" });
});

test("and hides nothing of ours from the list of open orders", async () => {
  const stage = await openStage({}, true);
  const { rig, id, order } = stage;
  await tellFill(stage, another(stage, {}), { size: "0.3", price: "99" });
  // A record as the small venue writes it; no look by any id finds one.
  const listed = (recordOf(order) as { order: unknown }).order;
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [listed] : []));
  for (let nth = 0; nth < 12; nth += 1) await rig.clock.advance(5_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", exchangeOrderId: String(order.oid) });
});

test("a trigger that the exchange never named waits on until a record under the fill's name has its terms", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "rests" }, { kind: "answers", json: "waitingForTrigger" });
  await rig.answerOf(rig.place("key-0000"));
  const { order: told } = await rig.answerOf(rig.place("key-0001", STOP));
  const [first] = rig.venue.orders;
  const id = String(told["id"]);
  const cloid = `0x${id.replaceAll("-", "")}`;
  if (first === undefined) throw new Error("nothing placed");
  const stage = { rig, id, order: { ...first, cloid, isBuy: false, price: "89.0" } };
  const placed = another(stage, {});
  await tellFill(stage, placed, { size: "0.25" });
  expect(legOf(stage)).toEqual({ oid: null, state: "armed", filled: "0" });
  showById(stage, { [OTHER_OID]: recordOf(placed) });
  await rig.clock.advance(2_000);
  expect(legOf(stage)).toEqual({ oid: String(OTHER_OID), state: "resting", filled: "0.25" });
});

test("fills that came before the answer count when the answer has named the order", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(async (body, venue, clock) => {
    const outcome = venue.take(body);
    await clock.sleep(500);
    return outcome;
  });
  const asked = rig.place("key-0001");
  asked.catch(() => undefined);
  for (let nth = 0; nth < 5; nth += 1) await rig.clock.advance(20);
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const { id } = rig.store.$client.query("SELECT id FROM orders").get() as { id: string };
  const stage = { rig, id, order };
  await tellFill(stage, order, { size: "0.25", price: "99.5" });
  expect(legOf(stage)).toEqual({ oid: String(order.oid), state: "sent", filled: "0" });
  await rig.answerOf(asked);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", filledSize: "0.25", averagePrice: "99.5" });
});

test.each([
  ["that rests", true],
  ["that no list shows (seed 2005669)", false],
])("another's order under the client order id of a stop that has fired, %s, is told, once", async (_name, isListed) => {
  const stage = await openStage(STOP);
  const { rig, id, order } = stage;
  const namesake = another(stage, { size: "0.3" });
  const fired = { ...(recordOf(order) as object), status: "triggered" };
  showById(stage, { [order.oid]: fired, [order.cloid]: recordOf(namesake) });
  rig.exchange.answer("frontendOpenOrders", () => (isListed ? [(recordOf(order) as { order: unknown }).order] : []));
  for (let nth = 0; nth < 4; nth += 1) {
    await rig.clock.advance(2_000);
    await rig.deps.settling.look(id);
  }
  const told = listNotes(rig.store, id).filter(({ what }) => what === "difference");
  expect(told.map(({ detail }) => detail)).toEqual([expect.stringContaining("0.3 instead of 1")]);
  expect(findOrder(rig.store, id)?.exchangeOrderId).toBe(String(order.oid));
});
