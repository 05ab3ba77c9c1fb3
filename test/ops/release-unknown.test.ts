import { expect, test } from "bun:test";
import { storyOf } from "../../src/actions/tell-story.ts";
import { OperatorError } from "../../src/ops/operator.ts";
import { type Released, releaseUnknown } from "../../src/ops/release-unknown.ts";
import { openAttempt, recordLegEvent } from "../../src/settle/record/record.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { insertAttempt, listOpenAttempts } from "../../src/store/attempts.ts";
import { findBrokenAuditRow } from "../../src/store/audit.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { findOperation, insertOperation } from "../../src/store/operations.ts";
import { findOrder, insertOrder, type StoredOrder } from "../../src/store/orders.ts";
import { unknownOperations, unknownOrders } from "../../src/store/unknowns.ts";
import { ACCOUNT, DELIVERY, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";

const KEY = "lost-for-good";
const HOUR_MS = 60 * 60 * 1_000;

/** An order whose answer and empty actions were all lost, on an account that does nothing since. */
async function openLost(): Promise<{ rig: GatewayRig; id: string }> {
  const rig = openGatewayRig();
  rig.deliveries.push(...Array.from({ length: 100 }, () => DELIVERY.neverArrived));
  const { order } = await rig.answerOf(rig.place(KEY));
  expect(order["status"]).toBe("unknown");
  await rig.clock.advance(30_000);
  return { rig, id: String(order["id"]) };
}

/** Days pass for the wall clock, by which it is counted; what settling does in them is the same all the time. */
function pass(rig: GatewayRig, hours: number): void {
  rig.clock.stepWall(hours * HOUR_MS);
}

function release(rig: GatewayRig, id: string): Released {
  const { store, clock, randomBytes } = rig.deps;
  return releaseUnknown({ store, clock, randomBytes, network: "paper" }, id);
}

function refusal(rig: GatewayRig, id: string): string {
  try {
    release(rig, id);
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
  return "released";
}

function rowOf(rig: GatewayRig, id: string): StoredOrder {
  const order = findOrder(rig.store, id);
  if (order === null) throw new Error("no order");
  return order;
}

function questions(rig: GatewayRig): number {
  return rig.exchange.sent.length + rig.exchange.asked.length;
}

test("before a day has passed, of what is known, and of what is not there, nothing is released, and it is said why", async () => {
  const { rig, id } = await openLost();
  expect(refusal(rig, id)).toContain("has been unknown since");
  pass(rig, 23.9);
  expect(refusal(rig, id)).toMatch(/can be released after 24 hours, from 20\d\d-.* on/);
  expect(rowOf(rig, id).releasedAtMs).toBeNull();
  rig.deliveries.splice(0);
  const { order } = await rig.answerOf(rig.place("a-known-one"));
  expect(refusal(rig, String(order["id"]))).toContain("is open: only what is unknown can be released");
  expect(refusal(rig, "0190a0b0-0000-7007-8000-00000000ffff")).toContain("there is no order or operation");
});

test("a released order stays unknown and says so; it is asked for no more, sent for no more and counted no more", async () => {
  const { rig, id } = await openLost();
  pass(rig, 25);
  const before = rowOf(rig, id).error;
  const done = release(rig, id);
  expect(release(rig, id)).toEqual(done);
  await rig.clock.advance(15_000);
  const asked = questions(rig);
  await rig.clock.advance(10 * 60_000);
  expect(questions(rig)).toBe(asked);
  const order = rowOf(rig, id);
  expect([order.status, order.filledSize]).toEqual(["unknown", null]);
  expect(order.error).toMatch(/^Released by the operator on 20\S+Z: its outcome was never learned\. Before that: /);
  expect(order.error).toEndWith(before ?? "");
  expect(unknownOrders(rig.store, ACCOUNT.id).count).toBe(0);
  expect(listOpenAttempts(rig.store)).toEqual([]);
  const { attempts, steps } = storyOf(rig.store, order);
  expect(attempts.map(({ waits_for: what }) => what)).toEqual([null]);
  expect(steps.at(-1)).toMatchObject({ what: "released", detail: expect.stringContaining("by the operator") });
  const told = listEventsAfter(rig.store, { accountId: ACCOUNT.id, after: 0, limit: 100 }).at(-1);
  expect(JSON.parse(told?.payload ?? "{}")).toMatchObject({ id, status: "unknown", error: order.error });
  expect(findBrokenAuditRow(rig.store)).toBeNull();
  const again = await rig.answerOf(rig.place(KEY));
  expect([again.httpStatus, again.order["status"], again.order["error"]]).toEqual([202, "unknown", order.error]);
});

test("the next process does not take it up either", async () => {
  const { rig, id } = await openLost();
  pass(rig, 25);
  release(rig, id);
  const next = await rig.restart();
  await next.settler.takeUp();
  next.settler.resume();
  await next.clock.advance(60_000);
  expect(questions(next)).toBe(0);
  expect(rowOf(next, id).status).toBe("unknown");
});

test("a later report overrules it, and the key answers with what became of it", async () => {
  const { rig, id } = await openLost();
  pass(rig, 25);
  release(rig, id);
  await rig.clock.advance(15_000);
  const nowMs = rig.clock.nowMs();
  const terms = { isBuy: true, price: "100", size: "1.0", tif: "Gtc", reduceOnly: false, isTrigger: false, fills: [] };
  const cloid = `0x${id.replaceAll("-", "")}`;
  rig.venue.orders.push({ oid: 7_001, cloid, status: "open", ...terms, placedAtMs: nowMs, statusAtMs: nowMs });
  const looked = rig.settler.look(id);
  await rig.clock.advance(1_000);
  await looked;
  const order = rowOf(rig, id);
  expect([order.status, order.releasedAtMs, order.error]).toEqual(["open", null, null]);
  expect(storyOf(rig.store, order).steps.map(({ what }) => what)).toContain("heard of again");
  const again = await rig.answerOf(rig.place(KEY));
  expect([again.httpStatus, again.order["status"]]).toEqual([201, "open"]);
});

test("a cancel of it takes it up again, until its number is known to be burnt", async () => {
  const { rig, id } = await openLost();
  pass(rig, 25);
  release(rig, id);
  await rig.clock.advance(15_000);
  rig.deliveries.splice(0);
  const answer = await rig.answerOf(rig.cancel("cancel-a-released-one", id));
  expect(rowOf(rig, id).releasedAtMs).toBeNull();
  expect([answer.httpStatus, answer.order["status"]]).toEqual([200, "rejected"]);
});

test("a released order whose modify was lost is not called canceled; a report of the replacement has it followed again", () => {
  const rig = openGatewayRig();
  const original = legRow({ state: "canceled", oid: "1", isExchangesWord: true });
  const { orderId } = original;
  const replacement = legRow({
    cloid: `0x${"ab".repeat(16)}`,
    ordinal: 1,
    state: "lost",
    reason: "the answer was lost",
  });
  insertOrder(rig.store, orderRow({ accountId: ACCOUNT.id, status: "unknown", createdAtMs: START_MS }));
  for (const leg of [original, replacement]) insertLeg(rig.store, leg);
  const about = { accountId: ACCOUNT.id, cloid: replacement.cloid, targetOid: "1", createdAtMs: START_MS };
  const { id } = insertAttempt(rig.store, attemptRow({ ...about, kind: "modify", state: "ambiguous" }));
  pass(rig, 25);
  release(rig, orderId);
  expect([rowOf(rig, orderId).status, openAttempt(rig.store, id)]).toEqual(["unknown", null]);
  recordLegEvent(rig.store, replacement.cloid, { type: "reported", oid: "2" }, rig.clock.nowMs());
  expect([rowOf(rig, orderId).status, openAttempt(rig.store, id)?.kind]).toEqual(["unknown", "modify"]);
  recordLegEvent(rig.store, replacement.cloid, { type: "rested", oid: "2" }, rig.clock.nowMs());
  expect(rowOf(rig, orderId).status).toBe("open");
});

test("an operation that stayed unknown can be released as well", () => {
  const rig = openGatewayRig();
  const id = "0190a0b0-0000-7007-8000-000000000009";
  insertOperation(rig.store, {
    id,
    accountId: ACCOUNT.id,
    action: "leverage",
    market: "BTC",
    parameters: "{}",
    before: null,
    status: "unknown",
    exchangeId: null,
    error: "It cannot be proven.",
    createdAtMs: START_MS,
    releasedAtMs: null,
    keyHash: null,
    version: 0,
  });
  expect(refusal(rig, id)).toContain(`operation ${id} has been unknown since`);
  pass(rig, 25);
  expect(release(rig, id).kind).toBe("operation");
  const operation = findOperation(rig.store, id);
  expect([operation?.status, operation?.error]).toEqual([
    "unknown",
    expect.stringMatching(
      /^Released by the operator on .*: its outcome was never learned\. Before that: It cannot be proven\.$/,
    ),
  ]);
  expect(unknownOperations(rig.store, ACCOUNT.id).count).toBe(0);
});
