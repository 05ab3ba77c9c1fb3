/** What is signed is what the row says: not a byte of it is made anew between the two. */
import { expect, test } from "bun:test";
import type { OrderTerms } from "../../src/core/order.ts";
import { actionOf } from "../../src/settle/send/intent.ts";
import { listAttemptsOf } from "../../src/store/attempts.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { actionJson } from "../../src/wire/action/index.ts";
import { DELIVERY, type Delivery, openGatewayRig } from "../support/gateway-rig.ts";

const TERMS: Partial<OrderTerms>[] = [
  {},
  { side: "sell", size: "0.50", price: "100.0", timeInForce: "ioc", reduceOnly: true },
  { timeInForce: "alo", price: "99.5" },
  { trigger: { price: "90.0", kind: "stop_loss", market: true } },
  { trigger: { price: "120", kind: "take_profit", market: false } },
];

test.each(TERMS)("an order and its cancel go out as they are stored: %j", async (terms) => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001", terms));
  const id = String(order["id"]);
  await rig.answerOf(rig.cancel("key-0002", id));
  const attempts = listAttemptsOf(rig.store, id);
  expect(attempts.length).toBeGreaterThan(0);
  expect(rig.exchange.sent).toHaveLength(attempts.length);
  for (const [nth, { action, nonce }] of attempts.entries()) {
    expect(rig.exchange.sent[nth]?.body).toStartWith(`{"action":${action},"nonce":${nonce},`);
  }
});

test("an attempt that is read back has the action of its text, and one that spells nothing has none", async () => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const [attempt] = listAttemptsOf(rig.store, String(order["id"]));
  if (attempt === undefined) throw new Error("no attempt");
  const action = actionOf(attempt);
  expect(action === null ? null : actionJson(action)).toBe(attempt.action);
  expect(actionOf({ ...attempt, action: '{"type":"withdraw3"}' })).toBeNull();
});

test("every signed action has its row of the audit log before it is sent", async () => {
  const rig = openGatewayRig();
  const sent: string[] = [];
  const looking =
    (deliver: Delivery): Delivery =>
    (body, venue, clock) => {
      const { action, nonce } = JSON.parse(body) as { action: { type: string }; nonce: number };
      const rows = rig.store.select().from(audit).all();
      const told = rows.some(
        ({ event, detail }) => event === SIGNED[action.type] && JSON.parse(detail).nonce === nonce,
      );
      sent.push(`${action.type} ${told ? "is told" : "is not told"}`);
      return deliver(body, venue, clock);
    };
  rig.deliveries.push(looking(DELIVERY.normal), looking(DELIVERY.normal), looking(DELIVERY.neverArrived));
  const { order } = await rig.answerOf(rig.place("key-0001"));
  await rig.answerOf(rig.cancel("key-0002", String(order["id"])));
  rig.deliveries.push(looking(DELIVERY.normal));
  await rig.answerOf(rig.place("key-0003"));
  expect(sent).toEqual(["order is told", "cancel is told", "order is told", "noop is told"]);
});

const SIGNED: Readonly<Record<string, string>> = { order: "sign_place", cancel: "sign_cancel", noop: "sign_noop" };
