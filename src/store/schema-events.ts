import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What clients are told as it happens: each row is written with the change that it tells. Oldest are deleted first. */
export const events = sqliteTable(
  "events",
  {
    /**
     * Grows with every row, because the newest is never deleted; jumps ahead at each start, so that no number is ever
     * given out twice.
     */
    id: integer().primaryKey(),
    /** Empty for the row that each start writes. */
    accountId: text().notNull(),
    atMs: integer().notNull(),
    type: text().notNull(),
    /** Id of the order, operation or fill, hash of the key, address of the agent. */
    resourceId: text().notNull(),
    /** JSON of the resource as of then; null for a fill, which never changes and is read from its own row. */
    payload: text(),
    /** Of an order: which API key placed it under which Idempotency-Key, which outlives the row of one taken back. */
    keyHash: text(),
    idempotencyKey: text(),
    /** Which order of its batch it is; null for one that was placed by itself. */
    batchIndex: integer(),
  },
  (table) => [
    // The newest of each market is looked up at a start.
    index("events_positions").on(table.accountId, table.resourceId, table.id).where(sql`type = 'position.updated'`),
  ],
);

/**
 * The events of each account, by which they are read. Written some seconds after the events, many at once: an index of the log itself
 * would cost every order two pages. Who reads it reads the newest rows of the log besides.
 */
export const listedEvents = sqliteTable(
  "listed_events",
  { id: integer().primaryKey(), accountId: text().notNull() },
  (table) => [index("listed_events_account").on(table.accountId, table.id)],
);
