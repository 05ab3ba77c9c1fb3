/** The tables of what was stopped, what became of it, and whose silence stops. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** What was withdrawn because somebody asked for a stop, or a key ended: the row comes first, then the work. */
export const stops = sqliteTable(
  "stops",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    scope: text().$type<"bot" | "account">().notNull(),
    /** Hash of the API key whose orders it covers; null where it covers the account. */
    keyHash: text(),
    cause: text()
      .$type<"asked" | "heartbeat_missed" | "key_blocked" | "key_revoked" | "loss_tripped" | "narrowed">()
      .notNull(),
    keepsProtection: integer({ mode: "boolean" }).notNull(),
    /** Number of the newest action that was signed before it. */
    upTo: integer().notNull(),
    /** The client's name for it; null where it gave none. */
    idempotencyKey: text(),
    createdAtMs: integer().notNull(),
    outsideAtMs: integer(),
    stoppedAtMs: integer(),
    resumedAtMs: integer(),
  },
  (table) => [
    index("stops_account").on(table.accountId, table.createdAtMs),
    uniqueIndex("stops_key").on(table.accountId, table.idempotencyKey).where(sql`idempotency_key is not null`),
    // Only those of which something is left to do, or that stand.
    index("stops_in_force")
      .on(table.accountId)
      .where(sql`resumed_at_ms is null and (cause = 'asked' or stopped_at_ms is null)`),
  ],
);

/** Orders and TWAPs that were placed elsewhere, and what a stop did about each, once. */
export const stopsOutside = sqliteTable(
  "stops_outside",
  {
    stopId: text().notNull(),
    /** `order` or `twap`, by native id. */
    kind: text().$type<"order" | "twap">().notNull(),
    nativeId: text().notNull(),
    market: text().notNull(),
    /** `kept`: canceling it would take protection away. */
    outcome: text().$type<"canceled" | "kept">().notNull(),
  },
  (table) => [primaryKey({ columns: [table.stopId, table.kind, table.nativeId] })],
);

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
