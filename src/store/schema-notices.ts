import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Who is told outside, and how far each has come in the log of events. */
export const noticeReceivers = sqliteTable("notice_receivers", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  kind: text().$type<"webhook" | "ntfy" | "telegram">().notNull(),
  host: text().notNull(),
  /** JSON: address and secrets, sealed. */
  sealed: text().notNull(),
  cursor: integer().notNull(),
  failures: integer().notNull(),
  failingSinceMs: integer(),
  nextAtMs: integer().notNull(),
  parkedAtMs: integer(),
  createdAtMs: integer().notNull(),
});
