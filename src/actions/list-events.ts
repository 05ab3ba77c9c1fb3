/**
 * `GET /v1/events`: what the log tells, from a place in it on. Everything that a stream sends is read from the log, so
 * a reader who is slow, or comes back, gets the same as one who was there.
 */
import type { EventType } from "../core/event.ts";
import { keyAsSent } from "../core/idempotency.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { listEventsAfter } from "../store/account-events.ts";
import { findApiKey } from "../store/api-keys.ts";
import { type EventListener, hasEvent, latestEventId, onEvents, type StoredEvent } from "../store/events.ts";
import { findListedFill } from "../store/fills.ts";
import { fillResource } from "./list-fills.ts";

/** One event as it is told. */
export type ToldEvent = {
  id: string;
  type: EventType | "ready" | "reset";
  /** JSON text. */
  text: string;
};

/** Whose events, and to which key. */
export type EventsReader = { accountId: string; keyHash: string };

const LOST = "The events after this one are not kept any more, or the id is not from this log: read the lists again.";

/** Where a reader begins, and the first event that says so. `asked` null = from now on, 0 = from the oldest kept. */
export function beginEvents(deps: With<"clock" | "store">, { accountId }: EventsReader, asked: number | null) {
  const { store, clock } = deps;
  const isKnown = asked === null || asked === 0 || hasEvent(store, asked);
  const position = asked === null || !isKnown ? latestEventId(store) : asked;
  const data = isKnown ? { resumed: asked !== null } : { reason: LOST };
  const type: ToldEvent["type"] = isKnown ? "ready" : "reset";
  const about = { id: position, type, accountId, atMs: clock.nowMs() };
  return { position, first: toldEvent(about, JSON.stringify(data)) };
}

/** `last`: the place up to which all of the reader's is told. */
export type EventsRead = { events: readonly ToldEvent[]; last: number };

/**
 * The next events of a reader, oldest first; null once its key opens nothing any more, or where its place is not kept any more: what
 * came after it may be gone as well, and the next stream from there says so.
 */
export function readEvents(
  { store }: With<"store">,
  { accountId, keyHash }: EventsReader,
  { after, limit }: { after: number; limit: number },
): EventsRead | null {
  const key = findApiKey(store, keyHash);
  if (key?.state !== "active" || key.fault !== null) return null;
  if (after !== 0 && !hasEvent(store, after)) return null;
  // Of before the reading: what another process commits between the two is read the next time.
  const latest = latestEventId(store);
  const rows = listEventsAfter(store, { accountId, after, limit });
  return {
    events: rows.map((row) => toldEvent(row, payloadOf({ store }, row), placedBy(row))),
    // An account in which nothing happens keeps no place of long ago.
    last: rows.at(-1)?.id ?? latest,
  };
}

/** Calls `listener` after each commit that has news for anybody; returns how to stop that. */
export function listenForEvents({ store }: With<"store">, listener: EventListener): () => void {
  return onEvents(store, listener);
}

function payloadOf({ store }: With<"store">, { accountId, type, resourceId, payload }: StoredEvent): string {
  if (payload !== null) return payload;
  const fill = findListedFill(store, accountId, resourceId);
  if (fill === null) throw new Error(`bug: an event of type ${type} without its resource`);
  return JSON.stringify(fillResource(fill));
}

/** Beside the order, which has the members of an order and no others. */
function placedBy({ type, keyHash, idempotencyKey, batchIndex }: StoredEvent): object {
  if (!type.startsWith("order.")) return {};
  const asSent = idempotencyKey === null ? null : keyAsSent(idempotencyKey);
  return { key_hash: keyHash, idempotency_key: asSent, batch_index: batchIndex };
}

type EventsAbout = { id: number; type: string; accountId: string; atMs: number };

function toldEvent({ id, type, accountId, atMs }: EventsAbout, payload: string, more: object = {}): ToldEvent {
  const about = { object: "event", id: String(id), type, account: accountId, created_at: isoTime(atMs) };
  const head = JSON.stringify({ ...about, ...more });
  // The column holds what `appendEvent` was given.
  return { id: String(id), type: type as ToldEvent["type"], text: `${head.slice(0, -1)},"data":${payload}}` };
}
