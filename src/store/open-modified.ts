import { and, eq, exists, inArray, isNotNull } from "drizzle-orm";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { accounts, orders } from "./schema.ts";
import { everyAttempt } from "./schema-views.ts";

const openModified = prepared((store) => {
  // By account and status, as the index has them.
  const isOfAnAccount = inArray(orders.accountId, store.select({ id: accounts.id }).from(accounts));
  const modifies = store
    .select({ id: everyAttempt.id })
    .from(everyAttempt)
    .where(and(eq(everyAttempt.resourceId, orders.id), isNotNull(everyAttempt.intendedTotal)));
  return store
    .select({ id: orders.id })
    .from(orders)
    .where(and(isOfAnAccount, inArray(orders.status, ["open", "waiting_for_trigger"]), exists(modifies)))
    .prepare();
});

/** Ids of all orders that are open, or wait for their trigger, and were modified by their price alone. */
export function listOpenModified(store: Store): string[] {
  return openModified(store)
    .all()
    .map(({ id }) => id);
}
