/** What nobody can answer for: asked every few seconds for as long as a gateway runs. */
import { and, count, eq, isNull, min, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { operations, orders } from "./schema.ts";

/** How many rows of an account, and since when, unix milliseconds. */
export type Unknowns = { count: number; oldestMs: number | null };

const NONE: Unknowns = { count: 0, oldestMs: null };

const ofOrders = prepared((store) => {
  const isOfAccount = eq(orders.accountId, sql.placeholder("accountId"));
  return store
    .select({ count: count(), oldestMs: min(orders.createdAtMs) })
    .from(orders)
    .where(and(isOfAccount, eq(orders.status, "unknown"), isNull(orders.releasedAtMs)))
    .prepare();
});

const ofOperations = prepared((store) => {
  const isOfAccount = eq(operations.accountId, sql.placeholder("accountId"));
  return store
    .select({ count: count(), oldestMs: min(operations.createdAtMs) })
    .from(operations)
    .where(and(isOfAccount, eq(operations.status, "unknown"), isNull(operations.releasedAtMs)))
    .prepare();
});

/** Orders that are unknown and that nobody has given up. */
export function unknownOrders(store: Store, accountId: string): Unknowns {
  return ofOrders(store).get({ accountId }) ?? NONE;
}

/** Operations that are unknown and that nobody has given up. */
export function unknownOperations(store: Store, accountId: string): Unknowns {
  return ofOperations(store).get({ accountId }) ?? NONE;
}
