import type { Readiness } from "../core/readiness.ts";
import type { ToTakeOrders } from "../deps.ts";
import { readinessOf } from "../settle/pre-trade/readiness.ts";

/** Which accounts' orders are taken; a disk that has not been written to for some seconds is tried first. */
export function readyAccounts(deps: ToTakeOrders): Readiness {
  deps.writeHealth.prove();
  return readinessOf(deps);
}
