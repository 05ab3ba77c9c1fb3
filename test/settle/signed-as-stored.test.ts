/** What is signed is what the row says: not a byte of it is made anew between the two. */
import { expect, test } from "bun:test";
import type { OrderTerms } from "../../src/core/order.ts";
import { actionOf } from "../../src/settle/intent.ts";
import { listAttemptsOf } from "../../src/store/attempts.ts";
import { actionJson } from "../../src/wire/action/index.ts";
import { openGatewayRig } from "../support/gateway-rig.ts";

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
