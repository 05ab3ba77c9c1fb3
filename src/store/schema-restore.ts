/** The tables of a restore: when there was one, and what of the time since its snapshot was read from the exchange. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One row for each time that this database was put in place of a lost one. */
export const restores = sqliteTable("restores", {
  id: integer().primaryKey({ autoIncrement: true }),
  restoredAtMs: integer().notNull(),
});

/** Accounts whose orders since the snapshot have to be read, or have been, before anything is written for them. */
export const takeUps = sqliteTable("take_ups", {
  accountId: text().primaryKey(),
  restoreId: integer().notNull(),
  /** The newest thing that the snapshot knew of, wall time: what came after it has to be read from the exchange. */
  snapshotAtMs: integer().notNull(),
  /** Wall time at which that was done; null until then. */
  takenUpAtMs: integer(),
  /** Up to when the snapshot had all fills, by the exchange's time; null where it had none, or is of before this was kept. */
  filledToMs: integer(),
  /** When it was taken up, by the exchange's time. */
  readToMs: integer(),
});

/** Orders of ours that a take-up found and whose Idempotency-Key the database does not know: only its bits. */
export const adoptions = sqliteTable(
  "adoptions",
  {
    accountId: text().notNull(),
    /** Last 12 hex digits of the client order id: the keyed hash of account and Idempotency-Key. */
    keyDigits: text().notNull(),
    orderId: text().notNull(),
    /** False where only fills are left of the order, which do not tell what was asked for. */
    hasTerms: integer({ mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.keyDigits] })],
);
