/** Orders that were placed as one action. */
import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { ORDER_COLUMNS, type StoredOrder, toOrder } from "./orders.ts";
import { prepared } from "./prepared.ts";
import { orders } from "./schema.ts";

const ofBatch = prepared((store) =>
  store
    .select(ORDER_COLUMNS)
    .from(orders)
    .where(eq(orders.batchId, sql.placeholder("batchId")))
    .orderBy(asc(orders.batchIndex))
    .prepare(),
);

/** The orders of a batch, in the order in which they were asked for. */
export function listBatch(store: Store, batchId: string): StoredOrder[] {
  return ofBatch(store).all({ batchId }).map(toOrder);
}

const openOfBatch = prepared((store) =>
  store
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.batchId, sql.placeholder("batchId")), ne(orders.attemptState, "done")))
    .prepare(),
);

/** Ids of the orders of a batch of which the outcome is not known yet. */
export function listUnsettledOfBatch(store: Store, batchId: string): string[] {
  return openOfBatch(store)
    .all({ batchId })
    .map(({ id }) => id);
}
