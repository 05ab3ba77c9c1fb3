import type { Account } from "../../core/account.ts";
import { listAccounts } from "../../store/accounts.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { findLegByOid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";

/**
 * Whether a fill of an answer, which names no account, is another account's of this gateway: its order was signed here for that one. An
 * order from elsewhere, or the very fill, that another account has tells nothing: the wrong answer may have been that one's.
 */
export function isOfAnotherAccount(store: Store, account: Account, oid: string): boolean {
  if (findLegByOid(store, account.id, oid) !== null) return false;
  return listAccounts(store).some((other) => {
    if (other.tradingAddress === account.tradingAddress) return false;
    const leg = findLegByOid(store, other.id, oid);
    return leg !== null && findAttemptByCloid(store, leg.cloid) !== null;
  });
}
