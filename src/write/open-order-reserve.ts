import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { Store } from "../store/open.ts";
import { countLiveOrders, liveOrdersWithin } from "../store/orders.ts";
import type { Caller } from "./caller.ts";

/** Open orders of an account with which the exchange takes no trigger and no reduce-only order any more. */
export const EXCHANGES_LIMIT = 1_000;

/**
 * Refuses orders that increase when they would use the reserve: whoever holds a position must still be able to place
 * its stop.
 */
export function requireRoomForStops(
  { picture, settings }: With<"picture" | "settings">,
  store: Store,
  { account }: Pick<Caller, "account">,
  count: number,
): void {
  const lists = ["", ...settings.dexes].map(
    (dex) => picture.openOrders(account.tradingAddress, dex)?.value.length ?? 0,
  );
  const listed = lists.reduce((sum, each) => sum + each, 0);
  const most = EXCHANGES_LIMIT - settings.openOrderReserve;
  // Open orders of the exchange's list that are not ours.
  const beyond = (shown: number) => Math.max(0, listed - shown);
  const { mostLive, fewestShown } = liveOrdersWithin(store, account.id);
  if (mostLive + beyond(fewestShown) + count <= most) return;
  const { live, shown } = countLiveOrders(store, account.id);
  const elsewhere = beyond(shown);
  if (live + elsewhere + count <= most) return;
  throw new ApiError("too_many_open_orders", wordsFor(live + elsewhere, settings.openOrderReserve));
}

function wordsFor(open: number, reserve: number): string {
  return `The account has ${open} open orders, and the last ${reserve} of the ${EXCHANGES_LIMIT} with which the exchange still takes stops are kept for what can only reduce (POSTERN_OPEN_ORDER_RESERVE). Nothing was sent, and the Idempotency-Key is not used.`;
}
