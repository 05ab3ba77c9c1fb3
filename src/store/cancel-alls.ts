import { eq, gt, isNull, or, sql } from "drizzle-orm";
import type { CancelAll } from "../core/cancel-all.ts";
import { appendAudit } from "./audit.ts";
import type { Store } from "./open.ts";
import { findOrder, type StoredOrder } from "./orders.ts";
import { prepared } from "./prepared.ts";
import { cancelAllOrders, cancelAlls } from "./schema-whole-trades.ts";

/** Inside the caller's transaction: from its commit on these orders are canceled, whatever becomes of this process. */
export function insertCancelAll(store: Store, row: CancelAll, orderIds: readonly string[]): void {
  store.insert(cancelAlls).values(row).run();
  for (const orderId of orderIds) addCovered(store, row.id, orderId);
  const { cause, market, side, touches, keepsProtection } = row;
  appendAudit(store, {
    atMs: row.createdAtMs,
    actor: row.keyHash,
    event: "cancel_all",
    reference: row.id,
    detail: { cause, market, side, touches, keep_protection: keepsProtection, orders: orderIds.length },
  });
}

export function addCovered(store: Store, cancelAllId: string, orderId: string): void {
  store.insert(cancelAllOrders).values({ cancelAllId, orderId }).onConflictDoNothing().run();
}

const byId = prepared((store) =>
  store
    .select()
    .from(cancelAlls)
    .where(eq(cancelAlls.id, sql.placeholder("id")))
    .prepare(),
);

export function findCancelAll(store: Store, id: string): CancelAll | null {
  return byId(store).get({ id }) ?? null;
}

const notDoneBefore = prepared((store) =>
  store
    .select()
    .from(cancelAlls)
    .where(or(isNull(cancelAlls.doneAtMs), gt(cancelAlls.doneAtMs, sql.placeholder("doneSinceMs"))))
    .prepare(),
);

/** Those of which something is left to do, and those that were done since then: what they took for over may live. */
export function listCancelAlls(store: Store, doneSinceMs: number): CancelAll[] {
  return notDoneBefore(store).all({ doneSinceMs });
}

const coveredBy = prepared((store) =>
  store
    .select()
    .from(cancelAllOrders)
    .where(eq(cancelAllOrders.cancelAllId, sql.placeholder("id")))
    .prepare(),
);

/** The orders that it covers; one that was taken back, because nothing of it had left, is none of them any more. */
export function listCovered(store: Store, { id }: Pick<CancelAll, "id">): StoredOrder[] {
  return coveredBy(store)
    .all({ id })
    .flatMap(({ orderId }) => findOrder(store, orderId) ?? []);
}

export function updateCancelAll(
  store: Store,
  id: string,
  change: Partial<Pick<CancelAll, "outsideAtMs" | "doneAtMs">>,
): void {
  store.update(cancelAlls).set(change).where(eq(cancelAlls.id, id)).run();
}
