import type { Attempt } from "../core/attempt.ts";
import { dexOf } from "../core/market.ts";
import { isLive } from "../core/order.ts";
import { orderText } from "../core/resource.ts";
import type { Deps, Place } from "../deps.ts";
import { intendedCancel, legToCancel, mayRest, recordCancelReply, unsettledPlacings } from "../settle/cancel.ts";
import { requireAgent, storeAttempt } from "../settle/intent.ts";
import { deriveOrder } from "../settle/record.ts";
import { sendAttempt } from "../settle/send.ts";
import { nameUnnamed } from "../settle/unnamed.ts";
import { insertKeyRecord, storeAnswer } from "../store/idempotency.ts";
import { listLegs } from "../store/legs.ts";
import { onceUnlocked } from "../store/locked.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import type { Caller, WriteAnswer, WriteKey } from "./answer.ts";
import { orderNotFound, requireOrder } from "./find-order.ts";
import { giveBack } from "./give-back.ts";
import {
  answerEarlier,
  answerRecord,
  commitIntent,
  finishWrite,
  requireBudget,
  requireOpenForWrites,
  type Write,
} from "./write.ts";

export type CancelOrder = WriteKey & { id: string };

/**
 * `POST /v1/orders/{id}/cancel`. The answer is final only when every leg of the order is closed and everything that
 * could still place one is settled; until then it is 202 and the cancel stays armed.
 */
export async function cancelOrder(deps: Deps, caller: Caller, wanted: CancelOrder): Promise<WriteAnswer> {
  const startedElapsedMs = deps.clock.elapsedMs();
  const route = "POST /v1/orders/{id}/cancel";
  const write: Write = { ...wanted, route, asked: {}, placing: null, startedElapsedMs };
  const earlier = await answerEarlier(deps, caller, write);
  if (earlier !== null) return earlier;
  caller.charge("cancels");
  requireOpenForWrites(deps, true);
  const found = await requireOrder(deps, caller, wanted.id, "cancel");
  const target = found.kind === "stored" ? found.order : adoptOutsideOrder(deps, found.order);
  if (isLive(target.status)) requireBudget(deps, caller, "cancel");
  if (isLive(target.status)) requireAgent(deps, caller.account);
  if (isUnnamed(deps, target)) await nameByList(deps, caller, target);
  const key = { accountId: caller.account.id, key: wanted.idempotencyKey };
  const resource = { kind: "order" as const, id: target.id };
  const record = {
    ...key,
    route: write.route,
    fingerprint: wanted.fingerprint,
    resource,
    attemptId: null,
    answer: null,
  };
  const intent = { caller, record, isCancel: true, startedElapsedMs };
  const stored = await commitIntent(deps, intent, (store, record, place) => {
    insertKeyRecord(store, record);
    return storeCancel(deps, { caller, orderId: target.id, idempotencyKey: wanted.idempotencyKey, place });
  });
  if (stored.kind === "earlier") return answerRecord(deps, stored.record, write);
  const attempt = stored.value;
  const answer = await finishWrite(deps, { ...key, resource, startedElapsedMs }, async () => {
    if (attempt !== null) await sendAndPursue(deps, attempt);
    return null;
  });
  return { ...answer, isReplay: false };
}

/**
 * The exchange has taken it and not said under which native id, as of some triggers: a cancel by client order id would take off
 * whatever else has that id. A list of open orders names it; where it cannot be read or lacks it the cancel goes all the same.
 */
function isUnnamed({ store }: Deps, { id }: StoredOrder): boolean {
  const leg = legToCancel(listLegs(store, id));
  return leg !== null && leg.oid === null && mayRest(leg);
}

async function nameByList(deps: Deps, { account }: Caller, { market }: StoredOrder): Promise<void> {
  const read = await deps.reads.openOrders(account.tradingAddress, dexOf(market), "cancel");
  if (read.kind === "ok") nameUnnamed(deps, account.id, read.value);
}

type Storing = { caller: Caller; orderId: string; idempotencyKey: string; place: Place };

/** Inside the intent's transaction: the attempt, or for an order that is closed by now its final answer. */
function storeCancel(deps: Deps, { caller, orderId, idempotencyKey, place }: Storing): Attempt | null {
  const order = findOrder(deps.store, orderId);
  const leg = order === null ? null : legToCancel(listLegs(deps.store, orderId));
  // Given back since it was found: no byte of it left, and nobody can know of it any more.
  if (order === null) throw orderNotFound();
  if (!isLive(order.status) || leg === null) {
    storeAnswer(deps.store, { accountId: order.accountId, key: idempotencyKey }, closedAnswer(order));
    return null;
  }
  // It may have turned out only now that it lives.
  const signer = requireAgent(deps, caller.account);
  const actor = caller.key.keyHash;
  // Somebody asks for it again: it is followed again.
  if (order.releasedAtMs !== null) deriveOrder(deps.store, { ...order, releasedAtMs: null }, deps.clock.nowMs());
  return storeAttempt(deps, intendedCancel(deps, { order, account: caller.account, leg, idempotencyKey, actor }), {
    signer,
    place,
  });
}

function closedAnswer(order: StoredOrder): { status: 200; body: string } {
  return { status: 200, body: orderText(order) };
}

/** The cancel and the noops that burn every placing still out leave at the same moment. */
async function sendAndPursue(deps: Deps, attempt: Attempt): Promise<void> {
  const unsettled = unsettledPlacings(deps, attempt.resource.id);
  await Promise.all([
    cancelAndPursue(deps, attempt, unsettled.length > 0),
    ...unsettled.map((each) => deps.settling.burn(each.id)),
  ]);
}

/** Waits for no noop's answer: what the exchange says of the cancel is written down as soon as it is there. */
async function cancelAndPursue(deps: Deps, attempt: Attempt, areNoopsSent: boolean): Promise<void> {
  const result = await sendAttempt(deps, attempt, "cancel");
  await deps.point("before_outcome");
  // With a noop on its way this request has sent something: the cancel stays armed.
  const isEnded = await onceUnlocked(deps.clock, () =>
    result.kind === "not_sent"
      ? !areNoopsSent && giveBack(deps, attempt, result)
      : recordCancelReply(deps, attempt, result.reply),
  );
  await deps.point("after_outcome");
  if (!isEnded) await deps.settling.pursue(attempt.id);
}
