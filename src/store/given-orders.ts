/** Orders that a restore has found, given to the bots that they were placed for. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { cloidOf } from "../core/cloid.ts";
import { bookFills } from "./bots.ts";
import { noteWritten } from "./live-tally.ts";
import type { Store } from "./open.ts";
import { touchOpenLegs } from "./open-leg-book.ts";
import { findOrder } from "./orders.ts";
import { orders } from "./schema.ts";
import { adoptions } from "./schema-restore.ts";

/** Orders that were found after a restore and belong to no key, in the order of their placing. */
export function listFoundOfNobody(store: Store, accountId: string): { id: string; cloid: string }[] {
  const isOfAccount = eq(adoptions.accountId, accountId);
  const rows = store
    .select({ id: orders.id })
    .from(adoptions)
    .innerJoin(orders, eq(orders.id, adoptions.orderId))
    .where(and(isOfAccount, isNull(orders.keyHash)))
    .orderBy(orders.id)
    .all();
  return rows.map(({ id }) => ({ id, cloid: cloidOf(id) }));
}

/**
 * Gives an order that belongs to no key to this key, and books what it has filled for the key's bot. Its version changes, so that whoever
 * has read the order before has to decide anew.
 */
export function giveOrder(store: Store, id: string, keyHash: string): void {
  const isOfNobody = and(eq(orders.id, id), isNull(orders.keyHash));
  const changed = { keyHash, version: sql`${orders.version} + 1` };
  if (store.update(orders).set(changed).where(isOfNobody).returning({ id: orders.id }).all().length === 0) return;
  const order = findOrder(store, id);
  if (order === null) throw new Error("bug: an order that was just given is gone");
  touchOpenLegs(store, id);
  noteWritten(store);
  bookFills(store, order, { filledSize: null, averagePrice: null });
}
