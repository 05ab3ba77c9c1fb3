/** The tables of hooks, and of the alerts that came to them. */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Addresses to which alerts are sent, each with the bot that they act as. What is sealed of one is all of it. */
export const hooks = sqliteTable(
  "hooks",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    name: text().notNull(),
    keyHash: text().notNull(),
    /** Hex SHA-256; what it is of is nowhere. */
    secretHash: text().notNull(),
    mode: text().$type<"order" | "target">().notNull(),
    market: text(),
    maxAgeMs: integer().notNull(),
    sameWithinMs: integer().notNull(),
    maxSlippageBps: integer().notNull(),
    sources: text(),
    isRehearsal: integer({ mode: "boolean" }).notNull(),
    state: text().$type<"active" | "held" | "revoked">().notNull(),
    createdAtMs: integer().notNull(),
  },
  (table) => [uniqueIndex("hooks_secret").on(table.secretHash)],
);

/** Every alert that was believed to be its hook's; one that came again is counted in the row of its first. */
export const hookDeliveries = sqliteTable(
  "hook_deliveries",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    hookId: text().notNull(),
    receivedAtMs: integer().notNull(),
    alertAtMs: integer(),
    market: text(),
    body: text().notNull(),
    identity: text().notNull(),
    status: text().$type<"accepted" | "done" | "too_old" | "superseded" | "refused" | "rehearsed">().notNull(),
    steps: integer().notNull(),
    orderId: text(),
    reason: text(),
    endedAtMs: integer(),
    repeats: integer().notNull(),
    isHeldBack: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("hook_deliveries_identity").on(table.hookId, table.identity),
    // Those of a hook in the order in which they came.
    index("hook_deliveries_hook").on(table.hookId),
    // Only those of which something is left to do.
    index("hook_deliveries_accepted").on(table.hookId).where(sql`status = 'accepted'`),
  ],
);
