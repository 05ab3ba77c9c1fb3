import type { Account } from "../core/account.ts";
import type { CancelAll } from "../core/cancel-all.ts";
import { isAsked } from "../settle/cancel-all/asked-orders.ts";
import { nameOfCancelAll } from "../settle/cancel-all/canceler.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { adoptedRow } from "./adopt-order.ts";
import type { ToCancelOutside } from "./cancel-outside.ts";
import { adoptListed, cancelEnded, isKnown, mayGo, openNow } from "./cancel-outside.ts";
import { isOfElsewhere } from "./of-elsewhere.ts";

/** `isWhole` false while there may be more: the lists, what was told beside them, or whether a stop stands in, is not known yet. */
export type AdoptedOutside = { orderIds: readonly string[]; isWhole: boolean };

/**
 * Gives rows of their own to the account's orders that were placed elsewhere and that a cancel-all is for; their ids. One that is
 * filled in part and has stop-loss or take-profit children stays: they would go with it. For others a stop of ours stands before they go,
 * where what protects is to stay. What is ours and open by these lists alone is canceled here, and named with them.
 */
export async function adoptOutside(deps: ToCancelOutside, row: CancelAll, account: Account): Promise<AdoptedOutside> {
  const found = await openNow(deps, account);
  if (found === null) return { orderIds: [], isWhole: false };
  const orders = found.orders.filter((order) => isAsked(deps, row, { ...termsOf(order), market: order.coin }));
  const ended = await cancelEnded(deps, { name: nameOfCancelAll(row), account, orders });
  const asked = orders.filter((order) => isOfElsewhere(deps, account, { oid: order.oid, record: order }));
  const known = asked.filter(({ coin }) => isKnown(deps, coin));
  const verdicts = await Promise.all(known.map((order) => mayGo(deps, account, order, row.keepsProtection)));
  const going = known.filter((_order, nth) => verdicts[nth] === "goes");
  const isUnread = found.unread.some(({ market }) => row.market === null || row.market === market);
  return {
    orderIds: [
      ...ended,
      ...going.map((order) => adoptedRow(deps.store, account, order.oid)?.id ?? adoptListed(deps, account, order)),
    ],
    isWhole: !isUnread && known.length === asked.length && !verdicts.includes("pending"),
  };
}
