/** The table of trades: an entry and what protects it. Their orders are orders like any other. */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
