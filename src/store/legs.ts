import { and, eq, sql } from "drizzle-orm";
import type { Leg } from "../core/order.ts";
import type { Store } from "./open.ts";
import { assignments, columnsBut, placeholders, prepared } from "./prepared.ts";
import { legs, orders } from "./schema.ts";
import { toTrigger, triggerColumns } from "./trigger-columns.ts";

function toLeg(row: typeof legs.$inferSelect): Leg {
  const { triggerPrice, triggerKind, triggerMarket, ...rest } = row;
  return { ...rest, trigger: toTrigger({ triggerPrice, triggerKind, triggerMarket }) };
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
  // A few rows: SQLite's own way of ordering them costs more than reading them.
  const rows = ofOrder(store).all({ orderId });
  return rows.sort((a, b) => a.ordinal - b.ordinal).map(toLeg);
}

const byCloid = prepared((store) =>
  store
    .select()
    .from(legs)
    .where(eq(legs.cloid, sql.placeholder("cloid")))
    .prepare(),
);

export function findLegByCloid(store: Store, cloid: string): Leg | null {
  const row = byCloid(store).get({ cloid });
  return row === undefined ? null : toLeg(row);
}

/** Legs followed up at one start, at most. */
const MAX_SHORT_LEGS = 1_000;

/** Client order ids of legs that closed as filled and whose fills are not all known yet. */
export function listShortFilledLegs(store: Store): string[] {
  return (
    store
      .select({ cloid: legs.cloid })
      .from(legs)
      // In the words of the index that holds only these.
      .where(sql`${legs.state} = 'filled' and ${legs.filledSize} <> ${legs.size}`)
      .limit(MAX_SHORT_LEGS)
      .all()
      .map((row) => row.cloid)
  );
}

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
  const row = byOid(store).get({ oid, accountId });
  return row === undefined ? null : toLeg(row.leg);
}

const insertOneLeg = prepared((store) => store.insert(legs).values(placeholders(legs)).prepare());

export function insertLeg(store: Store, leg: Leg): void {
  const { trigger, ...rest } = leg;
  insertOneLeg(store).run({ ...rest, ...triggerColumns(trigger) });
}

const updateOneLeg = prepared((store) =>
  store
    .update(legs)
    .set(assignments(legs, columnsBut(legs, ["cloid", "orderId", "ordinal"])))
    .where(eq(legs.cloid, sql.placeholder("cloid")))
    .prepare(),
);

export function updateLeg(store: Store, leg: Leg): void {
  const { trigger, ...rest } = leg;
  updateOneLeg(store).run({ ...rest, ...triggerColumns(trigger) });
}

/** Gives a leg to another order. */
export function moveLeg(store: Store, cloid: string, to: { orderId: string; ordinal: number }): void {
  store.update(legs).set(to).where(eq(legs.cloid, cloid)).run();
}

export function deleteLeg(store: Store, cloid: string): void {
  store.delete(legs).where(eq(legs.cloid, cloid)).run();
}
