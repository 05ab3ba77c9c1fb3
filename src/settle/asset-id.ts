import type { World } from "../deps.ts";
import type { StoredOrder } from "../store/orders.ts";

/**
 * The number that an action on an order carries: places in a list that moves, so it is looked up when the action is made.
 * While the list contradicts what the exchange shows of this market, the last number that was confirmed goes on.
 */
export function assetIdOf({ markets }: Pick<World, "markets">, order: Pick<StoredOrder, "market" | "assetId">): number {
  if (markets.doubtOf(order.market) !== null) return order.assetId;
  return markets.current()?.byName.get(order.market)?.assetId ?? order.assetId;
}
