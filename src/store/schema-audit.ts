/** The tables that vouch for others. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Append-only and hash-chained: grants, revocations, agents, every signed action. */
export const audit = sqliteTable(
  "audit",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    atMs: integer().notNull(),
    /** Key hash, `owner`, `operator` or `gateway`. */
    actor: text().notNull(),
    event: text().notNull(),
    reference: text().notNull(),
    detail: text().notNull(),
    /** Hex SHA-256 over the row before and this row. */
    chain: text().notNull(),
  },
  // What is signed has a row for each intent, which does not pay for it.
  (table) => [index("audit_told").on(table.atMs, table.id).where(sql`event not glob 'sign_*'`)],
);

/**
 * The instance, every account, agent, key, revocation, stop, trip, narrowing, hook and approved proposal as they were written by who had the passphrase: a row of another
 * table that is not like its row here is not believed. A digest of all rows is in the seal.
 */
export const sealedRows = sqliteTable(
  "sealed_rows",
  {
    kind: text()
      .$type<
        | "instance"
        | "account"
        | "agent"
        | "key"
        | "revocation"
        | "stop"
        | "trip"
        | "narrowing"
        | "hook"
        | "trade"
        | "proposal"
      >()
      .notNull(),
    id: text().notNull(),
    /** JSON. */
    content: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
);

/** One row: how far the audit log had come when its key was last at hand. */
export const auditSeal = sqliteTable("audit_seal", {
  id: integer().primaryKey(),
  /** The audit row that the seal covers, and with it every row before. */
  rowId: integer().notNull(),
  chain: text().notNull(),
  sealedAtMs: integer().notNull(),
  /** Digest of `sealed_rows`; null in a seal of before there were any. */
  rowsDigest: text(),
  /** Hex HMAC-SHA256 under a key that only the passphrase gives. */
  mac: text().notNull(),
});
