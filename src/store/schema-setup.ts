import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How far the owner's page has come with setting up. One row. */
export const setup = sqliteTable("setup", {
  id: integer().primaryKey(),
  builderSkippedAtMs: integer(),
  finishedAtMs: integer(),
});

/** One-time links to the set-up, and the sessions that they were traded for. Hashes only. */
export const setupTokens = sqliteTable("setup_tokens", {
  tokenHash: text().primaryKey(),
  kind: text().$type<"link" | "session">().notNull(),
  expiresAtMs: integer().notNull(),
  /** The session that a link was traded for. */
  sessionHash: text(),
});
