import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Decimal } from "../core/decimal.ts";

/** What a bot holds by its own fills, whatever the account holds. */
export const botNets = sqliteTable(
  "bot_nets",
  {
    accountId: text().notNull(),
    bot: text().notNull(),
    market: text().notNull(),
    /** Negative is short. */
    net: text().$type<Decimal>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.bot, table.market] })],
);

/** What a bot has done on one UTC day. */
export const botDays = sqliteTable(
  "bot_days",
  {
    accountId: text().notNull(),
    bot: text().notNull(),
    /** Days since 1970-01-01 UTC. */
    day: integer().notNull(),
    /** Of the fills that became known on it, in units of the quote. */
    turnover: text().$type<Decimal>().notNull(),
    /** Orders and modifies. */
    actions: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.bot, table.day] })],
);
