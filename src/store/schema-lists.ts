import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What orders are looked for by, and what of them never changes. Written some seconds after the orders, many at once: indexes of
 * the orders' own table would cost every placing a page each.
 */
export const listedOrders = sqliteTable(
  "listed_orders",
  {
    number: integer().primaryKey(),
    accountId: text().notNull(),
    market: text().notNull(),
    keyHash: text(),
    createdAtMs: integer().notNull(),
    id: text().notNull(),
  },
  (table) => [
    index("listed_orders_market").on(table.accountId, table.market, table.createdAtMs, table.id),
    index("listed_orders_key").on(table.accountId, table.keyHash, table.createdAtMs, table.id),
  ],
);
