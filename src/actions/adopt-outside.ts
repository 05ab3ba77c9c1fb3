import type { Account } from "../core/account.ts";
import type { CancelAll } from "../core/cancel-all.ts";
import { isAsked } from "../settle/cancel-all/covered.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import type { ToCancelOutside } from "./cancel-outside.ts";
import { isElsewhere, listedNow, protectsWhatItFilled } from "./cancel-outside.ts";
import { describeOutside } from "./outside-order.ts";
import { standIn, takeBack } from "./stand-in.ts";

/**
 * Gives rows of their own to the account's orders that were placed elsewhere and that a cancel-all is for; their ids. One that is
 * filled in part and has stop-loss or take-profit children stays: they would go with it. For others a stop of ours stands before they go,
 * where what protects is to stay. Null where the lists could not be read, or where it is not known yet whether such a stop stands.
 */
export async function adoptOutside(deps: ToCancelOutside, row: CancelAll, account: Account): Promise<string[] | null> {
  const found = await listedNow(deps, account);
  if (found === null) return null;
  const asked = found.filter((order) => {
    const terms = { ...termsOf(order), market: order.coin };
    return (
      isElsewhere(deps, account, order) && isAsked(deps, row, terms) && !protectsWhatItFilled(deps, account, order)
    );
  });
  const stops = await Promise.all(
    asked.map(async (order) => (row.keepsProtection ? standIn(deps, account, order) : "stands")),
  );
  if (stops.includes("pending")) return null;
  // One may have been filled while its stop was placed.
  const going = asked.filter((order, nth) => stops[nth] === "stands" && !protectsWhatItFilled(deps, account, order));
  const staying = asked.filter((order) => !going.includes(order));
  await Promise.all(staying.map((order) => takeBack(deps, account, order)));
  return going.map((order) => {
    const record = { order, status: "open", statusTimestampMs: order.timestampMs, filled: null };
    return adoptOutsideOrder(deps, describeOutside(deps, account, record)).id;
  });
}
