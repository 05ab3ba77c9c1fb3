import type { Account } from "../core/account.ts";
import type { CancelAll } from "../core/cancel-all.ts";
import { isAsked } from "../settle/cancel-all/covered.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import type { ToCancelOutside } from "./cancel-outside.ts";
import { isElsewhere, listedNow, protectsWhatItFilled } from "./cancel-outside.ts";
import { describeOutside } from "./outside-order.ts";

/**
 * Gives rows of their own to the account's orders that were placed elsewhere and that a cancel-all is for; their ids. One that is
 * filled in part and has stop-loss or take-profit children stays: they would go with it. Null where the lists could not be read.
 */
export async function adoptOutside(deps: ToCancelOutside, row: CancelAll, account: Account): Promise<string[] | null> {
  const found = await listedNow(deps, account);
  if (found === null) return null;
  const going = found.filter((order) => {
    const terms = { ...termsOf(order), market: order.coin };
    return isElsewhere(deps, account, order) && isAsked(deps, row, terms) && !protectsWhatItFilled(order);
  });
  return going.map((order) => {
    const record = { order, status: "open", statusTimestampMs: order.timestampMs, filled: null };
    return adoptOutsideOrder(deps, describeOutside(deps, account, record)).id;
  });
}
