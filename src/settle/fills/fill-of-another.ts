import type { Account } from "../../core/account.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { findLegByOid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";

/**
 * Whether a fill of an answer, which names no account, is another account's of this gateway: its order was signed here for that one. An
 * order from elsewhere, or the very fill, that another account has tells nothing: the wrong answer may have been that one's.
 */
export function isOfAnother(
  store: Store,
  account: Account,
  { oid, others }: { oid: string; others: readonly Account[] },
): boolean {
  if (findLegByOid(store, account.id, oid) !== null) return false;
  return others.some(({ id }) => {
    const leg = findLegByOid(store, id, oid);
    return leg !== null && findAttemptByCloid(store, leg.cloid) !== null;
  });
}
