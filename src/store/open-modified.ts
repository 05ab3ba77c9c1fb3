import { and, eq, inArray, isNotNull } from "drizzle-orm";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { accounts, attempts, orders } from "./schema.ts";

const openModified = prepared((store) => {
  // By account and status, as the index has them.
  const isOfAnAccount = inArray(orders.accountId, store.select({ id: accounts.id }).from(accounts));
  return store
    .selectDistinct({ id: orders.id })
    .from(orders)
    .innerJoin(attempts, eq(attempts.resourceId, orders.id))
    .where(
      and(isOfAnAccount, inArray(orders.status, ["open", "waiting_for_trigger"]), isNotNull(attempts.intendedTotal)),
    )
    .prepare();
});

/** Ids of all orders that are open, or wait for their trigger, and were modified by their price alone. */
export function listOpenModified(store: Store): string[] {
  return openModified(store)
    .all()
    .map(({ id }) => id);
}
