/**
 * The log of what clients are told. A row is written with the change that it tells, so nothing is told that is not
 * stored, and nothing that is stored stays untold. What an account was told is read by `account-events`.
 */
import { and, asc, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import { firstEventId, type NewEvent, type PlacedBy } from "../core/event.ts";
import { NOTICE_TYPE } from "../core/notice/notice.ts";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { events, listedEvents } from "./schema-events.ts";

export type StoredEvent = typeof events.$inferSelect;

/** Called after a commit, with the accounts that have news. Must not write; what it throws reaches nobody. */
export type EventListener = (accountIds: ReadonlySet<string>) => void;

export type Audience = { news: Set<string>; listeners: Set<EventListener> };

const insert = prepared((store) => store.insert(events).values(placeholders(events)).prepare());

const NOBODY: PlacedBy = { keyHash: null, idempotencyKey: null, batchIndex: null };

/** Inside the transaction of the change that it tells. */
export function appendEvent(store: Store, event: NewEvent): void {
  const { accountId, atMs, type, resourceId, payload, placedBy = NOBODY } = event;
  const { keyHash, idempotencyKey, batchIndex } = placedBy;
  insert(store).run({ id: null, accountId, atMs, type, resourceId, payload, keyHash, idempotencyKey, batchIndex });
  store.memory.audience?.news.add(accountId);
}

/** Tells `listener` after each commit that had news; returns how to stop that. */
export function onEvents({ memory }: Store, listener: EventListener): () => void {
  const audience = memory.audience ?? { news: new Set(), listeners: new Set() };
  memory.audience = audience;
  audience.listeners.add(listener);
  return () => {
    audience.listeners.delete(listener);
    if (audience.listeners.size === 0) memory.audience = null;
  };
}

/** For `commit.ts`, once a transaction is through. What a rollback took with it costs a listener one look. */
export function announceEvents({ memory }: Store): void {
  const { audience } = memory;
  if (audience === null || audience.news.size === 0) return;
  const news = new Set(audience.news);
  audience.news.clear();
  for (const listener of audience.listeners) {
    try {
      listener(news);
    } catch {
      // All is stored by now: whoever wrote it would take this for "nothing was stored". A reader looks again later.
    }
  }
}

/** Writes the row from which this start counts. Without it a power cut or a restore could give an id a second meaning. */
export function markStart(store: Store, nowMs: number): void {
  const id = firstEventId(latestEventId(store), nowMs);
  store.insert(events).values({ id, accountId: "", atMs: nowMs, type: "started", resourceId: "", payload: null }).run();
}

const latest = prepared((store) =>
  store.select({ id: events.id }).from(events).orderBy(desc(events.id)).limit(1).prepare(),
);

/** 0 while nothing has been written. */
export function latestEventId(store: Store): number {
  return latest(store).get()?.id ?? 0;
}

const byId = prepared((store) =>
  store
    .select({ id: events.id })
    .from(events)
    .where(eq(events.id, sql.placeholder("id")))
    .prepare(),
);

export function hasEvent(store: Store, id: number): boolean {
  return byId(store).get({ id }) !== undefined;
}

/** A row of the gateway's own, of no account: no stream tells it. */
export function appendNotice(store: Store, what: string, payload: string, atMs: number): void {
  insert(store).run({ accountId: "", atMs, type: NOTICE_TYPE, resourceId: what, payload, ...NOBODY, id: null });
}

/** Of every account, and those of none; oldest first. */
export function listAllEventsAfter(store: Store, after: number, limit: number): StoredEvent[] {
  return store.select().from(events).where(gt(events.id, after)).orderBy(asc(events.id)).limit(limit).all();
}

const positions = prepared((store) => {
  const { accountId, type, resourceId, payload } = events;
  // Of the columns beside it SQLite gives those of the row that has the maximum.
  const newestId = sql<number>`max(${events.id})`;
  // Written out: an index over a part is only used where the text of the statement says that part.
  const isPosition = sql`${type} = 'position.updated'`;
  return store
    .select({ market: resourceId, payload, newestId })
    .from(events)
    .where(and(eq(accountId, sql.placeholder("accountId")), isPosition))
    .groupBy(resourceId)
    .prepare();
});

/** What was told last of each position of an account, as far as events are kept. */
export function listToldPositions(store: Store, accountId: string): { market: string; payload: string | null }[] {
  return positions(store).all({ accountId });
}

export type Retention = { maxRows: number; beforeMs: number };

/**
 * Deletes up to `limit` of the oldest rows: those from before `beforeMs`, and those beyond `maxRows`. The newest row
 * stays in any case. Returns how many were deleted.
 */
export function pruneEvents(store: Store, { maxRows, beforeMs }: Retention, limit: number): number {
  const newest = latestEventId(store);
  const firstKept = store
    .select({ id: events.id })
    .from(events)
    .orderBy(desc(events.id))
    .offset(maxRows)
    .limit(1)
    .get();
  const oldest = store.select().from(events).where(lt(events.id, newest)).orderBy(asc(events.id)).limit(limit).all();
  const doomed = oldest.filter(({ id, atMs }) => atMs < beforeMs || (firstKept !== undefined && id <= firstKept.id));
  const last = doomed.at(-1);
  if (last === undefined) return 0;
  store.delete(events).where(lte(events.id, last.id)).run();
  store.delete(listedEvents).where(lte(listedEvents.id, last.id)).run();
  return doomed.length;
}
