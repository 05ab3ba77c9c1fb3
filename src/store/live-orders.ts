/** Live orders of one market. */
import { and, eq, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { LIVE, ORDER_COLUMNS, type StoredOrder, toOrder } from "./orders.ts";
import { prepared } from "./prepared.ts";
import { orders } from "./schema.ts";

/** What only reduces is found by an index of its own, which SQLite takes where the condition is written as there. */
function ofStatusInMarket(isReduceOnly: boolean) {
  return prepared((store) =>
    store
      .select(ORDER_COLUMNS)
      .from(orders)
      .where(
        and(
          eq(orders.accountId, sql.placeholder("accountId")),
          eq(orders.status, sql.placeholder("status")),
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
  return LIVE.flatMap((status) =>
    query(store)
      .all({ ...of, status })
      .map(toOrder),
  );
}
