/** Orders that only reduce and may be filled, kept in memory: with each purchase or sale of a bot it is asked for them. */
import { and, eq, sql } from "drizzle-orm";
import { LIVE_STATUSES } from "../core/order.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { remembered } from "./remembered.ts";
import { orders } from "./schema.ts";

type MarketSide = Pick<StoredOrder, "accountId" | "market" | "side">;

const ofStatus = prepared((store) =>
  store
    .select(columnsOf(orders, ["id", "keyHash"]))
    .from(orders)
    .where(
      and(
        eq(orders.accountId, sql.placeholder("accountId")),
        eq(orders.market, sql.placeholder("market")),
        eq(orders.status, sql.placeholder("status")),
        sql`reduce_only = 1`,
        eq(orders.side, sql.placeholder("side")),
      ),
    )
    .prepare(),
);

const kept = remembered<readonly Pick<StoredOrder, "id" | "keyHash">[]>((store, name) => {
  const [accountId = "", side = "", market = ""] = name.split(" ");
  return LIVE_STATUSES.flatMap((status) => ofStatus(store).all({ accountId, market, side, status }));
});

/** Of one side of a market, whoever has placed them. */
export function listReducingOrders(store: Store, place: MarketSide): readonly Pick<StoredOrder, "id" | "keyHash">[] {
  return kept.find(store, nameOf(place)) ?? [];
}

/** For whoever writes an order; one that never only reduced is not among them. */
export function noteReducing(store: Store, place: MarketSide): void {
  kept.drop(store, nameOf(place));
}

function nameOf({ accountId, side, market }: MarketSide): string {
  return `${accountId} ${side} ${market}`;
}
