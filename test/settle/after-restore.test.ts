import { expect, test } from "bun:test";
import { cloidOf } from "../../src/core/cloid.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Sweep } from "../../src/settle/look/sweep.ts";
import { takeUpAccounts } from "../../src/settle/restore/after-restore.ts";
import { findOwn } from "../../src/settle/restore/own-orders.ts";
import { listAgents, markAgentApproved } from "../../src/store/agents.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { findAttemptByCloid } from "../../src/store/attempts.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { findOrder, type StoredOrder } from "../../src/store/orders.ts";
import { awaitsTakeUp, findAdoption, findTakeUp, markRestored } from "../../src/store/restores.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { keyDigitsOfCloid, mintOrderId } from "../../src/wire/order-id.ts";
import { ACCOUNT, DELIVERY, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { type BookOrder, smallVenue } from "../support/small-venue.ts";
import { stillClock } from "../support/still-clock.ts";

/** Restored at the moment, with its agent approved anew and its key kept; taken up in the background. */
function restored(rig: GatewayRig, look = rig.settler.look): { stop(): void } {
  const { store, clock } = rig;
  markRestored(store, clock.nowMs());
  for (const { address } of listAgents(store)) {
    markAgentApproved(store, address, { approvedAtMs: clock.nowMs(), validUntilMs: null });
  }
  setKeyState(store, rig.caller.key.keyHash, "active", clock.nowMs());
  let isStopped = false;
  const index = { backFill: async () => true, add: () => undefined, addRead: () => undefined, readToMs: () => null };
  void takeUpAccounts({ settler: { ...rig.settler, look }, index, isStopped: () => isStopped });
  return {
    stop: () => {
      isStopped = true;
    },
  };
}

/** An order that the lost machine placed under a key, `agoMs` before now. */
function placedElsewhere(rig: GatewayRig, idempotencyKey: string, some: Partial<BookOrder> = {}): BookOrder {
  const { tag, secret } = rig.deps.instance;
  const nowMs = rig.clock.nowMs();
  const id = mintOrderId({ nowMs, instanceTag: tag, secret, accountId: ACCOUNT.id, idempotencyKey, bot: null });
  const plain = { isBuy: true, price: "100", size: "1", tif: "Gtc", reduceOnly: false, isTrigger: false, fills: [] };
  const times = { placedAtMs: nowMs, statusAtMs: nowMs };
  const order = {
    oid: 7_000 + rig.venue.orders.length,
    cloid: cloidOf(id),
    status: "open",
    ...plain,
    ...times,
    ...some,
  };
  rig.venue.orders.push(order);
  return order;
}

function isWaiting({ store }: GatewayRig): boolean {
  return awaitsTakeUp(store, ACCOUNT.id);
}

/** The row that it has become. */
function foundOf({ store }: GatewayRig, { cloid }: BookOrder): StoredOrder | null {
  return findOrder(store, findAdoption(store, ACCOUNT.id, keyDigitsOfCloid(cloid))?.orderId ?? "");
}

/** What the audit log says of the taking up. */
function told({ store }: GatewayRig): unknown {
  const row = store
    .select()
    .from(audit)
    .all()
    .find(({ event }) => event === "account_taken_up");
  return row === undefined ? null : JSON.parse(row.detail);
}

test("nothing is taken up before the exchange's own time has passed what the lost machine signed", async () => {
  const rig = openGatewayRig();
  restored(rig);
  rig.venue.stuckAtMs = START_MS + 14_000;
  await rig.clock.advance(120_000);
  expect(isWaiting(rig)).toBe(true);
  const late = placedElsewhere(rig, "late-order");
  rig.venue.stuckAtMs = null;
  await rig.clock.advance(20_000);
  expect(isWaiting(rig)).toBe(false);
  expect(findAdoption(rig.store, ACCOUNT.id, keyDigitsOfCloid(late.cloid))).toMatchObject({ hasTerms: true });
  expect(told(rig)).toEqual({ orders: 1, reaches_back: true });
});

test.each(["historicalOrders", "frontendOpenOrders", "userFillsByTime", "clearinghouseState"])(
  "nothing is taken up while %s cannot be read",
  async (type) => {
    const rig = openGatewayRig();
    restored(rig);
    rig.venue.failing.add(type);
    await rig.clock.advance(100_000);
    expect(isWaiting(rig)).toBe(true);
    rig.venue.failing.clear();
    await rig.clock.advance(20_000);
    expect(isWaiting(rig)).toBe(false);
  },
);

test("what only one of the readings shows is found as well", async () => {
  const rig = openGatewayRig();
  restored(rig);
  await rig.clock.advance(16_500);
  const early = placedElsewhere(rig, "seen-once");
  await rig.clock.advance(2_100);
  rig.venue.orders.splice(rig.venue.orders.indexOf(early), 1);
  await rig.clock.advance(20_000);
  expect(isWaiting(rig)).toBe(false);
  expect(findAdoption(rig.store, ACCOUNT.id, keyDigitsOfCloid(early.cloid))).not.toBeNull();
});

test("what carries another instance's tag is not found, and what is comes in the order in which it was placed", async () => {
  const rig = openGatewayRig();
  const [first, , second] = [
    placedElsewhere(rig, "first-one"),
    await rig.clock.advance(10),
    placedElsewhere(rig, "next-one"),
  ];
  const { tag, secret } = rig.deps.instance;
  const of = { nowMs: START_MS, secret, accountId: ACCOUNT.id, idempotencyKey: "of-another", bot: null };
  const foreign = cloidOf(mintOrderId({ ...of, instanceTag: tag + 1 }));
  // Of an order that is listed no more is asked for than its name.
  const open = [second, { ...second, cloid: foreign }, first] as unknown as Sweep["open"];
  const { unknown } = findOwn(rig.deps, ACCOUNT, [{ open, history: [], fills: [] }]);
  expect(unknown.map(({ cloid }) => cloid)).toEqual([first.cloid, second.cloid]);
});

test("of what a reading shows open and a later one over, the later one is told", async () => {
  const rig = openGatewayRig();
  restored(rig);
  await rig.clock.advance(16_500);
  const early = placedElsewhere(rig, "over-since");
  await rig.clock.advance(2_100);
  Object.assign(early, { status: "canceled", statusAtMs: rig.clock.nowMs() });
  await rig.clock.advance(20_000);
  expect(foundOf(rig, early)).toMatchObject({ status: "canceled", filledSize: "0" });
});

test("what is over, and was never filled, is found by the history alone", async () => {
  const rig = openGatewayRig();
  const over = placedElsewhere(rig, "over-by-then", { status: "canceled" });
  restored(rig);
  await rig.clock.advance(40_000);
  expect(foundOf(rig, over)).toMatchObject({ status: "canceled", filledSize: "0" });
});

test("of an order that is older than the history its fills are enough", async () => {
  const clock = stillClock(START_MS);
  const venue = smallVenue(() => START_MS + clock.elapsedMs());
  venue.infos = { ...venue.infos, historicalOrders: () => [] };
  const rig = openGatewayRig({ clock, venue });
  const gone = placedElsewhere(rig, "fills-only", { status: "filled" });
  venue.fill(gone, "0.4");
  restored(rig);
  await clock.advance(30_000);
  expect(findAdoption(rig.store, ACCOUNT.id, keyDigitsOfCloid(gone.cloid))).toMatchObject({ hasTerms: false });
  const again = await rig.answerOf(rig.place("fills-only"));
  expect(again).toMatchObject({ httpStatus: 201, order: { status: "filled", filled_size: "0.4" } });
  expect(again.order["error"]).toContain("no record that old");
  expect(rig.exchange.sent).toEqual([]);
  await expect(rig.place("fills-only", { side: "sell" })).rejects.toMatchObject({ code: "idempotency_key_reused" });
});

test("a history that does not reach back to the snapshot is told", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("before-it"));
  await rig.clock.advance(86_400_000);
  const other = placedElsewhere(rig, "another-one", { status: "canceled" });
  const row = { coin: "BTC", side: "B", limitPx: "1", sz: "1", oid: 1, timestamp: other.placedAtMs, isTrigger: false };
  const plain = { triggerCondition: "N/A", triggerPx: "0.0", children: [], isPositionTpsl: false, reduceOnly: false };
  const order = { ...row, ...plain, orderType: "Limit", origSz: "1", tif: "Gtc", cloid: null };
  rig.venue.history = Array.from({ length: 2_000 }, () => {
    return { order, status: "canceled", statusTimestamp: other.statusAtMs };
  });
  // The order of before is no longer among the newest.
  rig.venue.orders.shift();
  restored(rig);
  await rig.clock.advance(30_000);
  expect(told(rig)).toMatchObject({ reaches_back: false });
});

test("a key that was given back after the snapshot answers with what it placed then", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.neverArrived);
  rig.stopAt.add("after_intent");
  void rig.place("given-back").catch(() => undefined);
  await rig.clock.advance(100);
  const next = await rig.restart();
  const placed = placedElsewhere(next, "given-back");
  restored(next);
  await next.clock.advance(60_000);
  const again = await next.answerOf(next.place("given-back"));
  expect(again).toMatchObject({ httpStatus: 201, order: { status: "open", exchange_order_id: String(placed.oid) } });
  expect(next.exchange.sent).toEqual([]);
});

test("what the database signed itself is not found a second time", async () => {
  const rig = openGatewayRig();
  const own = await rig.answerOf(rig.place("known-order"));
  restored(rig);
  await rig.clock.advance(30_000);
  expect(told(rig)).toEqual({ orders: 0, reaches_back: true });
  expect(findKeyRecord(rig.store, ACCOUNT.id, "known-order")?.answer?.body).toBe(own.body);
});

test("an order found is a row with the exchange's word for everything, and a story", async () => {
  const rig = openGatewayRig();
  const placed = placedElsewhere(rig, "found-order", { isBuy: false, price: "101.5", size: "2" });
  rig.venue.fill(placed, "0.5");
  restored(rig);
  await rig.clock.advance(30_000);
  expect(foundOf(rig, placed)).toMatchObject({
    createdAtMs: START_MS,
    side: "sell",
    size: "2",
    price: "101.5",
    status: "open",
    exchangeOrderId: String(placed.oid),
    filledSize: decimal("0.5"),
  });
  expect(findAttemptByCloid(rig.store, placed.cloid)).toBeNull();
  expect(findTakeUp(rig.store, ACCOUNT.id)?.takenUpAtMs).toBeGreaterThan(START_MS);
});

test("a gateway that is stopped meanwhile takes nothing up", async () => {
  const rig = openGatewayRig();
  const taking = restored(rig);
  await rig.clock.advance(10_000);
  taking.stop();
  await rig.clock.advance(60_000);
  expect(isWaiting(rig)).toBe(true);
  expect(told(rig)).toBeNull();
});

/** Its record tells of fills that nothing shows. */
const UNFINISHED = { status: "filled", fills: [] };

test("a look at what was taken up that fails is said, and the others are looked at twice all the same", async () => {
  const rig = openGatewayRig();
  const looked: string[] = [];
  const { stop } = restored(rig, async (orderId) => {
    looked.push(orderId);
    throw new Error("the database is locked");
  });
  const placed = [placedElsewhere(rig, "first-order", UNFINISHED), placedElsewhere(rig, "second-order", UNFINISHED)];
  await rig.clock.advance(40_000);
  const ids = placed.map((order) => foundOf(rig, order)?.id ?? "").toSorted();
  expect(looked.toSorted()).toEqual([...ids, ...ids].toSorted());
  expect(rig.log.filter(({ message }) => message === "an order that was taken up could not be looked at")).toHaveLength(
    4,
  );
  stop();
});

test("a gateway that is stopped looks at nothing that it has taken up", async () => {
  const rig = openGatewayRig();
  let looks = 0;
  const { stop } = restored(rig, async () => {
    looks += 1;
    stop();
    return "open";
  });
  placedElsewhere(rig, "first-order", UNFINISHED);
  placedElsewhere(rig, "second-order", UNFINISHED);
  await rig.clock.advance(40_000);
  expect(looks).toBe(1);
});
