/** The tables of trades, and of what is closed and canceled together: the row comes first, then the work. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Closes of a position, and what they leave behind. */
export const closes = sqliteTable(
  "closes",
  {
    orderId: text().primaryKey(),
    accountId: text().notNull(),
    market: text().notNull(),
    keyHash: text().notNull(),
    touches: text().$type<"own" | "all">().notNull(),
    keepsTriggers: integer({ mode: "boolean" }).notNull(),
    /** Number of the newest action that was signed before it: a trigger of later is none of it. */
    upTo: integer().notNull(),
    endedAtMs: integer(),
  },
  (table) => [index("closes_running").on(table.accountId).where(sql`ended_at_ms is null`)],
);

export const cancelAlls = sqliteTable(
  "cancel_alls",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    keyHash: text().notNull(),
    cause: text().$type<"asked" | "closed">().notNull(),
    market: text(),
    side: text().$type<"buy" | "sell">(),
    touches: text().$type<"own" | "all">().notNull(),
    keepsProtection: integer({ mode: "boolean" }).notNull(),
    createdAtMs: integer().notNull(),
    outsideAtMs: integer(),
    doneAtMs: integer(),
    idempotencyKey: text(),
  },
  (table) => [
    uniqueIndex("cancel_alls_key").on(table.accountId, table.idempotencyKey).where(sql`idempotency_key is not null`),
    index("cancel_alls_running").on(table.createdAtMs).where(sql`done_at_ms is null`),
  ],
);

/** The orders of each, fixed when it was stored, and those of elsewhere when they were found. */
export const cancelAllOrders = sqliteTable(
  "cancel_all_orders",
  { cancelAllId: text().notNull(), orderId: text().notNull() },
  (table) => [primaryKey({ columns: [table.cancelAllId, table.orderId] })],
);

/** An entry and what protects it. Their orders are orders like any other. */
export const trades = sqliteTable(
  "trades",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    market: text().notNull(),
    createdAtMs: integer().notNull(),
    /** Null while something of it is held or out. */
    endedAtMs: integer(),
    /** JSON of the trade: what was asked for, and how far it has come. */
    trade: text().notNull(),
  },
  (table) => [
    index("trades_account").on(table.accountId, table.createdAtMs),
    // Only those that go on.
    index("trades_open").on(table.accountId).where(sql`ended_at_ms is null`),
  ],
);
