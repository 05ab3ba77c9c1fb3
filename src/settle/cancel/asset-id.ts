import type { With } from "../../deps.ts";
import type { StoredOrder } from "../../store/orders.ts";

/**
 * The number that an action on an order carries: places in a list that moves, so it is looked up when the action is made.
 * While the list contradicts what the exchange shows of this market, the last number that was confirmed goes on.
 */
export function assetIdOf(world: With<"markets">, order: Pick<StoredOrder, "market" | "assetId">): number {
  if (world.markets.isSuspected(order.market)) return order.assetId;
  return listedAssetId(world, order) ?? order.assetId;
}

/** The number of its market in the newest list, doubted or not; null where that has none. */
export function listedAssetId({ markets }: With<"markets">, { market }: Pick<StoredOrder, "market">): number | null {
  return markets.current()?.byName.get(market)?.assetId ?? null;
}
