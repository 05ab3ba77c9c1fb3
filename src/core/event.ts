/** What clients may be told as it happens. A name never changes its meaning; a client ignores those it does not know. */
export const EVENT_TYPES = [
  "order.created",
  "order.updated",
  "order.removed",
  "order.self_trade",
  "fill.created",
  "operation.created",
  "operation.updated",
  "operation.removed",
  "position.updated",
  "balance.updated",
  "key.registered",
  "key.revoked",
  "key.blocked",
  "key.narrowed",
  "key.held",
  "key.released",
  "agent.approved",
  "agent.expiring",
  "stop.created",
  "stop.updated",
  "stop.waiting",
  "trade.created",
  "trade.updated",
  "rail.refused",
  "rail.tripped",
  "key.expiring",
  "heartbeat.missed",
  "proposal.created",
  "proposal.updated",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Something that happened to an account, on its way into the log. */
export type NewEvent = {
  accountId: string;
  atMs: number;
  type: EventType;
  /** Id of the order, operation, fill or proposal, hash of the key, address of the agent, holder of the heartbeat, narrowing or trip. */
  resourceId: string;
  /** JSON text of the resource as of then; null for a fill, which is read from its own row. */
  payload: string | null;
  /** Of an order: what it was placed by. Left out for everything else. */
  placedBy?: PlacedBy;
};

/**
 * The API key that placed an order, by its hash, and the client's name for it; null where it was placed elsewhere. `batchIndex`
 * says which order of its batch it is, and is null for one that was placed by itself.
 */
export type PlacedBy = { keyHash: string | null; idempotencyKey: string | null; batchIndex: number | null };

/** Ids are whole numbers below 2^53 without leading zeros. */
const EVENT_ID = /^(0|[1-9][0-9]{0,15})$/;

/** The id, or null for a text that is none. 0 stands before the first event. */
export function parseEventId(text: string): number | null {
  return EVENT_ID.test(text) ? Number(text) : null;
}

/** Ids of one millisecond of a start. */
const IDS_PER_MS = 1_000;
/** Ids that a power cut may have taken back after clients had seen them: far more than one checkpoint holds. */
const MAX_LOST_IDS = 1_000_000;

/**
 * Where a start begins to count: above every id that was ever given out, by the log as it stands, by rows that a power
 * cut took, and by a log that a backup has replaced since.
 */
export function firstEventId(lastId: number, nowMs: number): number {
  return Math.max(lastId + MAX_LOST_IDS, nowMs * IDS_PER_MS);
}
