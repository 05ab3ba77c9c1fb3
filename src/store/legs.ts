import { and, eq, exists, inArray, sql } from "drizzle-orm";
import { uuidOfCloid } from "../core/cloid.ts";
import { hasFilled, type Leg } from "../core/order.ts";
import { noteFilled } from "./leg-moments.ts";
import type { Store } from "./open.ts";
import { forgetOpenLegs, touchOpenLegs } from "./open-leg-book.ts";
import { toTrigger, triggerColumns } from "./placing-columns.ts";
import { hasFirstLeg, updateFirstLeg } from "./placing-row.ts";
import { assignments, columnsBut, placeholders, prepared } from "./prepared.ts";
import { noteRefused } from "./refused-book.ts";
import { legs, orders } from "./schema.ts";
import { everyLeg, LEG_FIELDS } from "./schema-views.ts";
import { heedLegId } from "./spot-fees.ts";

export function toLeg(row: typeof legs.$inferSelect): Leg {
  const { triggerPrice, triggerKind, triggerMarket, ...rest } = row;
  return { ...rest, trigger: toTrigger({ triggerPrice, triggerKind, triggerMarket }) };
}

const ofOrder = prepared((store) =>
  store
    .select(LEG_FIELDS)
    .from(everyLeg)
    .where(eq(everyLeg.orderId, sql.placeholder("orderId")))
    .prepare(),
);

/** Oldest first. */
export function listLegs(store: Store, orderId: string): Leg[] {
  // A few rows: SQLite's own way of ordering them costs more than reading them.
  return ofOrder(store)
    .all({ orderId })
    .map(toLeg)
    .sort((a, b) => a.ordinal - b.ordinal);
}

const byCloid = prepared((store) =>
  store
    .select(LEG_FIELDS)
    .from(everyLeg)
    .where(inArray(everyLeg.foundBy, [sql.placeholder("cloid"), sql.placeholder("orderId")]))
    .prepare(),
);

export function findLegByCloid(store: Store, cloid: string): Leg | null {
  const row = byCloid(store).get({ cloid, orderId: uuidOfCloid(cloid) });
  return row === undefined ? null : toLeg(row);
}

const byOid = prepared((store) => {
  const isOfIt = and(eq(orders.id, everyLeg.orderId), eq(orders.accountId, sql.placeholder("accountId")));
  // Asked of each leg that has the id: a join might begin with all orders of the account.
  const isOfAccount = exists(store.select({ id: orders.id }).from(orders).where(isOfIt));
  return store
    .select(LEG_FIELDS)
    .from(everyLeg)
    .where(and(eq(everyLeg.oid, sql.placeholder("oid")), isOfAccount))
    .prepare();
});

/** A native id names one order of the whole exchange, but only its own account may see it. */
export function findLegByOid(store: Store, accountId: string, oid: string): Leg | null {
  const row = byOid(store).get({ oid, accountId });
  return row === undefined ? null : toLeg(row);
}

const insertOneLeg = prepared((store) => store.insert(legs).values(placeholders(legs)).prepare());

/** Stores a leg in a row of its own: any but the first of a placing, which `insertPlacing` stores. */
export function insertLeg(store: Store, leg: Leg): void {
  touchOpenLegs(store, leg.orderId);
  const { trigger, ...rest } = leg;
  if (hasFilled(leg)) noteFilled(store, leg.cloid);
  insertOneLeg(store).run({ ...rest, ...triggerColumns(trigger) });
}

const updateOneLeg = prepared((store) =>
  store
    .update(legs)
    .set(assignments(legs, columnsBut(legs, ["cloid", "orderId", "ordinal"])))
    .where(eq(legs.cloid, sql.placeholder("cloid")))
    .prepare(),
);

/** Stores a leg as it is now. `before` is the leg as it stands in this transaction, of a caller that has read it. */
export function updateLeg(store: Store, leg: Leg, before = findLegByCloid(store, leg.cloid)): void {
  touchOpenLegs(store, leg.orderId);
  noteRefused(store);
  if (leg.filledSize !== before?.filledSize) noteFilled(store, leg.cloid);
  writeLeg(store, leg);
  heedLegId(store, leg.orderId, { before: before?.oid ?? null, after: leg.oid });
}

function writeLeg(store: Store, leg: Leg): void {
  const { trigger, ...rest } = leg;
  const isOwn = uuidOfCloid(leg.cloid) === leg.orderId;
  if (isOwn && hasFirstLeg(store, leg.orderId)) updateFirstLeg(store, leg);
  else updateOneLeg(store).run({ ...rest, ...triggerColumns(trigger) });
}

/** Gives a leg to another order. Never the first of a placing: that is what its order is. */
export function moveLeg(store: Store, cloid: string, to: { orderId: string; ordinal: number }): void {
  forgetOpenLegs(store);
  store.update(legs).set(to).where(eq(legs.cloid, cloid)).run();
}

/** Those of an order that is taken back, but for its first: that goes with the order's row. */
export function deleteLegsOf(store: Store, orderId: string): void {
  touchOpenLegs(store, orderId);
  store.delete(legs).where(eq(legs.orderId, orderId)).run();
}

/** Never the first of a placing: that goes with its order. */
export function deleteLeg(store: Store, cloid: string): void {
  forgetOpenLegs(store);
  store.delete(legs).where(eq(legs.cloid, cloid)).run();
}
