import { eq, isNull, sql } from "drizzle-orm";
import type { Flatten, Left } from "../core/flatten.ts";
import { stopResource } from "../core/resource.ts";
import { appendAudit } from "./audit.ts";
import { appendEvent } from "./events.ts";
import { findKeyRecord } from "./idempotency.ts";
import type { Store } from "./open.ts";
import { findOrder, type StoredOrder } from "./orders.ts";
import { prepared } from "./prepared.ts";
import { flattens } from "./schema-stops.ts";
import { findStop } from "./stops.ts";

const STEP = "flatten ";

/** The key under which one of a flattening's orders is placed: with spaces, so that it can be no client's Idempotency-Key. */
export function nameOfStep({ stopId }: Pick<Flatten, "stopId">, step: number): string {
  return `${STEP}${stopId} ${step}`;
}

/** Whether an order was placed to flatten. */
export function isFlattenStep({ idempotencyKey }: Pick<StoredOrder, "idempotencyKey">): boolean {
  return idempotencyKey?.startsWith(STEP) === true;
}

type FlattenRow = typeof flattens.$inferSelect;

function toFlatten({ left, ...row }: FlattenRow): Flatten {
  // What `putFlatten` writes.
  return { ...row, left: JSON.parse(left) as Left[] };
}

const byStop = prepared((store) =>
  store
    .select()
    .from(flattens)
    .where(eq(flattens.stopId, sql.placeholder("stopId")))
    .prepare(),
);

export function findFlatten(store: Store, stopId: string): Flatten | null {
  const row = byStop(store).get({ stopId });
  return row === undefined ? null : toFlatten(row);
}

const running = prepared((store) => store.select().from(flattens).where(isNull(flattens.endedAtMs)).prepare());

export function listRunningFlattens(store: Store): Flatten[] {
  return running(store).all().map(toFlatten);
}

/** Inside the caller's transaction. */
export function putFlatten(store: Store, flatten: Flatten): void {
  const row: FlattenRow = { ...flatten, left: JSON.stringify(flatten.left) };
  store.insert(flattens).values(row).onConflictDoUpdate({ target: flattens.stopId, set: row }).run();
}

type FlattenEvent = { event: "flatten_asked" | "flatten_ended"; actor: string; atMs: number };

/** Stores a flattening as it is now, with its audit row and its event. */
export function tellFlatten(store: Store, flatten: Flatten, { event, actor, atMs }: FlattenEvent): void {
  putFlatten(store, flatten);
  const { stopId, accountId, maxSlippageBps, steps, left } = flatten;
  const detail = { account: accountId, max_slippage_bps: maxSlippageBps, steps, left: left.length };
  appendAudit(store, { atMs, actor, event, reference: stopId, detail });
  const stop = findStop(store, stopId);
  if (stop === null) return;
  const payload = JSON.stringify(stopResource(stop));
  appendEvent(store, { accountId, atMs, type: "stop.updated", resourceId: stopId, payload });
}

/** The orders that a flattening has placed, oldest first. */
export function listSteps(store: Store, flatten: Flatten): StoredOrder[] {
  const names = Array.from({ length: flatten.steps }, (_, index) => nameOfStep(flatten, index + 1));
  return names.flatMap((name) => {
    const record = findKeyRecord(store, flatten.accountId, name);
    const order = record === null ? null : findOrder(store, record.resource.id);
    return order === null ? [] : [order];
  });
}
