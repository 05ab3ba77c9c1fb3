import { and, eq, sql } from "drizzle-orm";
import type { Attempt } from "../core/attempt.ts";
import { requireUnused } from "./nonces.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { orders } from "./schema.ts";

const firstOfBatch = prepared((store) =>
  store
    .select(columnsOf(orders, ["signer", "nonce"]))
    .from(orders)
    .where(and(eq(orders.batchId, sql.placeholder("batchId")), eq(orders.batchIndex, 0)))
    .prepare(),
);

/**
 * Throws where another action has the number of this attempt. Later orders of a batch must have the number of its
 * first.
 */
export function requireOwnNumber(
  store: Store,
  { batchId, batchIndex }: Pick<StoredOrder, "batchId" | "batchIndex">,
  attempt: Pick<Attempt, "id" | "signer" | "nonce">,
): void {
  if (batchId === null || batchIndex === 0) {
    requireUnused(store, attempt);
    return;
  }
  const first = firstOfBatch(store).get({ batchId });
  if (first?.signer !== attempt.signer || first.nonce !== attempt.nonce)
    throw new Error("bug: an order of a batch under another number than its first");
}
