/** The table of what models have proposed. */
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** On the disk before a model hears of it. That one was approved is believed only as it was sealed. */
export const proposals = sqliteTable(
  "proposals",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    keyHash: text().notNull(),
    bot: text(),
    /** JSON of the order's terms. */
    terms: text().notNull(),
    proposedAtMs: integer().notNull(),
    askedAtMs: integer(),
    decision: text().$type<"approve" | "refuse">(),
    decidedAtMs: integer(),
    decidedBy: text(),
  },
  (table) => [
    index("proposals_account").on(table.accountId, table.proposedAtMs),
    index("proposals_asked").on(table.accountId, table.askedAtMs),
  ],
);
