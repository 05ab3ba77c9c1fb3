import { expect, test } from "bun:test";
import type { ActionType } from "../../../src/wire/action/index.ts";
import { fitted } from "../../../src/wire/answer/fitting.ts";
import { classifyReply, type Reply } from "../../../src/wire/answer/reply.ts";

function ok(response: object): Reply {
  return classifyReply(200, JSON.stringify({ status: "ok", response }));
}

const ERROR = { error: "Insufficient margin to place order. asset=0" };
const ANSWERS: Record<string, Reply> = {
  default: ok({ type: "default" }),
  order: ok({ type: "order", data: { statuses: [{ resting: { oid: 1 } }] } }),
  order_error: ok({ type: "order", data: { statuses: [ERROR] } }),
  cancel: ok({ type: "cancel", data: { statuses: ["success"] } }),
  cancel_error: ok({ type: "cancel", data: { statuses: [ERROR] } }),
  cancel_resting: ok({ type: "cancel", data: { statuses: [{ resting: { oid: 1 } }] } }),
  twap: ok({ type: "twapOrder", data: { status: { running: { twapId: 7 } } } }),
  twap_error: ok({ type: "twapOrder", data: { status: ERROR } }),
  twap_success: ok({ type: "twapOrder", data: { status: "success" } }),
  twap_cancel: ok({ type: "twapCancel", data: { status: "success" } }),
  twap_cancel_error: ok({ type: "twapCancel", data: { status: ERROR } }),
  twap_cancel_running: ok({ type: "twapCancel", data: { status: { running: { twapId: 7 } } } }),
};

test.each<[ActionType, string[]]>([
  ["order", ["order", "order_error"]],
  ["batchModify", ["order", "order_error"]],
  ["cancel", ["cancel", "cancel_error"]],
  ["cancelByCloid", ["cancel", "cancel_error"]],
  ["updateLeverage", ["default"]],
  ["updateIsolatedMargin", ["default"]],
  ["noop", ["default"]],
  ["twapOrder", ["twap", "twap_error"]],
  ["twapCancel", ["twap_cancel", "twap_cancel_error"]],
])("an answer to %s is of its kind and in its words, else it says nothing", (action, fitting) => {
  const taken = Object.keys(ANSWERS).filter((name) => {
    const reply = ANSWERS[name];
    return reply !== undefined && fitted(reply, action, 1) === reply;
  });
  expect(taken).toEqual(fitting);
  for (const [name, reply] of Object.entries(ANSWERS))
    if (!taken.includes(name)) expect(fitted(reply, action, 1)).toMatchObject({ kind: "ambiguous", text: null });
});

test("a refusal of the whole action, and what is no answer, stay what they are", () => {
  for (const reply of [
    classifyReply(200, '{"status":"err","response":"Vault not registered: 0x12"}'),
    classifyReply(502, "<html>"),
  ])
    expect(fitted(reply, "twapOrder", 1)).toBe(reply);
});

test.each([
  [1, false],
  [2, true],
  [3, true],
])("two words for an action of %i orders: believed is %p", (count, isTaken) => {
  const two = ok({ type: "order", data: { statuses: [ERROR, ERROR] } });
  expect(fitted(two, "order", count) === two).toBe(isTaken);
});
