/**
 * What one account was told: of `listed_events`, which has the ids of each account and is written some seconds later, and of the newest
 * rows, which have not come there yet. An index of the log's own would cost every order two pages.
 */
import { and, asc, desc, eq, getTableColumns, gt, gte, max, type SQL, sql } from "drizzle-orm";
import type { NewEvent } from "../core/event.ts";
import { NOTICE_TYPE } from "../core/notice/notice.ts";
import { latestEventId, type StoredEvent } from "./events.ts";
import type { Store } from "./open.ts";
import { prepared, preparedChange } from "./prepared.ts";
import { events, listedEvents } from "./schema-events.ts";

const lastListed = prepared((store) =>
  store
    .select({ id: max(listedEvents.id) })
    .from(listedEvents)
    .prepare(),
);

/** Every event up to this id is in the list. */
function lastListedId(store: Store): number {
  return lastListed(store).get()?.id ?? 0;
}

/** By the list; never by the account's rows in the log, which has no index of them. */
const isListed = and(
  eq(listedEvents.accountId, sql.placeholder("accountId")),
  gt(listedEvents.id, sql.placeholder("after")),
);
const isNotListed = and(gt(events.id, sql.placeholder("after")), eq(events.accountId, sql.placeholder("accountId")));

const listedAfter = prepared((store) =>
  store
    .select(getTableColumns(events))
    .from(listedEvents)
    // In this order: SQLite might else begin with the log.
    .crossJoin(events)
    .where(and(isListed, eq(events.id, listedEvents.id)))
    .orderBy(asc(listedEvents.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

const notListedAfter = prepared((store) =>
  store.select().from(events).where(isNotListed).orderBy(asc(events.id)).limit(sql.placeholder("limit")).prepare(),
);

export type EventPage = { accountId: string; after: number; limit: number };

/** An account's events after this id, oldest first. */
export function listEventsAfter(store: Store, { accountId, after, limit }: EventPage): StoredEvent[] {
  const last = lastListedId(store);
  const listed = after < last ? listedAfter(store).all({ accountId, after, limit }) : [];
  if (listed.length === limit) return listed;
  const rest = { accountId, after: Math.max(after, last), limit: limit - listed.length };
  return [...listed, ...notListedAfter(store).all(rest)];
}

const newestListed = prepared((store) =>
  store
    .select({ id: listedEvents.id })
    .from(listedEvents)
    .where(isListed)
    .orderBy(desc(listedEvents.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

const newestNotListed = prepared((store) =>
  store
    .select({ id: events.id })
    .from(events)
    .where(isNotListed)
    .orderBy(desc(events.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Ids of the newest events of an account, newest first. */
export function newestEventIds(store: Store, accountId: string, count: number): number[] {
  const newest = newestNotListed(store).all({ accountId, after: lastListedId(store), limit: count });
  const limit = count - newest.length;
  const older = limit === 0 ? [] : newestListed(store).all({ accountId, after: 0, limit });
  return [...newest, ...older].map(({ id }) => id);
}

/** All of an account that are as asked, oldest first. */
function listWhere(store: Store, accountId: string, isIt: SQL | undefined): StoredEvent[] {
  const listed = store
    .select(getTableColumns(events))
    .from(listedEvents)
    .crossJoin(events)
    .where(and(eq(listedEvents.accountId, accountId), eq(events.id, listedEvents.id), isIt))
    .orderBy(asc(listedEvents.id))
    .all();
  const isOfRest = and(gt(events.id, lastListedId(store)), eq(events.accountId, accountId), isIt);
  const rest = store.select().from(events).where(isOfRest).orderBy(asc(events.id)).all();
  return [...listed, ...rest];
}

/** True when this was told of this resource before, and is still kept. */
export function wasTold(store: Store, event: Pick<NewEvent, "accountId" | "type" | "resourceId" | "payload">): boolean {
  const { accountId, type, resourceId, payload } = event;
  const told = listWhere(store, accountId, and(eq(events.type, type), eq(events.resourceId, resourceId)));
  return told.some((row) => row.payload === payload);
}

/** What the gateway has noticed of itself since then, oldest first. */
export function listNoticesSince(
  store: Store,
  sinceMs: number,
): Pick<StoredEvent, "resourceId" | "payload" | "atMs">[] {
  return listWhere(store, "", and(eq(events.type, NOTICE_TYPE), gte(events.atMs, sinceMs)));
}

/** Whether there are events that the list lacks. */
export function lacksEvents(store: Store): boolean {
  return latestEventId(store) > lastListedId(store);
}

const take = preparedChange((store) =>
  store
    .insert(listedEvents)
    .select(
      store
        .select({ id: events.id, accountId: events.accountId })
        .from(events)
        .where(gt(events.id, sql.placeholder("after")))
        .orderBy(asc(events.id))
        .limit(sql.placeholder("count")),
    )
    .prepare(),
);

/** Takes up to `count` events into the list; returns how many. */
export function listEventsAnew(store: Store, count: number): number {
  return take(store)({ after: lastListedId(store), count }).rows;
}
