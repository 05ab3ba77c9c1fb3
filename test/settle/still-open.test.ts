/** Orders that are told as over although nothing has ended them, or as untouched although they were filled. */
import { expect, test } from "bun:test";
import { setFillCursor } from "../../src/store/fills.ts";
import { findOrder } from "../../src/store/orders.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";

async function placed(): Promise<{ rig: GatewayRig; id: string; order: BookOrder }> {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  return { rig, id: String(shown["id"]), order };
}

async function lookSometimes(rig: GatewayRig, id: string, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    await rig.clock.advance(11_000);
    await rig.deps.settling.look(id, "settle");
  }
}

/** Shape of the small venue. */
function listedOf(order: BookOrder): object {
  return (recordOf(order) as { order: object }).order;
}

test("the list of one dex says nothing of an order in another, whose own list is behind", async () => {
  const { rig, id, order } = await placed();
  expect(order.status).toBe("open");
  // Records and history are behind, and so is the list of its dex; that of xyz is fresh and holds newer orders.
  rig.venue.isBlind = true;
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => {
    const nowMs = rig.clock.nowMs();
    const other = { ...order, oid: 9_000, cloid: "0x9", placedAtMs: nowMs };
    return dex === "xyz" ? [{ ...listedOf(other), coin: "xyz:TSLA" }] : [];
  });
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000);
  await lookSometimes(rig, id, 4);
  // All stores have caught up.
  rig.venue.isBlind = false;
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [listedOf(order)] : []));
  await lookSometimes(rig, id, 4);
  expect(order.status).toBe("open");
  expect(findOrder(rig.store, id)?.status).toBe("open");
});

test("fills that are complete up to a miss of long ago are not all fills of today", async () => {
  const { rig, id, order } = await placed();
  // Just placed: one look finds it nowhere.
  rig.venue.isBlind = true;
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("frontendOpenOrders", () => []);
  await rig.deps.settling.look(id, "settle");
  // For an hour every store shows it open.
  rig.venue.isBlind = false;
  rig.exchange.answer("frontendOpenOrders", () => rig.venue.orders.filter((o) => o.status === "open").map(listedOf));
  for (let nth = 0; nth < 60; nth += 1) {
    await rig.clock.advance(60_000);
    expect(await rig.deps.settling.look(id, "settle")).toBe("open");
  }
  // The index of fills is complete up to half an hour ago.
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 1_800_000);
  // Now it is filled whole: its record and its fills are shown a minute late, its list at once.
  rig.venue.fill(order, "1");
  for (const fill of order.fills) fill.isShown = false;
  rig.venue.close(order, "filled");
  rig.venue.isBlind = true;
  const nowMs = rig.clock.nowMs();
  const newer = { ...order, oid: 9_000, cloid: "0x9", placedAtMs: nowMs, status: "open", fills: [] };
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [listedOf(newer)] : []));
  await lookSometimes(rig, id, 3);
  // The position has moved as well, which is not asked.
  expect(findOrder(rig.store, id)?.status).not.toBe("canceled");
});

test("an order that lives through its first miss and is filled after it is not told as canceled with nothing filled", async () => {
  const { rig, id, order } = await placed();
  // Records are behind by minutes throughout.
  rig.venue.isBlind = true;
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("frontendOpenOrders", () => []);
  await rig.deps.settling.look(id, "settle");
  await rig.clock.advance(5_000);
  // Another order of the account fills: the index is complete up to here, after the miss and before what follows.
  setFillCursor(rig.store, ACCOUNT.id, rig.clock.nowMs());
  await rig.clock.advance(5_000);
  rig.venue.fill(order, "1");
  for (const fill of order.fills) fill.isShown = false;
  rig.venue.close(order, "filled");
  const newer = { ...order, oid: 9_000, cloid: "0x9", placedAtMs: rig.clock.nowMs(), status: "open", fills: [] };
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [listedOf(newer)] : []));
  await lookSometimes(rig, id, 3);
  expect(findOrder(rig.store, id)?.status).not.toBe("canceled");
});

test("an order that is over ends although the history still has the row of its placing", async () => {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const id = String(shown["id"]);
  const placing = recordOf(order);
  await rig.clock.advance(60_000);
  // Closed elsewhere: the row of its end is lost, as is its record; that of its placing is kept.
  rig.venue.orders.length = 0;
  rig.venue.history = [placing];
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000_000);
  const hour = 3_600_000;
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => {
    const placedAtMs = rig.clock.nowMs() - 1_000;
    return dex === "" ? [listedOf({ ...order, oid: 9_000, cloid: "0x9", placedAtMs, status: "open" })] : [];
  });
  // A client cancels it: cancels find nothing either, for an hour.
  await rig.answerOf(rig.cancel("key-0002", id));
  await rig.clock.advance(hour);
  await lookSometimes(rig, id, 5);
  expect(findOrder(rig.store, id)?.status).toBe("canceled");
});

test("a list from before an order's placing says nothing of it, however late our idea of the time is", async () => {
  const rig = openGatewayRig();
  const { nowMs } = rig.exchange;
  // Nine seconds behind, as one server's clock may be: actions with twelve seconds of life are taken.
  Object.assign(rig.exchange, { nowMs: () => nowMs() - 9_000 });
  await rig.answerOf(rig.place("key-0001"));
  await rig.clock.advance(2_000);
  const { order: shown } = await rig.answerOf(rig.place("key-0002"));
  const [older, order] = rig.venue.orders;
  if (older === undefined || order === undefined) throw new Error("nothing placed");
  const id = String(shown["id"]);
  // Every store is of the second between the two placings.
  rig.venue.isBlind = true;
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [listedOf(older)] : []));
  await rig.deps.settling.look(id, "settle");
  setFillCursor(rig.store, ACCOUNT.id, nowMs());
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.clock.advance(11_000);
    await rig.deps.settling.look(id, "settle");
  }
  expect(order.status).toBe("open");
  expect(findOrder(rig.store, id)?.status).toBe("open");
});
