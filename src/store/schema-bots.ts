import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Decimal } from "../core/decimal.ts";

/**
 * The book of a bot of one UTC day: what it has done on it, and, by its own fills and whatever the account holds, what it holds. It is one
 * row because a placing changes most of it, and each row more is a page more in its commit.
 */
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
    /** Of the day's fills, as far as they are indexed, in units of the quote. */
    fees: text()
      .$type<Decimal>()
      .notNull()
      .default("0" as Decimal),
    /** JSON: each market with what it holds there, none that is flat; negative is short. In the row of its newest day: an older one has what it held before the next. */
    nets: text().notNull().default("[]"),
    /** JSON: the figures of each market that its loss of the day is worked out from, as `MarketFigures` has them. */
    markets: text().notNull().default("[]"),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.bot, table.day] })],
);

/** Days on which a bot may not increase any more. */
export const botTrips = sqliteTable(
  "bot_trips",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    bot: text().notNull(),
    /** `loss`: it has lost its limit; `restored`: what it had used is not known. */
    cause: text().$type<"loss" | "restored">().notNull(),
    /** The UTC day that it lasts for, in days since 1970-01-01. */
    day: integer().notNull(),
    /** USD that were lost; zero where nobody knows. */
    loss: text().$type<Decimal>().notNull(),
    /** USD; null where there is none. */
    limit: text().$type<Decimal>(),
    createdAtMs: integer().notNull(),
    /** When the operator has ended it; null before. */
    clearedAtMs: integer(),
  },
  (table) => [index("bot_trips_day").on(table.accountId, table.bot, table.day)],
);

/** What has made the rails of a bot tighter since its owner signed them. */
export const botNarrowings = sqliteTable(
  "bot_narrowings",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    bot: text().notNull(),
    /** JSON: the rails that it names, in the words of a grant. */
    rails: text().notNull(),
    /** Key hash or `operator`. */
    actor: text().notNull(),
    createdAtMs: integer().notNull(),
  },
  (table) => [index("bot_narrowings_bot").on(table.accountId, table.bot)],
);

/** TWAPs of bots that may still execute, or of whose slices not all fills are known. */
export const botTwaps = sqliteTable(
  "bot_twaps",
  {
    /** Of the operation that made it. */
    operationId: text().primaryKey(),
    accountId: text().notNull(),
    bot: text().notNull(),
    market: text().notNull(),
    side: text().$type<"buy" | "sell">().notNull(),
    size: text().$type<Decimal>().notNull(),
    reduceOnly: integer({ mode: "boolean" }).notNull(),
    durationMinutes: integer().notNull(),
    createdAtMs: integer().notNull(),
    /** Native id; null while the exchange has not named it. */
    twapId: text(),
    /** Of its fills that are booked. */
    filledSize: text().$type<Decimal>().notNull(),
  },
  (table) => [index("bot_twaps_account").on(table.accountId)],
);
