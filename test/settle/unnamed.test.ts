/** Triggers whose answers name no native id: named by whatever shows them, and over by what goes past them. */
import { expect, test } from "bun:test";
import { cancelOrder } from "../../src/actions/cancel-order.ts";
import { listOrders } from "../../src/actions/list-orders.ts";
import { modifyOrder } from "../../src/actions/modify-order.ts";
import { listOpenOrders } from "../../src/actions/open-orders.ts";
import { decimal } from "../../src/core/decimal.ts";
import { insertHole } from "../../src/store/fill-holes.ts";
import { insertFills, type StoredFill, setFillCursor } from "../../src/store/fills.ts";
import { insertLeg, listLegs } from "../../src/store/legs.ts";
import { findOrder } from "../../src/store/orders.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { answered, type BookOrder, recordOf } from "../support/small-venue.ts";

const STOP = { side: "sell", price: "80", trigger: { price: "90", kind: "stop_loss", market: true } } as const;

/** A stop that the exchange took without naming it, and of which it shows no record by id. */
async function unnamed(): Promise<{ rig: GatewayRig; id: string; order: BookOrder }> {
  const rig = openGatewayRig();
  rig.deliveries.push((body, venue) => {
    venue.take(body);
    return answered({ status: "ok", response: { type: "order", data: { statuses: ["waitingForTrigger"] } } });
  });
  const { order: told } = await rig.answerOf(rig.place("key-0001", STOP));
  expect(told).toMatchObject({ status: "waiting_for_trigger", exchange_order_id: null });
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  rig.venue.isBlind = true;
  return { rig, id: String(told["id"]), order };
}

function nameOf(rig: GatewayRig, id: string): string | null {
  return findOrder(rig.store, id)?.exchangeOrderId ?? null;
}

async function sweep({ settler }: GatewayRig): Promise<void> {
  await settler.tools.sweeps.read({ user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id }, { purpose: "settle" });
}

const READERS: [string, (rig: GatewayRig) => Promise<unknown>][] = [
  ["a sweep that another order asked for", sweep],
  [
    "a list of open orders that a client asked for",
    ({ deps }) => listOpenOrders(deps, ACCOUNT, { reader: { reader: "a client" }, dex: null, below: null, count: 10 }),
  ],
  [
    "a reading of the list after a gap",
    async (rig) => {
      // Nothing is found by a look of its own.
      const settling = { ...rig.deps.settling, look: async () => "failed" as const };
      const { follower } = openFollowing(rig.deps, settling);
      await follower.resync("all");
      follower.stop();
    },
  ],
  [
    "a modify of another order",
    async (rig) => {
      // No sweep of its own can be read.
      rig.venue.failing.add("historicalOrders");
      const { order } = await rig.answerOf(rig.place("key-0002"));
      const wanted = {
        idempotencyKey: "key-0003",
        fingerprint: "f",
        id: String(order["id"]),
        price: "101",
        size: null,
        trigger: null,
      };
      await rig.answerOf(modifyOrder(rig.deps, rig.caller, { ...wanted, alwaysPlace: false }));
    },
  ],
];

test.each(READERS)("%s names it", async (_name, read) => {
  const { rig, id, order } = await unnamed();
  await read(rig);
  expect(nameOf(rig, id)).toBe(String(order.oid));
});

test("it is in the list of open orders before anything has named it, and once", async () => {
  const { rig, id } = await unnamed();
  const { order: other } = await rig.answerOf(rig.place("key-0002"));
  rig.exchange.answer("frontendOpenOrders", () => []);
  const page = { reader: { reader: "a client" }, dex: null, below: null, count: 10 };
  const first = await listOpenOrders(rig.deps, ACCOUNT, page);
  expect(first.orders.map((each) => [each.id, each.exchangeOrderId])).toEqual([
    [id, null],
    [String(other["id"]), expect.any(String)],
  ]);
  expect((await listOpenOrders(rig.deps, ACCOUNT, { ...page, below: 2n ** 64n })).orders).toHaveLength(1);
});

test.each([1, 2, 3])("several of them are in the pages of that list, %i in each, each once", async (limit) => {
  const { rig, id } = await unnamed();
  const ids = [id];
  for (const key of ["key-0002", "key-0003"]) {
    rig.deliveries.push((body, venue) => {
      venue.take(body);
      return answered({ status: "ok", response: { type: "order", data: { statuses: ["waitingForTrigger"] } } });
    });
    ids.push(String((await rig.answerOf(rig.place(key, STOP))).order["id"]));
  }
  ids.push(String((await rig.answerOf(rig.place("key-0004"))).order["id"]));
  rig.exchange.answer("frontendOpenOrders", () => []);
  const shown: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await listOrders(rig.deps, rig.caller, { status: "open", dex: null, cursor, limit });
    // Our own text of a list.
    const told = JSON.parse(page.body) as { data: { id: string }[]; next_cursor: string | null };
    shown.push(...told.data.map((order) => order.id));
    cursor = told.next_cursor;
  } while (cursor !== null && shown.length <= ids.length);
  // Newest first, and what has a native id after all that have none.
  expect(shown).toEqual([...ids.slice(0, 3).toReversed(), ...ids.slice(3)]);
});

test("a cancel of it does not wait for a list that does not come", async () => {
  const { rig, id } = await unnamed();
  rig.exchange.answer("frontendOpenOrders", () => new Promise(() => undefined));
  const wanted = { idempotencyKey: "key-0009", fingerprint: "f", id };
  const canceled = rig.answerOf(cancelOrder(rig.deps, rig.caller, wanted));
  await rig.clock.advance(1_500);
  expect(rig.exchange.sent.filter(({ body }) => body.includes("cancelByCloid"))).toHaveLength(1);
  rig.exchange.answer("frontendOpenOrders", () => []);
  await canceled;
});

test("seed 705198: a history that has lost it by the time at which it is looked for has named it before, and it ends", async () => {
  const { rig, id, order } = await unnamed();
  rig.venue.orders.length = 0;
  rig.venue.history = [recordOf({ ...order, status: "canceled" })];
  await sweep(rig);
  expect(nameOf(rig, id)).toBe(String(order.oid));
  rig.venue.history = [];
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000);
  goOn(rig, order);
  await lookSometimes(rig, id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", filledSize: "0" });
});

test("what it has placed by firing stands beside it under a native id of its own, and it keeps the first", async () => {
  const { rig, id, order } = await unnamed();
  rig.venue.orders.length = 0;
  const placed = { ...order, oid: 5_000, placedAtMs: order.placedAtMs + 1_000, isTrigger: false };
  rig.venue.history = [recordOf(placed), recordOf({ ...order, status: "triggered" })];
  await sweep(rig);
  expect(nameOf(rig, id)).toBe(String(order.oid));
});

test.each([
  ["of another side", { isBuy: true }],
  ["of another size", { size: "2.0" }],
  ["of another client order id", { cloid: `0x${"77".repeat(16)}` }],
])("an order %s does not name it", async (_name, other) => {
  const { rig, id, order } = await unnamed();
  Object.assign(order, other);
  await sweep(rig);
  expect(nameOf(rig, id)).toBeNull();
});

/** An open order of the account that is newer than the first look that missed the other one. */
function goOn(rig: GatewayRig, order: BookOrder): void {
  const nowMs = rig.clock.nowMs() + 25_000;
  rig.venue.orders.push({ ...order, oid: 9_000, cloid: "0x9", statusAtMs: nowMs, placedAtMs: nowMs });
}

async function lookSometimes(rig: GatewayRig, id: string): Promise<void> {
  for (let nth = 0; nth < 8; nth += 1) {
    await rig.clock.advance(11_000);
    await rig.deps.settling.look(id, "settle");
  }
}

/** Over, and forgotten before anything showed it; its time is read to the end. */
async function neverShown() {
  const { rig, id, order } = await unnamed();
  rig.venue.orders.length = 0;
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000);
  return { rig, id, order };
}

test("one that nothing ever showed is not over by a list where some of its fills may lack", async () => {
  const { rig, id, order } = await neverShown();
  insertHole(rig.store, { accountId: ACCOUNT.id, orderIds: [], timeMs: START_MS + 1_000, atMs: START_MS });
  rig.exchange.answer("clearinghouseState", () => null);
  await lookSometimes(rig, id);
  goOn(rig, order);
  await lookSometimes(rig, id);
  expect(findOrder(rig.store, id)?.status).toBe("unknown");
});

test("seed 710583: one that nothing ever showed is over by two lists that hold something newer, as canceled", async () => {
  const { rig, id, order } = await neverShown();
  await lookSometimes(rig, id);
  expect(findOrder(rig.store, id)?.status).toBe("waiting_for_trigger");
  goOn(rig, order);
  await lookSometimes(rig, id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "canceled", exchangeOrderId: null, filledSize: "0" });
});

// biome-ignore format: a table is read by its columns
const NAMESAKES: [string, Partial<BookOrder>, "canceled" | "waiting_for_trigger"][] = [
  ["another's order: it is over all the same", { isBuy: true, isTrigger: false, size: "3" }, "canceled"],
  ["just what was asked for: that is it",      {},                                           "waiting_for_trigger"],
];

test.each(NAMESAKES)("seed 87261: a newer list has %s", async (_name, other, status) => {
  const { rig, id, order } = await neverShown();
  rig.venue.isBlind = false;
  rig.venue.orders.push({ ...order, oid: 7_000, ...other });
  goOn(rig, order);
  await lookSometimes(rig, id);
  expect(findOrder(rig.store, id)?.status).toBe(status);
});

const FILL: StoredFill = {
  accountId: ACCOUNT.id,
  id: "1-BTC-1",
  timeMs: START_MS,
  market: "BTC",
  oid: "77",
  side: "sell",
  price: decimal("85"),
  size: decimal("1"),
  isTaker: true,
  fee: decimal("0"),
  feeToken: "USDC",
  builderFee: null,
  realizedPnl: decimal("0"),
  startPosition: decimal("0"),
  direction: "Open Short",
  twapId: null,
  isLiquidation: false,
  transactionHash: "0x00",
};

const FILLS: [string, Partial<StoredFill>, string][] = [
  ["of an order that is not known", {}, "unknown"],
  ["of the other side", { side: "buy" }, "canceled"],
  ["of another market", { market: "ETH" }, "canceled"],
  ["of a TWAP", { twapId: "5" }, "canceled"],
  ["of before it was signed", { timeMs: START_MS - 60_000 }, "canceled"],
  ["of another order of ours", { oid: "1002" }, "canceled"],
  ["of what a modify of ours has placed", { oid: "1003" }, "canceled"],
];

test.each(FILLS)("beside a fill %s it ends only where that cannot be its own", async (_name, some, status) => {
  const { rig, id, order } = await neverShown();
  const { order: other } = await rig.answerOf(rig.place("key-0002"));
  expect(rig.venue.orders[0]?.oid).toBe(1_002);
  const [leg] = listLegs(rig.store, String(other["id"]));
  if (leg === undefined) throw new Error("an order without a leg");
  insertLeg(rig.store, { ...leg, cloid: `0x${"33".repeat(16)}`, oid: "1003", ordinal: 1 });
  insertFills(rig.store, [{ ...FILL, ...some }], { atMs: START_MS, toldFromMs: 0 });
  goOn(rig, order);
  await lookSometimes(rig, id);
  expect(String(findOrder(rig.store, id)?.status)).toBe(status);
});

test("nor beside one that is not in the index yet", async () => {
  const { rig, id, order } = await neverShown();
  goOn(rig, order);
  const [newer] = rig.venue.orders;
  if (newer === undefined) throw new Error("nothing newer");
  // The sweep reads fills from the oldest open attempt on, or from now.
  rig.venue.orders.push({ ...newer, oid: 9_001, cloid: "0x8", status: "filled", fills: [] });
  for (let nth = 0; nth < 8; nth += 1) {
    await rig.clock.advance(11_000);
    rig.venue.orders[1]?.fills.push({ size: "0.1", atMs: rig.clock.nowMs(), tid: nth, isShown: true });
    await rig.deps.settling.look(id, "settle");
  }
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", filledSize: null });
});
