import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { Store } from "../store/open.ts";
import { countLiveOrders } from "../store/orders.ts";
import type { Caller } from "./caller.ts";

/** With as many open orders the exchange takes no trigger and nothing that only reduces from an account any more. */
export const EXCHANGES_LIMIT = 1_000;

/** Of an order that increases: whoever holds a position must still be able to place its stop. */
export function requireRoomForStops(
  { picture, settings }: With<"picture" | "settings">,
  store: Store,
  { account }: Pick<Caller, "account">,
  count: number,
): void {
  const { live, shown } = countLiveOrders(store, account.id);
  const listed = ["", ...settings.dexes].map(
    (dex) => picture.openOrders(account.tradingAddress, dex)?.value.length ?? 0,
  );
  // What is listed beyond those that we know was placed elsewhere.
  const elsewhere = Math.max(0, listed.reduce((sum, each) => sum + each, 0) - shown);
  const most = EXCHANGES_LIMIT - settings.openOrderReserve;
  if (live + elsewhere + count <= most) return;
  throw new ApiError("too_many_open_orders", wordsFor(live + elsewhere, settings.openOrderReserve));
}

function wordsFor(open: number, reserve: number): string {
  return `The account has ${open} open orders, and the last ${reserve} of the ${EXCHANGES_LIMIT} with which the exchange still takes stops are kept for what can only reduce (POSTERN_OPEN_ORDER_RESERVE). Nothing was sent, and the Idempotency-Key is not used.`;
}
