import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The last beat of each bot, and what became of the one before it. */
export const heartbeats = sqliteTable(
  "heartbeats",
  {
    accountId: text().notNull(),
    /** `bot` and its name, or `key` and the hash of a plain key. */
    holder: text().notNull(),
    keyHash: text().notNull(),
    status: text().$type<"armed" | "missed" | "disarmed">().notNull(),
    withinMs: integer().notNull(),
    beatAtMs: integer().notNull(),
    graceAtMs: integer(),
    missedAtMs: integer(),
    stopId: text(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.holder] })],
);
