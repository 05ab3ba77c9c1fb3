import type { Account } from "../core/account.ts";
import { compare, decimal, subtract, ZERO } from "../core/decimal.ts";
import { dexOf } from "../core/market.ts";
import type { With } from "../deps.ts";
import type { StoredOrder } from "../store/orders.ts";

/**
 * True when the row of an open order and the list of open orders that its live feed tells say the same, and the list is no
 * older than that: a look at the exchange would say no more.
 */
export function isShownNow(
  { exchange, picture, feeds }: With<"exchange" | "feeds" | "picture">,
  account: Account,
  { order, withinMs }: { order: StoredOrder; withinMs: number },
): boolean {
  const user = account.tradingAddress;
  if (order.status !== "open" && order.status !== "waiting_for_trigger") return false;
  const list = picture.openOrders(user, dexOf(order.market));
  if (!feeds.isLive(user)) return false;
  const isFresh = (timeMs: number) => exchange.nowMs() - timeMs <= withinMs;
  // Told open since the list was shown.
  const told = picture.toldOpen(user).find(({ oid }) => oid === order.exchangeOrderId);
  if (told !== undefined && order.status === "open") return isFresh(told.timeMs);
  if (list === null || !isFresh(list.timeMs)) return false;
  const shown = list.value.find(({ oid }) => oid === order.exchangeOrderId);
  if (shown === undefined || shown.isTrigger !== (order.status === "waiting_for_trigger")) return false;
  if (picture.toldOf(user, shown.oid)?.isOver === true) return false;
  // What is left of a reduce-only order shrinks with its position.
  if (order.reduceOnly || shown.isTrigger) return true;
  return compare(subtract(decimal(order.size), order.filledSize ?? ZERO), shown.size) === 0;
}
