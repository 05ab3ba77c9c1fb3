/** What clients are told of an order: as it is, and by whom and under which key it was placed. */
import type { PlacedBy } from "../core/event.ts";
import { orderText } from "../core/resource.ts";
import { appendEvent } from "./events.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";

export type OrderEventType = "order.created" | "order.updated";

export function tellOrder(store: Store, order: StoredOrder, type: OrderEventType, payload = orderText(order)): void {
  const { id: resourceId, accountId, seenAtMs, createdAtMs, releasedAtMs } = order;
  appendEvent(store, {
    accountId,
    atMs: releasedAtMs ?? seenAtMs ?? createdAtMs,
    type,
    resourceId,
    payload,
    placedBy: placedBy(order),
  });
}

function placedBy(order: Pick<StoredOrder, "keyHash" | "idempotencyKey" | "batchId" | "batchIndex">): PlacedBy {
  const { keyHash, idempotencyKey, batchId, batchIndex } = order;
  return { keyHash, idempotencyKey, batchIndex: batchId === null ? null : batchIndex };
}

type Removed = Pick<StoredOrder, "id" | "accountId" | "keyHash" | "idempotencyKey" | "batchId" | "batchIndex">;

/** There never was one: no byte of it left. */
export function tellRemoved(store: Store, order: Removed, atMs: number): void {
  const { id: resourceId, accountId } = order;
  const payload = JSON.stringify({ object: "order", id: resourceId });
  appendEvent(store, { accountId, atMs, type: "order.removed", resourceId, payload, placedBy: placedBy(order) });
}
