import { and, eq, isNotNull, sql } from "drizzle-orm";
import { uuidOfCloid } from "../core/cloid.ts";
import type { Leg } from "../core/order.ts";
import type { Store } from "./open.ts";
import { LEG, LEG_COLUMNS, legColumns, placingLeg } from "./placing-columns.ts";
import { assignments, columnsBut, placeholders, prepared, preparedChange } from "./prepared.ts";
import { legs, orders } from "./schema.ts";
import { toTrigger, triggerColumns } from "./trigger-columns.ts";

function toLeg(row: typeof legs.$inferSelect): Leg {
  const { triggerPrice, triggerKind, triggerMarket, ...rest } = row;
  return { ...rest, trigger: toTrigger({ triggerPrice, triggerKind, triggerMarket }) };
}

const firstOf = prepared((store) =>
  store
    .select(LEG_COLUMNS)
    .from(orders)
    .where(eq(orders.id, sql.placeholder("orderId")))
    .prepare(),
);

/** The leg in an order's own row; null where there is none. */
function findFirstLeg(store: Store, orderId: string): Leg | null {
  const row = firstOf(store).get({ orderId });
  return row === undefined ? null : placingLeg(row);
}

const ofOrder = prepared((store) =>
  store
    .select()
    .from(legs)
    .where(eq(legs.orderId, sql.placeholder("orderId")))
    .prepare(),
);

/** Oldest first. */
export function listLegs(store: Store, orderId: string): Leg[] {
  const first = findFirstLeg(store, orderId);
  // A few rows: SQLite's own way of ordering them costs more than reading them.
  const others = ofOrder(store)
    .all({ orderId })
    .sort((a, b) => a.ordinal - b.ordinal);
  return [...(first === null ? [] : [first]), ...others.map(toLeg)];
}

const byCloid = prepared((store) =>
  store
    .select()
    .from(legs)
    .where(eq(legs.cloid, sql.placeholder("cloid")))
    .prepare(),
);

export function findLegByCloid(store: Store, cloid: string): Leg | null {
  const orderId = uuidOfCloid(cloid);
  const first = orderId === null ? null : findFirstLeg(store, orderId);
  if (first !== null) return first;
  const row = byCloid(store).get({ cloid });
  return row === undefined ? null : toLeg(row);
}

/** Not by the account as well: SQLite might then read all of its history. */
const firstsByOid = prepared((store) =>
  store
    .select({ ...LEG_COLUMNS, accountId: orders.accountId })
    .from(orders)
    .where(eq(orders.legOid, sql.placeholder("oid")))
    .prepare(),
);
const byOid = prepared((store) =>
  store
    .select({ leg: legs })
    .from(legs)
    .innerJoin(orders, eq(orders.id, legs.orderId))
    .where(and(eq(legs.oid, sql.placeholder("oid")), eq(orders.accountId, sql.placeholder("accountId"))))
    .prepare(),
);

/** A native id names one order of the whole exchange, but only its own account may see it. */
export function findLegByOid(store: Store, accountId: string, oid: string): Leg | null {
  const first = firstsByOid(store)
    .all({ oid })
    .find((row) => row.accountId === accountId);
  if (first !== undefined) return placingLeg(first);
  const row = byOid(store).get({ oid, accountId });
  return row === undefined ? null : toLeg(row.leg);
}

const insertOneLeg = prepared((store) => store.insert(legs).values(placeholders(legs)).prepare());

/** Stores a leg in a row of its own: any but the first of a placing, which `insertPlacing` stores. */
export function insertLeg(store: Store, leg: Leg): void {
  const { trigger, ...rest } = leg;
  insertOneLeg(store).run({ ...rest, ...triggerColumns(trigger) });
}

const updateFirstLeg = preparedChange((store) =>
  store
    .update(orders)
    .set(assignments(orders, LEG))
    .where(and(eq(orders.id, sql.placeholder("orderId")), isNotNull(orders.legState)))
    .prepare(),
);
const updateOneLeg = prepared((store) =>
  store
    .update(legs)
    .set(assignments(legs, columnsBut(legs, ["cloid", "orderId", "ordinal"])))
    .where(eq(legs.cloid, sql.placeholder("cloid")))
    .prepare(),
);

export function updateLeg(store: Store, leg: Leg): void {
  const { trigger, ...rest } = leg;
  const isOwn = uuidOfCloid(leg.cloid) === leg.orderId;
  if (isOwn && updateFirstLeg(store)({ ...legColumns(leg), orderId: leg.orderId }).rows === 1) return;
  updateOneLeg(store).run({ ...rest, ...triggerColumns(trigger) });
}

/** Gives a leg to another order. Never the first of a placing: that is what its order is. */
export function moveLeg(store: Store, cloid: string, to: { orderId: string; ordinal: number }): void {
  store.update(legs).set(to).where(eq(legs.cloid, cloid)).run();
}

/** Never the first of a placing: that goes with its order. */
export function deleteLeg(store: Store, cloid: string): void {
  store.delete(legs).where(eq(legs.cloid, cloid)).run();
}
