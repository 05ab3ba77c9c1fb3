import type { KeyRecord } from "../core/idempotency.ts";
import type { With } from "../deps.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { listBatch } from "../store/batches.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import { findLegByCloid } from "../store/legs.ts";
import type { Store } from "../store/open.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { findTrade, listGuards } from "../store/trades.ts";
import type { Caller } from "../write/caller.ts";
import { keptAs } from "./list-filter.ts";

/** Every order that a request has placed, by the Idempotency-Key that its client sent, newest first; of each bot that has used it. */
export function placedUnder(deps: With<"store">, caller: Caller, sent: string): StoredOrder[] {
  const { id: accountId } = caller.account;
  return keptAs(deps, caller, sent)
    .flatMap((key) => {
      const record = findKeyRecord(deps.store, accountId, key);
      return record === null ? [] : placedBy(deps.store, record);
    })
    .filter((order) => order.accountId === accountId)
    .sort(newestFirst);
}

/** The order of the list of orders. */
export function newestFirst(a: StoredOrder, b: StoredOrder): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

function placedBy(store: Store, record: KeyRecord): StoredOrder[] {
  const { kind, id } = record.resource;
  switch (kind) {
    case "order":
      return byOneAction(store, record);
    case "batch":
      return listBatch(store, id);
    case "trade":
      return byTrade(store, id);
    case "operation":
    case "cancel_all":
      return [];
  }
}

/** A cancel has placed none, nor has a modify but where what it placed has become an order of its own. */
function byOneAction(store: Store, { idempotencyKey, resource: { id } }: KeyRecord): StoredOrder[] {
  const apart = listAttemptsOf(store, id).flatMap(({ cloid }) =>
    cloid === null ? [] : (findLegByCloid(store, cloid)?.orderId ?? []),
  );
  return [...new Set([id, ...apart])].flatMap((each) => {
    const order = findOrder(store, each);
    return order?.idempotencyKey === idempotencyKey ? [order] : [];
  });
}

/** Its entry, once that was sent, and every guard that it has had. */
function byTrade(store: Store, id: string): StoredOrder[] {
  const trade = findTrade(store, id);
  if (trade === null) return [];
  const entry = trade.entryId === null ? null : findOrder(store, trade.entryId);
  return [
    ...(entry === null ? [] : [entry]),
    ...listGuards(store, trade, "stop"),
    ...listGuards(store, trade, "profit"),
  ];
}
