/** The tables of the record: what an account was paid and sent, what it was worth, and what each key has made of it. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Decimal } from "../core/decimal.ts";

/** Every payment of funding that the exchange ever told us. */
export const fundingPayments = sqliteTable(
  "funding_payments",
  {
    accountId: text().notNull(),
    timeMs: integer().notNull(),
    /** `<time>-<market>`. */
    id: text().notNull(),
    market: text().notNull(),
    /** USD; negative where the account has paid. */
    amount: text().$type<Decimal>().notNull(),
    /** Of the account at that time; negative is short. */
    position: text().$type<Decimal>().notNull(),
    rate: text().$type<Decimal>().notNull(),
    /** Hours that the exchange tells as one; null for one. */
    samples: integer(),
    transactionHash: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.timeMs, table.id] }),
    index("funding_payments_market").on(table.accountId, table.market, table.timeMs, table.id),
  ],
);

/** Everything else that has changed an account's balances and was no trade. */
export const transfers = sqliteTable(
  "transfers",
  {
    accountId: text().notNull(),
    timeMs: integer().notNull(),
    /** `<time>-<hash>`, with `-<n>` for the second and later ones of one transaction. */
    id: text().notNull(),
    /** The exchange's own word. */
    kind: text().notNull(),
    token: text(),
    amount: text().$type<Decimal>(),
    fee: text().$type<Decimal>(),
    /** USD by which it has changed what the account is worth; null where that is not told. */
    value: text().$type<Decimal>(),
    counterparty: text(),
    transactionHash: text().notNull(),
    /** JSON, as the exchange told it: a kind that is new can be read later. */
    told: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.timeMs, table.id] })],
);

/** How far the two of an account have been read without a gap. Exchange time, unix milliseconds. */
export const ledgerCursors = sqliteTable(
  "ledger_cursors",
  {
    accountId: text().notNull(),
    list: text().$type<"funding" | "transfers">().notNull(),
    /** Whole from here on. */
    fromMs: integer().notNull(),
    /** The newest that was told: the next reading begins there. */
    newestMs: integer().notNull(),
    /** When it was last read to its end; null before. */
    readToMs: integer(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.list] })],
);

/** What an account was worth. */
export const equitySamples = sqliteTable(
  "equity_samples",
  {
    accountId: text().notNull(),
    /** Unix milliseconds. */
    atMs: integer().notNull(),
    /** USD. */
    equity: text().$type<Decimal>().notNull(),
    /** Tokens held that nobody has told a price of, with commas between: they are not in it. Empty for none. */
    unpriced: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.atMs] })],
);

/** What was made of one market by one key on one UTC day; the key is empty for what belongs to nobody. */
export const performanceDays = sqliteTable(
  "performance_days",
  {
    accountId: text().notNull(),
    /** Days since 1970. */
    day: integer().notNull(),
    market: text().notNull(),
    keyHash: text().notNull(),
    fills: integer().notNull(),
    volume: text().$type<Decimal>().notNull(),
    fees: text().$type<Decimal>().notNull(),
    builderFees: text().$type<Decimal>().notNull(),
    funding: text().$type<Decimal>().notNull(),
    realizedPnl: text().$type<Decimal>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.market, table.keyHash] })],
);

/** What a key holds of a market by its own fills, and what that has cost; both negative for a short. */
export const performancePositions = sqliteTable(
  "performance_positions",
  {
    accountId: text().notNull(),
    market: text().notNull(),
    keyHash: text().notNull(),
    size: text().$type<Decimal>().notNull(),
    cost: text().$type<Decimal>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.market, table.keyHash] })],
);

/** How far the books of an account have come: every fill and payment up to here is in them. */
export const performanceCursors = sqliteTable("performance_cursors", {
  accountId: text().primaryKey(),
  /** The first of them; null before. */
  fromMs: integer(),
  toMs: integer().notNull(),
  /** Rows of fills and of funding that were looked at, in the order in which they were told: what came later and is older is seen by that. */
  seenFills: integer().notNull(),
  seenFunding: integer().notNull(),
});
