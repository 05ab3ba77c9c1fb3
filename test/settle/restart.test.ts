/** The process ends at a named step; the next one finds out what became of the order and sends it never again. */
import { expect, test } from "bun:test";
import { setLeverage } from "../../src/actions/set-leverage.ts";
import type { OrderStatus } from "../../src/core/order.ts";
import type { Point } from "../../src/core/points.ts";
import { lookAtInterrupted, unsettledFirst } from "../../src/settle/start-up.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertAttempt, listOpenAttempts } from "../../src/store/attempts.ts";
import { findBrokenAuditRow } from "../../src/store/audit.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { listOperations } from "../../src/store/operations.ts";
import { listOrders } from "../../src/store/orders.ts";
import { ACCOUNT, DELIVERY, type Delivery, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow } from "../support/rows.ts";

function ordersOf({ store }: GatewayRig): ReturnType<typeof listOrders> {
  return listOrders(store, { accountId: ACCOUNT.id, status: null, dex: null, after: null, limit: 10 });
}

type Stop = { at: Point; delivery: Delivery; isStored: boolean; executed: number; end: OrderStatus | "absent" };

const STOPS: Stop[] = [
  { at: "before_intent", delivery: DELIVERY.normal, isStored: false, executed: 0, end: "absent" },
  { at: "after_intent", delivery: DELIVERY.normal, isStored: true, executed: 0, end: "rejected" },
  { at: "before_send", delivery: DELIVERY.normal, isStored: true, executed: 0, end: "rejected" },
  { at: "after_answer", delivery: DELIVERY.normal, isStored: true, executed: 1, end: "open" },
  { at: "before_outcome", delivery: DELIVERY.normal, isStored: true, executed: 1, end: "open" },
  { at: "after_outcome", delivery: DELIVERY.normal, isStored: true, executed: 1, end: "open" },
  { at: "before_reply", delivery: DELIVERY.normal, isStored: true, executed: 1, end: "open" },
  { at: "settle_before_look", delivery: DELIVERY.answerLost, isStored: true, executed: 1, end: "open" },
  { at: "settle_before_noop", delivery: DELIVERY.neverArrived, isStored: true, executed: 0, end: "rejected" },
  { at: "settle_before_conclude", delivery: DELIVERY.neverArrived, isStored: true, executed: 0, end: "rejected" },
  { at: "before_outcome", delivery: DELIVERY.notSent, isStored: true, executed: 0, end: "rejected" },
];

test.each(STOPS)("stopped at $at: the order ends as $end and was executed $executed times", async (stop) => {
  const first = openGatewayRig();
  first.stopAt.add(stop.at);
  first.deliveries.push(stop.delivery);
  first.place("key-0001").catch(() => undefined);
  await first.clock.advance(3_000);
  expect(first.passed).toContain(stop.at);
  const second = await first.restart();
  const [order] = ordersOf(second);
  expect(order !== undefined).toBe(stop.isStored);
  expect(findKeyRecord(second.store, ACCOUNT.id, "key-0001") !== null).toBe(stop.isStored);
  for (const attempt of listOpenAttempts(second.store)) expect(attempt.state).toBe("ambiguous");
  expect(order?.status).not.toBe("processing");
  void lookAtInterrupted(second.deps, second.settler);
  await second.clock.advance(60_000);
  expect(second.venue.orders).toHaveLength(stop.executed);
  expect(ordersOf(second)[0]?.status ?? "absent").toBe(stop.end);
  expect(listOpenAttempts(second.store)).toEqual([]);
  expect(findBrokenAuditRow(second.store)).toBeNull();
  const sent = second.exchange.sent.filter(({ body }) => body.includes('"type":"order"'));
  expect(sent).toEqual([]);
});

test.each(STOPS.filter(({ isStored }) => isStored))(
  "stopped at $at: the key's repeat is a replay of the settled order",
  async (stop) => {
    const first = openGatewayRig();
    first.stopAt.add(stop.at);
    first.deliveries.push(stop.delivery);
    first.place("key-0001").catch(() => undefined);
    await first.clock.advance(3_000);
    const second = await first.restart();
    void lookAtInterrupted(second.deps, second.settler);
    await second.clock.advance(60_000);
    const again = await second.answerOf(second.place("key-0001"));
    expect(again).toMatchObject({ httpStatus: 201, isReplay: true, order: { status: stop.end } });
    expect(again.order["id"]).toBe(ordersOf(second)[0]?.id ?? "");
  },
);

test("an operation that was on its way is told as unknown by the next process, before anything looks at it", async () => {
  const first = openGatewayRig();
  first.stopAt.add("before_outcome");
  const asked = {
    idempotencyKey: "key-0001",
    fingerprint: "",
    market: "BTC",
    leverage: 5,
    marginType: "cross",
  } as const;
  setLeverage(first.deps, first.caller, asked).catch(() => undefined);
  await first.clock.advance(1_000);
  const { store } = await first.restart();
  expect(
    listOperations(store, { accountId: ACCOUNT.id, action: null, status: null, after: null, limit: 10 }),
  ).toMatchObject([
    { action: "leverage", status: "unknown", error: expect.stringContaining("the gateway was stopped") },
  ]);
});

test("a start that is stopped again and again still ends in the truth", async () => {
  let rig = openGatewayRig();
  rig.stopAt.add("before_outcome");
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(1_000);
  for (const at of ["settle_before_look", "settle_before_look", "settle_before_noop"] as const) {
    rig = await rig.restart();
    rig.stopAt.add(at);
    void lookAtInterrupted(rig.deps, rig.settler);
    await rig.clock.advance(1_500);
  }
  rig = await rig.restart();
  void lookAtInterrupted(rig.deps, rig.settler);
  await rig.clock.advance(60_000);
  expect(ordersOf(rig)[0]?.status).toBe("open");
  expect(rig.venue.orders).toHaveLength(1);
});

test("the start-up pass ends when all was looked at once, and at the latest at its deadline", async () => {
  const first = openGatewayRig();
  first.stopAt.add("before_outcome");
  first.place("key-0001").catch(() => undefined);
  await first.clock.advance(1_000);
  const second = await first.restart();
  let isOver = false;
  const pass = lookAtInterrupted(second.deps, second.settler).then(() => {
    isOver = true;
  });
  await second.clock.advance(0);
  expect(isOver).toBe(true);
  await pass;

  const third = await second.restart();
  third.stopAt.add("settle_before_look");
  third.deliveries.push(DELIVERY.neverArrived);
  third.place("key-0002").catch(() => undefined);
  await third.clock.advance(1_000);
  const fourth = await third.restart();
  fourth.stopAt.add("settle_before_look");
  let isLate = false;
  void lookAtInterrupted(fourth.deps, fourth.settler).then(() => {
    isLate = true;
  });
  await fourth.clock.advance(14_900);
  expect(isLate).toBe(false);
  await fourth.clock.advance(200);
  expect(isLate).toBe(true);
});

test("a cancel that was armed goes on after a restart", async () => {
  const first = openGatewayRig();
  const placed = await first.answerOf(first.place("key-0001"));
  first.deliveries.push(DELIVERY.neverArrived);
  first.stopAt.add("after_outcome");
  first.cancel("cancel-01", String(placed.order["id"])).catch(() => undefined);
  await first.clock.advance(1_000);
  const second = await first.restart();
  void lookAtInterrupted(second.deps, second.settler);
  await second.clock.advance(10_000);
  expect(second.venue.orders.map(({ status }) => status)).toEqual(["canceled"]);
  expect(ordersOf(second)[0]?.status).toBe("canceled");
  const again = await second.answerOf(second.cancel("cancel-01", String(placed.order["id"])));
  expect(again).toMatchObject({ httpStatus: 200, isReplay: true, order: { status: "canceled" } });
});

test("the feed of an account in which something is unknown connects before the others", () => {
  const rig = openGatewayRig();
  const second = { ...ACCOUNT, id: "second-account", label: "second", createdAtMs: START_MS + 1 };
  insertAccount(rig.store, second);
  const names = () => unsettledFirst(rig.deps).map(({ label }) => label);
  expect(names()).toEqual(["main", "second"]);
  insertAttempt(rig.store, attemptRow({ accountId: second.id, state: "ambiguous" }));
  expect(names()).toEqual(["second", "main"]);
});
