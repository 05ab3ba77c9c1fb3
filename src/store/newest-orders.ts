/** The newest orders, by their numbers: what looks for what is new reads these, and not all that an account ever had. */
import { and, gt, type SQL, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { orders } from "./schema.ts";

/** Newest orders, of all accounts, that are looked through for one whose fills are not kept yet. */
export const NEWEST_ORDERS = 500;

/** An order of `accountId` that is among the `newest` of all accounts: both are placeholders. */
export function isAmongNewest(): SQL | undefined {
  return and(
    // By the newest numbers, and not by the account's index.
    sql`+${orders.accountId} = ${sql.placeholder("accountId")}`,
    gt(orders.number, sql`(select max(number) from orders) - ${sql.placeholder("newest")}`),
  );
}

const lastNumber = prepared((store) =>
  store
    .select({ number: sql<number | null>`max(${orders.number})` })
    .from(orders)
    .prepare(),
);

/** The number of the newest order: whatever is stored after it has a higher one. */
export function lastOrderNumber(store: Store): number {
  return lastNumber(store).get()?.number ?? 0;
}
