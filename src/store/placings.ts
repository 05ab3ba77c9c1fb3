import type { Attempt } from "../core/attempt.ts";
import { cloidOf } from "../core/cloid.ts";
import type { Leg } from "../core/order.ts";
import { passNonce, requireUnused } from "./nonces.ts";
import type { Store } from "./open.ts";
import { insertOrder, type StoredOrder } from "./orders.ts";
import type { PlacingKey } from "./placing-columns.ts";

type Placed = { order: StoredOrder; key: PlacingKey; leg: Leg; attempt: Omit<Attempt, "id"> };

/** Stores an order with its key, its first leg and the attempt that places it, in one row; its (signer, nonce) may exist only once. */
export function insertPlacing(store: Store, { order, key, leg, attempt }: Placed): Attempt {
  requireOwn({ order, key, leg, attempt });
  const id = insertOrder(store, order, { key, leg, attempt });
  requireUnused(store, "attempts", { ...attempt, id });
  passNonce(store, attempt);
  return { ...attempt, id };
}

/** What the row does not hold is told by the order: it must not say anything else. */
function requireOwn({ order, key, leg, attempt }: Placed): void {
  const { kind, resource, accountId, cloid, idempotencyKey, targetOid, isTargetClosed, intendedTotal } = attempt;
  const isPlacing = kind === "place" && targetOid === null && !isTargetClosed && intendedTotal === null;
  const isOfOrder = resource.id === order.id && accountId === order.accountId && cloid === cloidOf(order.id);
  if (!isPlacing || !isOfOrder || idempotencyKey !== key.key) throw new Error("bug: not the attempt of this placing");
  const isFirst = leg.orderId === order.id && leg.cloid === cloid && leg.ordinal === 0;
  if (!isFirst) throw new Error("bug: not the first leg of this placing");
}
