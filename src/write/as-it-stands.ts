/**
 * What a key answers while its outcome is not known: the order, operation, batch or cancel-all, as far as it is known.
 */
import { alarmIn } from "../core/alarm.ts";
import type { KeyRecord, WriteAnswer } from "../core/idempotency.ts";
import { batchText, operationText, orderText } from "../core/resource.ts";
import { cancelAllShown } from "../settle/cancel-all/asked-orders.ts";
import { listBatch, listUnsettledOfBatch } from "../store/batches.ts";
import { findCancelAll } from "../store/cancel-alls.ts";
import type { Store } from "../store/open.ts";
import { findOperation } from "../store/operations.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";

/** 202: the order or operation as it stands, shown as `unknown` while this write's own outcome is. */
export function asItStands(store: Store, resource: KeyRecord["resource"]): WriteAnswer {
  switch (resource.kind) {
    case "order":
      return orderAsItStands(store, resource.id);
    case "operation":
      return operationAsItStands(store, resource.id);
    case "batch":
      return batchAsItStands(store, resource.id);
    case "cancel_all":
      return cancelAllAsItStands(store, resource.id);
    case "trade":
      throw new Error("bug: a trade is answered when it is stored");
  }
}

function orderAsItStands(store: Store, id: string): WriteAnswer {
  const order = findOrder(store, id);
  if (order === null) throw new Error("bug: a key without its order");
  return { status: 202, body: orderText(asUnknown(order)), isReplay: false };
}

function asUnknown(order: StoredOrder): StoredOrder {
  const error = order.status === "unknown" ? order.error : (alarmIn(order.error) ?? NOT_KNOWN);
  return { ...order, status: "unknown", error };
}

function operationAsItStands(store: Store, id: string): WriteAnswer {
  const operation = findOperation(store, id);
  if (operation === null) throw new Error("bug: a key without its operation");
  const error = operation.error ?? NOT_KNOWN;
  return { status: 202, body: operationText({ ...operation, status: "unknown", error }), isReplay: false };
}

/** A cancel-all as its row stands: 202 until it is done, then 200. */
export function cancelAllAsItStands(store: Store, id: string): WriteAnswer {
  const row = findCancelAll(store, id);
  if (row === null) throw new Error("bug: a key without its cancel-all");
  const body = JSON.stringify(cancelAllShown(store, row));
  return { status: row.doneAtMs === null ? 202 : 200, body, isReplay: false };
}

/** A batch as it stands: orders whose outcome is known are shown as they are, the others as `unknown`. */
function batchAsItStands(store: Store, batchId: string): WriteAnswer {
  const orders = listBatch(store, batchId);
  const unsettled = new Set(listUnsettledOfBatch(store, batchId));
  const shown = orders.map((order) => (unsettled.has(order.id) ? asUnknown(order) : order));
  return { status: 202, body: batchText(shown), isReplay: false };
}

const NOT_KNOWN = "the outcome of this request is not known yet; it is being looked up";
