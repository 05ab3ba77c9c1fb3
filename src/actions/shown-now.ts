import type { Account } from "../core/account.ts";
import { compare, decimal, subtract, ZERO } from "../core/decimal.ts";
import { dexOf } from "../core/market.ts";
import type { Deps } from "../deps.ts";
import type { StoredOrder } from "../store/orders.ts";
import { AGE_MS } from "./current.ts";

/**
 * True when the row of an open order and the list of open orders that its feed tells are of this second and say the same: no
 * look at the exchange would say more.
 */
export function isShownNow({ exchange, picture, feeds }: Deps, account: Account, order: StoredOrder): boolean {
  const user = account.tradingAddress;
  if (order.status !== "open" && order.status !== "waiting_for_trigger") return false;
  const list = picture.openOrders(user, dexOf(order.market));
  if (list === null || !feeds.isLive(user) || exchange.nowMs() - list.timeMs > AGE_MS) return false;
  const shown = list.value.find(({ oid }) => oid === order.exchangeOrderId);
  if (shown === undefined || shown.isTrigger !== (order.status === "waiting_for_trigger")) return false;
  if (picture.toldOf(user, shown.oid)?.isOver === true) return false;
  // What is left of a reduce-only order shrinks with its position.
  if (order.reduceOnly || shown.isTrigger) return true;
  return compare(subtract(decimal(order.size), order.filledSize ?? ZERO), shown.size) === 0;
}
