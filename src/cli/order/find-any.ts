import { listAccounts } from "../../store/accounts.ts";
import { findLegByCloid, findLegByOid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";

/** By UUID, client order id or native id, on whichever account it is. */
export function findAnyOrder(store: Store, givenId: string): StoredOrder | null {
  const id = givenId.toLowerCase();
  const own = findOrder(store, id);
  if (own !== null) return own;
  const cloid = id.startsWith("0x") ? id : `0x${id.replaceAll("-", "")}`;
  const leg =
    findLegByCloid(store, cloid) ??
    listAccounts(store)
      .map((account) => findLegByOid(store, account.id, id))
      .find((found) => found !== null) ??
    null;
  return leg === null ? null : findOrder(store, leg.orderId);
}
