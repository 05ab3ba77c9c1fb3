import type { Account } from "../core/account.ts";
import type { CancelAll } from "../core/cancel-all.ts";
import { isAsked } from "../settle/cancel-all/covered.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import type { ToCancelOutside } from "./cancel-outside.ts";
import { adoptListed, isElsewhere, listedNow, mayGo } from "./cancel-outside.ts";

/**
 * Gives rows of their own to the account's orders that were placed elsewhere and that a cancel-all is for; their ids. One that is
 * filled in part and has stop-loss or take-profit children stays: they would go with it. For others a stop of ours stands before they go,
 * where what protects is to stay. Null where the lists could not be read, or where it is not known yet whether such a stop stands.
 */
export async function adoptOutside(deps: ToCancelOutside, row: CancelAll, account: Account): Promise<string[] | null> {
  const found = await listedNow(deps, account);
  if (found === null) return null;
  const asked = found.filter(
    (order) => isElsewhere(deps, account, order) && isAsked(deps, row, { ...termsOf(order), market: order.coin }),
  );
  const verdicts = await Promise.all(asked.map((order) => mayGo(deps, account, order, row.keepsProtection)));
  if (verdicts.includes("pending")) return null;
  const going = asked.filter((_order, nth) => verdicts[nth] === "goes");
  return going.map((order) => adoptListed(deps, account, order));
}
