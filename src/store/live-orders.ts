/** Live orders of one market, and those of all accounts of which nothing has been heard. */
import { and, eq, inArray, sql } from "drizzle-orm";
import { LIVE_STATUSES } from "../core/order.ts";
import type { Store } from "./open.ts";
import { inOneStatus, ORDER_COLUMNS, type StoredOrder, toOrder } from "./orders.ts";
import { prepared } from "./prepared.ts";
import { accounts, orders } from "./schema.ts";

/** What only reduces is found by an index of its own, which SQLite takes where the condition is written as there. */
function ofStatusInMarket(isReduceOnly: boolean) {
  return prepared((store) =>
    store
      .select(ORDER_COLUMNS)
      .from(orders)
      .where(
        inOneStatus(
          eq(orders.market, sql.placeholder("market")),
          isReduceOnly ? sql`reduce_only = 1` : sql`reduce_only = 0`,
        ),
      )
      .prepare(),
  );
}

const reducingInMarket = ofStatusInMarket(true);
const otherInMarket = ofStatusInMarket(false);

type InMarket = { accountId: string; market: string; reduceOnly: boolean };

/** Of an account, in no order: those that only reduce, or those that may increase. */
export function listLiveOrdersIn(store: Store, { reduceOnly, ...of }: InMarket): StoredOrder[] {
  const query = reduceOnly ? reducingInMarket : otherInMarket;
  return LIVE_STATUSES.flatMap((status) =>
    query(store)
      .all({ ...of, status })
      .map(toOrder),
  );
}

const processing = prepared((store) => {
  // By account, as the index has them: a start does not read a whole history.
  const isOfAnAccount = inArray(orders.accountId, store.select({ id: accounts.id }).from(accounts));
  return store
    .select({ id: orders.id })
    .from(orders)
    .where(and(isOfAnAccount, eq(orders.status, "processing")))
    .prepare();
});

/** Ids of all orders whose fate was still open when the process ended. */
export function listProcessing(store: Store): string[] {
  return processing(store)
    .all()
    .map(({ id }) => id);
}
