/** What a cancel carries, and what its answer says of what it was for. */
import { expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import type { Trigger } from "../../src/core/order.ts";
import { intendedCancel, wasRefused } from "../../src/settle/cancel/cancel.ts";
import { isListedRefusal } from "../../src/wire/answer/refusal.ts";
import { openGatewayRig } from "../support/gateway-rig.ts";
import { accountRow, attemptRow, legRow, orderRow } from "../support/rows.ts";

const LISTED = "Must deposit before performing actions. User: 0x1111111111111111111111111111111111111111";
const NOTHING = "Order was never placed, already canceled, or filled. asset=0";

test.each<[string, Partial<Attempt>, boolean]>([
  ["refused for good", { answerText: LISTED }, true],
  ["under way", { answerText: LISTED, state: "ambiguous" }, false],
  ["carried out, whatever was answered before", { answerText: LISTED, hasLanded: true }, false],
  ["of what is not there", { answerText: NOTHING }, false],
  ["answered in words that are new", { answerText: "not to our taste" }, false],
  ["unanswered", { answerText: null }, false],
])("a cancel that was %s left what it was for as it was: %p", (_what, some, isSo) => {
  expect(isListedRefusal(LISTED)).toBe(true);
  expect(wasRefused({ ...attemptRow({ kind: "cancel", state: "done", ...some }), id: 1 })).toBe(isSo);
});

const TRIGGER: Trigger = { price: "90", kind: "stop_loss", market: false };

test.each<[string, Trigger | null, Trigger | null, boolean]>([
  ["a plain order", null, null, true],
  ["a trigger that waits", TRIGGER, TRIGGER, false],
  ["what is left of a trigger that has fired", TRIGGER, null, false],
])("the fast lane takes %s: %p", (_what, ofOrder, ofLeg, isFast) => {
  const { deps } = openGatewayRig();
  const world = { ...deps, settings: { ...deps.settings, areCancelsFast: true } };
  const order = orderRow({ trigger: ofOrder });
  const leg = legRow({ state: "resting", oid: "77", trigger: ofLeg });
  const { action } = intendedCancel(world, {
    order,
    account: accountRow(),
    leg,
    idempotencyKey: "key-0001",
    actor: "test",
  });
  expect("f" in action && action.f === true).toBe(isFast);
});
