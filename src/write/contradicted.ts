/**
 * What a key answers when the exchange has shown, since the answer, what contradicts it: the key tells that from then
 * on.
 */
import type { Attempt } from "../core/attempt.ts";
import type { KeyAnswer, KeyRecord, WriteAnswer } from "../core/idempotency.ts";
import { isLive, type Leg, type OrderStatus } from "../core/order.ts";
import { batchText, operationText, orderText } from "../core/resource.ts";
import { ELSEWHERE, LISTED_AFTER_END } from "../settle/look/apply-sight.ts";
import { OVERRULED } from "../settle/record/note.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { listBatch } from "../store/batches.ts";
import { listCovered } from "../store/cancel-alls.ts";
import { findLegByCloid } from "../store/legs.ts";
import { hasNote } from "../store/notes.ts";
import type { Store } from "../store/open.ts";
import { findOperation } from "../store/operations.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { cancelAllAsItStands } from "./as-it-stands.ts";

/**
 * What a key answers instead of its stored answer, where the exchange has shown its order to stand in another market,
 * to be open after an end that was told, or to be there although it had refused it: the order as everybody reads it,
 * with its alarm. Null where the stored answer stands.
 */
export function contradicted(store: Store, record: KeyRecord): WriteAnswer | null {
  const { resource, answer } = record;
  if (answer === null) return null;
  switch (resource.kind) {
    case "trade":
      return null;
    case "cancel_all":
      return ofCancelAll(store, resource.id);
    case "batch":
      return ofBatch(store, resource.id, answer.status);
    case "operation":
      return hasNote(store, resource.id, OVERRULED) ? ofOperation(store, resource.id, answer.status) : null;
    case "order":
      return ofOrder(store, record, answer);
  }
}

/**
 * By what is shown of the order that the key was told of. A modify's may be one of its own, placed beside the original that the key
 * names: then nothing that is shown of that original is about its answer.
 */
function ofOrder(store: Store, record: KeyRecord, answer: KeyAnswer): WriteAnswer | null {
  // `orderText` has written it.
  const told = JSON.parse(answer.body) as { id: string; status: OrderStatus; error: string | null };
  const overruled = overruledLeg(store, record);
  if (overruled !== null) return shownOrder(store, overruled.orderId, answer, null);
  if (isShownOtherwise(store, told.id)) return shownOrder(store, told.id, answer, null);
  if (!hasNote(store, told.id, OVERRULED)) return null;
  // The key was told of the order that it had ended, or that nothing was left to do: the words of its own refusal stay.
  const hasSent = ownAttempts(store, record).length > 0;
  return !hasSent || !isLive(told.status) ? shownOrder(store, told.id, answer, told.error) : null;
}

/** What this key itself placed and was shown after it had been told as refused; it may be a leg of an order of its own by now (a modify). */
function overruledLeg(store: Store, record: KeyRecord): Leg | null {
  const { id } = record.resource;
  if (!hasNote(store, id, OVERRULED)) return null;
  const shown = ownAttempts(store, record).find(({ cloid }) => cloid !== null && hasNote(store, id, OVERRULED, cloid));
  return shown === undefined ? null : findLegByCloid(store, shown.cloid ?? "");
}

function ownAttempts(store: Store, { accountId, idempotencyKey, resource }: KeyRecord): Attempt[] {
  return listAttemptsOf(store, resource.id).filter(
    (attempt) => attempt.accountId === accountId && attempt.idempotencyKey === idempotencyKey,
  );
}

function shownOrder(store: Store, id: string, { status }: KeyAnswer, error: string | null): WriteAnswer {
  const order = findOrder(store, id);
  if (order === null) throw new Error("bug: a key without its order");
  const body = orderText({ ...order, error: order.error ?? error });
  return { status: isKnown(order) ? status : 202, body, isReplay: true };
}

function ofCancelAll(store: Store, id: string): WriteAnswer | null {
  const isOverruled = listCovered(store, { id }).some((order) => hasNote(store, order.id, OVERRULED));
  return isOverruled ? { ...cancelAllAsItStands(store, id), isReplay: true } : null;
}

function ofBatch(store: Store, batchId: string, status: 200 | 201): WriteAnswer | null {
  const orders = listBatch(store, batchId);
  const isSo = ({ id }: StoredOrder) => isShownOtherwise(store, id) || hasNote(store, id, OVERRULED);
  if (!orders.some(isSo)) return null;
  return { status: orders.every(isKnown) ? status : 202, body: batchText(orders), isReplay: true };
}

function isShownOtherwise(store: Store, id: string): boolean {
  return hasNote(store, id, ELSEWHERE) || hasNote(store, id, LISTED_AFTER_END);
}

function isKnown({ status }: StoredOrder): boolean {
  return status !== "unknown" && status !== "processing";
}

function ofOperation(store: Store, id: string, status: 200 | 201): WriteAnswer {
  const operation = findOperation(store, id);
  if (operation === null) throw new Error("bug: a key without its operation");
  return { status: operation.status === "unknown" ? 202 : status, body: operationText(operation), isReplay: true };
}
