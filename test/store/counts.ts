import type { Store } from "../../src/store/open.ts";
import { orders } from "../../src/store/schema.ts";
import { audit } from "../../src/store/schema-audit.ts";

/** Ids of all stored orders, sorted. */
export function orderIds(store: Store): string[] {
  return store
    .select({ id: orders.id })
    .from(orders)
    .all()
    .map((row) => row.id)
    .toSorted();
}

/** Rows of the audit log. */
export function findAuditLength(store: Store): number {
  return store.select({ id: audit.id }).from(audit).all().length;
}
