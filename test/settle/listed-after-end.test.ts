/** The exchange has told the end of an order that rests, and lists of open orders show it, where no feed is live. */
import { expect, test } from "bun:test";
import { adoptOutside } from "../../src/actions/adopt-outside.ts";
import { cancelOutside } from "../../src/actions/cancel-outside.ts";
import type { CancelAll } from "../../src/core/cancel-all.ts";
import type { Stop } from "../../src/core/stop.ts";
import type { Follower } from "../../src/settle/feed/follow.ts";
import { openStopper } from "../../src/settle/stop/stopper.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findOrder } from "../../src/store/orders.ts";
import { insertStop } from "../../src/store/stops.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, DELIVERY, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

const RESYNC_MS = 30_000;

/** An order that rests, of which record, list and history have said at once that it is over; they are right again. */
async function endedWrongly(rig: GatewayRig) {
  const placed = await rig.answerOf(rig.place("key-0000-0001"));
  const id = String(placed.order["id"]);
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const wrong = recordOf({ ...order, status: "canceled" });
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: wrong }));
  rig.exchange.answer("historicalOrders", () => [wrong]);
  rig.exchange.answer("frontendOpenOrders", () => []);
  const asked = rig.deps.settling.look(id, "read");
  await rig.clock.advance(2_000);
  await asked;
  await rig.deps.settling.look(id, "read");
  for (const [type, right] of Object.entries(rig.venue.infos)) rig.exchange.answer(type, right);
  return { id, order };
}

/** The regular reads of a gateway without a feed. */
async function passed(rig: GatewayRig, follower: Follower, minutes: number): Promise<void> {
  for (let nth = 0; nth < minutes * 2; nth += 1) {
    await rig.clock.advance(RESYNC_MS);
    await follower.resync("not_live");
  }
}

function listReads({ exchange }: GatewayRig): number {
  return exchange.asked.filter(({ request: { type, dex } }) => type === "frontendOpenOrders" && dex === "").length;
}

test("an end that was told is held against the list though nothing lives and no feed tells", async () => {
  const rig = openGatewayRig();
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  const { id } = await endedWrongly(rig);
  expect([findOrder(rig.store, id)?.status, findOrder(rig.store, id)?.error]).toEqual(["canceled", null]);
  await passed(rig, follower, 4);
  expect(findOrder(rig.store, id)?.error).toContain("ALARM: the exchange shows the order as open");
});

test("a list that bears an end out is read for as long as a server may be behind, and no longer", async () => {
  const rig = openGatewayRig();
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  await passed(rig, follower, 10);
  const { id, order } = await endedWrongly(rig);
  rig.venue.close(order, "canceled");
  const quiet = listReads(rig);
  const counts = [];
  for (const minutes of [1, 2, 7]) {
    await passed(rig, follower, minutes);
    counts.push(listReads(rig) - quiet);
  }
  expect([counts, findOrder(rig.store, id)?.error]).toEqual([[2, 5, 5], null]);
});

test("what lists show open after its end is canceled by its own id, and the answer is the order as it reads", async () => {
  const rig = openGatewayRig();
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  const { id, order } = await endedWrongly(rig);
  const unsent = await rig.answerOf(rig.cancel("cancel-0000-0001", id));
  await passed(rig, follower, 4);
  expect([unsent.httpStatus, order.status, rig.exchange.sent.length]).toEqual([200, "open", 1]);
  const canceled = await rig.answerOf(rig.cancel("cancel-0000-0002", id));
  expect([canceled.httpStatus, canceled.order["status"], order.status]).toEqual([200, "canceled", "canceled"]);
  expect(canceled.order["error"]).toContain("ALARM: the exchange shows the order as open");
});

const STOP: Stop = {
  id: "01a21f1b-0000-7472-b94f-c406016b9da1",
  accountId: ACCOUNT.id,
  scope: "account",
  keyHash: null,
  cause: "asked",
  keepsProtection: true,
  upTo: 0,
  createdAtMs: START_MS,
  outsideAtMs: null,
  stoppedAtMs: null,
  resumedAtMs: null,
};
// The rest of the row is not asked for.
const CANCEL_ALL = { id: "c", market: null, side: null, touches: "all", keepsProtection: true } as CancelAll;

test.each<[string, (rig: GatewayRig) => Promise<boolean>]>([
  ["a stop of the account", ({ deps }) => cancelOutside(deps, STOP, ACCOUNT)],
  ["a cancel-all", ({ deps }) => adoptOutside(deps, CANCEL_ALL, ACCOUNT).then(({ orderIds }) => orderIds.length === 1)],
])("%s takes what lists show open after its end, though our rows have it over", async (_who, withdraw) => {
  const rig = openGatewayRig();
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  const { id, order } = await endedWrongly(rig);
  inTransaction(rig.store, () => insertStop(rig.store, STOP, { actor: "operator", idempotencyKey: null }));
  const withdrawn = async () => {
    const done = withdraw(rig);
    await rig.clock.advance(3_000);
    return done;
  };
  await withdrawn();
  expect([order.status, rig.exchange.sent.length]).toEqual(["open", 1]);
  await passed(rig, follower, 4);
  expect(await withdrawn()).toBe(true);
  expect([order.status, rig.exchange.sent.length]).toEqual(["canceled", 2]);
  expect(findOrder(rig.store, id)?.status).toBe("canceled");
});

test("a stop of one key cancels what lists show open after its end, as one of the account does", async () => {
  const rig = openGatewayRig();
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  const { id, order } = await endedWrongly(rig);
  await passed(rig, follower, 4);
  const own = findOrder(rig.store, id)?.keyHash ?? null;
  const stop: Stop = { ...STOP, scope: "bot", keyHash: own, upTo: Number.MAX_SAFE_INTEGER };
  inTransaction(rig.store, () => insertStop(rig.store, stop, { actor: "operator", idempotencyKey: null }));
  openStopper(rig.deps, { settling: rig.deps.settling, cancelOutside: async () => true }).heed();
  await rig.clock.advance(5_000);
  expect([order.status, findOrder(rig.store, id)?.status]).toEqual(["canceled", "canceled"]);
});

test("an order whose answer was lost is not told as over by one record, while a list read after it holds it", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost);
  const right = rig.venue.infos["orderStatus"];
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    order: recordOf({ ...must(rig.venue.orders[0]), status: "canceled" }),
  }));
  const placed = await rig.answerOf(rig.place("key-0000-0001"));
  const id = String(placed.order["id"]);
  expect([placed.httpStatus, placed.order["status"]]).toEqual([202, "unknown"]);
  await rig.clock.advance(60_000);
  expect(findOrder(rig.store, id)?.status).toBe("unknown");
  if (right !== undefined) rig.exchange.answer("orderStatus", right);
  await rig.clock.advance(60_000);
  expect(findOrder(rig.store, id)?.status).toBe("open");
});

test.each([
  ["lacks it as well it is over, and told so at once", false, [201, "canceled"]],
  ["cannot be read it is unknown", true, [202, "unknown"]],
] as const)("where the list %s", async (_what, isFailing, told) => {
  const rig = openGatewayRig();
  if (isFailing) rig.venue.failing.add("frontendOpenOrders");
  rig.deliveries.push((body, venue) => {
    venue.take(body);
    venue.close(must(venue.orders[0]), "canceled");
    return { kind: "unknown", reason: "the connection was reset" };
  });
  const placed = await rig.answerOf(rig.place("key-0000-0001"));
  expect([placed.httpStatus, placed.order["status"]]).toEqual([...told]);
});

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("nothing placed");
  return value;
}

test("what the history told once of an order whose answer was lost is told, though it keeps nothing of it after that", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost, ...Array.from({ length: 50 }, () => DELIVERY.neverArrived));
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  rig.exchange.answer("frontendOpenOrders", () => []);
  let asked = 0;
  rig.exchange.answer("historicalOrders", () => {
    asked += 1;
    return asked > 1 ? [] : [recordOf({ ...must(rig.venue.orders[0]), status: "reduceOnlyRejected" })];
  });
  const placed = await rig.answerOf(rig.place("key-0000-0001"));
  await rig.clock.advance(200_000);
  expect(findOrder(rig.store, String(placed.order["id"]))?.status).toBe("rejected");
});
