import { and, asc, desc, eq, gt, inArray, isNotNull, lt, lte, ne, sql } from "drizzle-orm";
import type { Delivery, DeliveryStatus } from "../core/hook/hook.ts";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { hookDeliveries } from "./schema-hooks.ts";

export type NewDelivery = Omit<Delivery, "id" | "steps" | "orderId" | "repeats" | "isHeldBack">;

const insert = prepared((store) =>
  store.insert(hookDeliveries).values(placeholders(hookDeliveries)).returning().prepare(),
);

/** Inside the caller's transaction. */
export function insertDelivery(store: Store, delivery: NewDelivery): Delivery {
  const row = insert(store).get({ ...delivery, id: null, steps: 0, orderId: null, repeats: 0, isHeldBack: false });
  if (row === undefined) throw new Error("bug: a row that was stored and is not there");
  return row;
}

/** How many of the newest are remembered. */
const MAX_HEARD = 1_000;

/** Notes when this process has heard it, by a clock that nobody sets. */
export function noteHeard({ memory: { heardAlerts } }: Store, id: number, elapsedMs: number): void {
  heardAlerts.set(id, elapsedMs);
  for (const oldest of heardAlerts.keys()) {
    if (heardAlerts.size <= MAX_HEARD) return;
    heardAlerts.delete(oldest);
  }
}

/** Null where another process has heard it. */
export function heardMsOf({ memory: { heardAlerts } }: Store, id: number): number | null {
  return heardAlerts.get(id) ?? null;
}

export function findDelivery(store: Store, id: number): Delivery | null {
  return store.select().from(hookDeliveries).where(eq(hookDeliveries.id, id)).get() ?? null;
}

/** The newest that says the same. */
export function findSame(store: Store, hookId: string, identity: string): Delivery | null {
  const isSame = and(eq(hookDeliveries.hookId, hookId), eq(hookDeliveries.identity, identity));
  const newest = desc(hookDeliveries.id);
  return store.select().from(hookDeliveries).where(isSame).orderBy(newest).limit(1).get() ?? null;
}

/** The newest before this one that says the same, and for which an order was placed. */
export function findOrderedBefore(
  store: Store,
  { id, hookId, identity }: Pick<Delivery, "id" | "hookId" | "identity">,
): Delivery | null {
  const isSame = and(eq(hookDeliveries.hookId, hookId), eq(hookDeliveries.identity, identity));
  const isBefore = and(isSame, lt(hookDeliveries.id, id), isNotNull(hookDeliveries.orderId));
  return store.select().from(hookDeliveries).where(isBefore).orderBy(desc(hookDeliveries.id)).limit(1).get() ?? null;
}

export function countRepeat(store: Store, id: number): void {
  const repeats = sql`${hookDeliveries.repeats} + 1`;
  store.update(hookDeliveries).set({ repeats }).where(eq(hookDeliveries.id, id)).run();
}

/** What is to be carried out, the oldest first. */
export function listAccepted(store: Store, hookId: string): Delivery[] {
  const isOpen = and(eq(hookDeliveries.hookId, hookId), sql`status = 'accepted'`);
  return store.select().from(hookDeliveries).where(isOpen).orderBy(asc(hookDeliveries.id)).all();
}

// Looked at every second.
const withWork = prepared((store) =>
  store.selectDistinct({ id: hookDeliveries.hookId }).from(hookDeliveries).where(sql`status = 'accepted'`).prepare(),
);

/** Of every hook. */
export function listHooksWithWork(store: Store): string[] {
  return withWork(store)
    .all()
    .map(({ id }) => id);
}

/** The time of the newest alert that was ever read of this market; null where there was none. */
export function newestAlertMs(store: Store, hookId: string, market: string): number | null {
  const isOf = and(
    eq(hookDeliveries.hookId, hookId),
    eq(hookDeliveries.market, market),
    isNotNull(hookDeliveries.alertAtMs),
  );
  const newest = desc(hookDeliveries.alertAtMs);
  const row = store.select({ atMs: hookDeliveries.alertAtMs }).from(hookDeliveries);
  return row.where(isOf).orderBy(newest).limit(1).get()?.atMs ?? null;
}

export type DeliveryChange = Partial<Pick<Delivery, "status" | "steps" | "orderId" | "reason" | "endedAtMs">>;

/** Of one that is still to be carried out; one that has ended stays as it is. */
export function updateDelivery(store: Store, id: number, change: DeliveryChange): void {
  const isThis = and(eq(hookDeliveries.id, id), sql`status = 'accepted'`);
  store.update(hookDeliveries).set(change).where(isThis).run();
}

/** Those of these hooks that wait now: from then on they increase nothing, and the reason says why. */
export function holdBack(store: Store, hookIds: readonly string[], reason: string): void {
  const isOf = and(inArray(hookDeliveries.hookId, [...hookIds]), sql`status = 'accepted'`);
  if (hookIds.length > 0) store.update(hookDeliveries).set({ reason, isHeldBack: true }).where(isOf).run();
}

/** Whether it has waited through a stop. */
export function isHeldBack(store: Store, id: number): boolean {
  return findDelivery(store, id)?.isHeldBack === true;
}

/** Those of this market that have not been carried out yet, but for one. */
export function supersede(store: Store, { id, hookId, market }: Delivery, atMs: number): void {
  const isOther = and(eq(hookDeliveries.hookId, hookId), sql`status = 'accepted'`, ne(hookDeliveries.id, id));
  const change = { status: "superseded" as DeliveryStatus, endedAtMs: atMs };
  store
    .update(hookDeliveries)
    .set(change)
    .where(and(isOther, eq(hookDeliveries.market, market ?? "")))
    .run();
}

/** The newest first. */
export function listDeliveries(
  store: Store,
  hookId: string,
  page: { before: number | null; limit: number },
): Delivery[] {
  const isOf = and(
    eq(hookDeliveries.hookId, hookId),
    page.before === null ? undefined : lt(hookDeliveries.id, page.before),
  );
  return store.select().from(hookDeliveries).where(isOf).orderBy(desc(hookDeliveries.id)).limit(page.limit).all();
}

/** In the order in which they came. */
export function listDeliveriesSince(store: Store, hookId: string, sinceMs: number, limit: number): Delivery[] {
  const isOf = and(eq(hookDeliveries.hookId, hookId), gt(hookDeliveries.receivedAtMs, sinceMs));
  return store.select().from(hookDeliveries).where(isOf).orderBy(asc(hookDeliveries.id)).limit(limit).all();
}

/** The oldest go that are over: those beyond the newest `kept` of a hook. */
export function forgetDeliveries(store: Store, hookId: string, kept: number): void {
  const own = eq(hookDeliveries.hookId, hookId);
  const first = store.select({ id: hookDeliveries.id }).from(hookDeliveries).where(own);
  const last = first.orderBy(desc(hookDeliveries.id)).offset(kept).limit(1).get();
  if (last === undefined) return;
  store
    .delete(hookDeliveries)
    .where(and(own, lte(hookDeliveries.id, last.id), ne(hookDeliveries.status, "accepted")))
    .run();
}
