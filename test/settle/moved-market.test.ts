/** Markets that change places in the exchange's list: an order that rests can still be canceled. */
import { expect, test } from "bun:test";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import { buildUniverse, type Market } from "../../src/core/market.ts";
import type { OrderStatus } from "../../src/core/order.ts";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { openMarkets } from "../../src/exchange/markets.ts";
import { findOrder } from "../../src/store/orders.ts";
import { type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { scriptedExchange } from "../support/scripted-exchange.ts";
import { answered, recordOf, type SmallVenue } from "../support/small-venue.ts";

const MOVED_TO = 3;

/** Finds orders only under the number that the market has now. */
function underItsNewNumber(body: string, venue: SmallVenue): SendOutcome {
  const { action } = JSON.parse(body);
  if (action.type !== "cancel" || action.cancels[0].a === MOVED_TO) return venue.take(body);
  const error = `Order was never placed, already canceled, or filled. asset=${action.cancels[0].a}`;
  return answered({ status: "ok", response: { type: "cancel", data: { statuses: [{ error }] } } });
}

test("a cancel that finds nothing of an order that is shown open has the list read again, and goes by it", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const [btc] = rig.deps.markets.current()?.byName.values() ?? [];
  if (btc === undefined) throw new Error("no market");
  const moved: Market = { ...btc, assetId: MOVED_TO };
  const suspected: string[] = [];
  let universe = buildUniverse([btc], 0);
  Object.assign(rig.deps.markets, {
    current: () => universe,
    suspect: (market: string) => suspected.push(market),
    refresh: async () => {
      if (suspected.length > 0) universe = buildUniverse([moved], 0);
      return universe;
    },
  });
  rig.deliveries.push(...Array.from({ length: 20 }, () => underItsNewNumber));
  const canceled = await rig.answerOf(rig.cancel("key-0002", String(placed.order["id"])));
  expect([canceled.httpStatus, canceled.order["status"], rig.venue.orders[0]?.status]).toEqual([
    200,
    "canceled",
    "canceled",
  ]);
  expect(suspected).toEqual(["BTC"]);
});

test("a market that is doubted although its list has moved already is tried under both numbers", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const [btc] = rig.deps.markets.current()?.byName.values() ?? [];
  if (btc === undefined) throw new Error("no market");
  const universe = buildUniverse([{ ...btc, assetId: MOVED_TO }], 0);
  Object.assign(rig.deps.markets, {
    current: () => universe,
    doubt: () => undefined,
    isSuspected: () => true,
    refresh: async () => universe,
  });
  rig.deliveries.push(...Array.from({ length: 20 }, () => underItsNewNumber));
  const canceled = await rig.answerOf(rig.cancel("key-0002", String(placed.order["id"])));
  expect([canceled.httpStatus, canceled.order["status"], rig.venue.orders[0]?.status]).toEqual([
    200,
    "canceled",
    "canceled",
  ]);
  const numbers = rig.exchange.sent.map(({ body }) => JSON.parse(body).action.cancels?.[0].a ?? null);
  expect(numbers.filter((each) => each !== null)).toEqual([btc.assetId, MOVED_TO]);
});

const NAMES = ["BTC", "ETH", "ATOM", "SOL"];

/**
 * The gateway's own reading of the list, in which BTC stands where `place` says, or which cannot be read; cancels find it
 * under its new number alone.
 */
function readLists(rig: GatewayRig, place: () => number | null): void {
  const universe = () => {
    const at = place();
    if (at === null) return null;
    const names = NAMES.filter((name) => name !== "BTC").toSpliced(at, 0, "BTC");
    return { universe: names.map((name) => ({ name, szDecimals: 5, maxLeverage: 40 })) };
  };
  const exchange = scriptedExchange({
    infos: { perpDexs: () => [null], spotMeta: () => ({ universe: [], tokens: [] }), meta: universe },
  });
  Object.assign(rig.deps.markets, openMarkets({ exchange, dexes: [], clock: rig.clock }));
  rig.deliveries.push(...Array.from({ length: 60 }, () => underItsNewNumber));
}

test("seed 710805: a list that was first read after a cancel had found nothing is gone by", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const id = String(placed.order["id"]);
  let place: number | null = null;
  readLists(rig, () => place);
  expect((await rig.answerOf(rig.cancel("key-0002", id))).httpStatus).toBe(202);
  place = MOVED_TO;
  await rig.deps.markets.refresh();
  await rig.clock.advance(60_000);
  const canceled = await rig.answerOf(rig.cancel("key-0002", id));
  expect([canceled.httpStatus, canceled.order["status"]]).toEqual([200, "canceled"]);
  // The cancel contradicted no list.
  expect(rig.deps.markets.isSuspected("BTC")).toBe(false);
});

test("seed 710906: one that moved between two cancels is gone by, though no reading of this cancel saw it move", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const id = String(placed.order["id"]);
  let place = 0;
  readLists(rig, () => place);
  await rig.deps.markets.refresh();
  expect((await rig.answerOf(rig.cancel("key-0002", id))).httpStatus).toBe(202);
  await rig.clock.advance(40_000);
  place = MOVED_TO;
  await rig.deps.markets.refresh("urgently");
  expect(rig.deps.markets.current()?.byName.get("BTC")?.assetId).toBe(MOVED_TO);
  await rig.clock.advance(65_000);
  expect(await rig.answerOf(rig.cancel("key-0002", id))).toMatchObject({
    httpStatus: 200,
    order: { status: "canceled" },
  });
});

test("seed 707933: what a list of open orders holds is not over because cancels under a wrong number find nothing", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const id = String(placed.order["id"]);
  let place = 0;
  readLists(rig, () => place);
  // Its record is behind for long.
  rig.venue.isBlind = true;
  expect((await rig.answerOf(rig.cancel("key-0002", id))).httpStatus).toBe(202);
  await rig.clock.advance(120_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", error: null });
  place = MOVED_TO;
  await rig.clock.advance(120_000);
  rig.venue.isBlind = false;
  await rig.clock.advance(60_000);
  expect(await rig.answerOf(rig.cancel("key-0002", id))).toMatchObject({
    httpStatus: 200,
    order: { status: "canceled" },
  });
});

const MISSES: [string, boolean, OrderStatus][] = [
  ["and no list holds anything newer, is told as it is known", false, "open"],
  ["and a newer list lacks, is over", true, "unknown"],
];

test.each(MISSES)(
  "an order that nothing shows, that cancels by two lists of markets do not find, %s",
  async (_name, isNewer, told) => {
    const rig = openGatewayRig({ areFillsRead: false });
    const { order } = await rig.answerOf(rig.place("key-0001"));
    const id = String(order["id"]);
    let read = 0;
    readLists(rig, () => {
      read += 1;
      return read <= 3 ? 0 : null;
    });
    await rig.deps.markets.refresh();
    const [gone] = rig.venue.orders.splice(0);
    if (gone === undefined) throw new Error("nothing placed");
    const placedAtMs = rig.clock.nowMs() + 60_000;
    if (isNewer) rig.venue.orders.push({ ...gone, oid: 9_000, cloid: "0x9", statusAtMs: placedAtMs, placedAtMs });
    expect((await rig.answerOf(rig.cancel("key-0002", id))).httpStatus).toBe(202);
    await rig.clock.advance(120_000);
    expect(findOrder(rig.store, id)?.status).toBe(told);
  },
);

const UNREADABLE = answered({ status: "ok", response: { type: "cancel", data: { statuses: [] } } });

/** The cancel was carried out, and its answer is none. */
function carriedOutUnsaid(body: string, venue: SmallVenue): SendOutcome {
  venue.take(body);
  return UNREADABLE;
}

test("a record from before the cancel that ended its order contradicts no list of markets, however often it is canceled", async () => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const id = String(order["id"]);
  readLists(rig, () => 0);
  rig.deliveries.splice(0);
  await rig.deps.markets.refresh();
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  // Every store is a minute behind.
  const before = structuredClone(placed);
  let isBehind = true;
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: recordOf(isBehind ? before : placed) }));
  const sent = rig.exchange.sent.length;
  rig.deliveries.push(carriedOutUnsaid);
  expect((await rig.answerOf(rig.cancel("key-0002", id))).httpStatus).toBe(202);
  for (let second = 0; second < 60; second += 1) {
    await rig.clock.advance(1_000);
    expect(rig.deps.markets.doubtOf("BTC")).toBeNull();
  }
  expect(rig.exchange.sent.length - sent).toBeGreaterThan(3);
  isBehind = false;
  await rig.clock.advance(60_000);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled" });
});

test("an order that is shown open minutes after a cancel did not find it contradicts the list", async () => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  readLists(rig, () => 0);
  await rig.deps.markets.refresh();
  expect((await rig.answerOf(rig.cancel("key-0002", String(order["id"])))).httpStatus).toBe(202);
  await rig.clock.advance(BEHIND_MS - 5_000);
  expect(rig.deps.markets.doubtOf("BTC")).toBeNull();
  let isDoubted = false;
  for (let second = 0; second < 120 && !isDoubted; second += 1) {
    await rig.clock.advance(1_000);
    isDoubted = rig.deps.markets.doubtOf("BTC") !== null;
  }
  expect(isDoubted).toBe(true);
});
