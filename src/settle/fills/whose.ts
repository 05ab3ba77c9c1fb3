import type { Account } from "../../core/account.ts";
import { listAccounts } from "../../store/accounts.ts";
import { findFill, type StoredFill } from "../../store/fills.ts";
import { findLegByOid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";

/**
 * Whether a fill of an answer, which names no account, is another account's of this gateway: that one has its order, or this very fill.
 * Both sides of a trade have one id, of two orders.
 */
export function isOfAnotherAccount(
  store: Store,
  account: Account,
  { id, oid }: Pick<StoredFill, "id" | "oid">,
): boolean {
  if (findLegByOid(store, account.id, oid) !== null) return false;
  return listAccounts(store).some((other) => {
    if (other.tradingAddress === account.tradingAddress) return false;
    return findLegByOid(store, other.id, oid) !== null || findFill(store, other.id, id)?.oid === oid;
  });
}
