/** What modifies that are not settled have placed beside their originals, by what is known of these so far. */
import { isWhollyFilled } from "../core/order.ts";
import { listOpenModifies, type OpenModify } from "./attempts.ts";
import { listLegs } from "./legs.ts";
import type { Store } from "./open.ts";

/** Client order ids of what open modifies place beside originals that are over: each will be an order of its own, if it was placed. */
export function listPlacedApart(store: Store, accountId: string): ReadonlySet<string> {
  const apart = listOpenModifies(store, accountId).filter((modify) => isApart(store, modify));
  return new Set(apart.flatMap(({ cloid }) => cloid ?? []));
}

/** Known when it was sent, found since; or the fills of its original say so, which no modify can have canceled then. */
function isApart(store: Store, { isTargetClosed, resourceId, targetOid }: OpenModify): boolean {
  if (isTargetClosed) return true;
  return listLegs(store, resourceId).some((leg) => leg.oid === targetOid && isWhollyFilled(leg));
}
