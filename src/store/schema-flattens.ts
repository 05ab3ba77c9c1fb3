import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Stops whose positions are to be closed as well: the row comes first, then the orders. */
export const flattens = sqliteTable("flattens", {
  stopId: text().primaryKey(),
  accountId: text().notNull(),
  askedAtMs: integer().notNull(),
  askedBy: text(),
  maxSlippageBps: integer().notNull(),
  steps: integer().notNull(),
  endedAtMs: integer(),
  /** JSON: what is left of each market, and why. */
  left: text().notNull(),
});
