import type { Account } from "../core/account.ts";
import { uuidOfCloid } from "../core/cloid.ts";
import { averagePrice } from "../core/market.ts";
import type { Filled, Order, OrderStatus } from "../core/order.ts";
import type { Deps } from "../deps.ts";
import { askedTerms, differenceFrom } from "../settle/difference.ts";
import { completes, readFillsSince, sumFills } from "../settle/fill-pages.ts";
import { findLegByCloid } from "../store/legs.ts";
import { findOrder } from "../store/orders.ts";
import type { FrontendOrder, OrderRecord } from "../wire/answer/order-status.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { statusMeaning, statusWords } from "../wire/answer/status-words.ts";
import { carriesTag, outsideOrderId } from "../wire/order-id.ts";

/** An order of the account that was not placed through this database: shown, never stored by a read. */
export type OutsideOrder = Order & { exchangeOrderId: string; filled: Filled | null };

const STATUS: Record<ReturnType<typeof statusMeaning>, OrderStatus> = {
  open: "open",
  triggered: "waiting_for_trigger",
  filled: "filled",
  canceled: "canceled",
  rejected: "rejected",
  unknown: "unknown",
};

/** What the exchange's record of one order is in our words; its fills are read where it may have some. */
export async function outsideOrder(deps: Deps, account: Account, record: OrderRecord): Promise<OutsideOrder> {
  const { order, status } = record;
  const isUntouched = order.size === order.originalSize && statusMeaning(status) !== "filled";
  const asked = { user: account.tradingAddress, sinceMs: order.timestampMs, isEnough: completes([order]) };
  const fills = isUntouched ? [] : await readFillsSince(deps, asked, { purpose: "read" });
  const filled = fills === "failed" ? null : sumFills(fills.filter((fill) => fill.oid === order.oid));
  return describeOutside(deps, account, { ...record, filled });
}

/** The same without asking: `filled` is null where the fills are not known. */
export function describeOutside(
  deps: Deps,
  account: Account,
  record: OrderRecord & { filled: Filled | null },
): OutsideOrder {
  const { order, status, filled } = record;
  const meaning = statusMeaning(status);
  const shown = meaning === "open" && order.isTrigger ? "waiting_for_trigger" : STATUS[meaning];
  const isOver = shown === "canceled" || shown === "rejected";
  return {
    id: shownId(deps, account, order),
    accountId: account.id,
    ...termsOf(order),
    status: shown,
    exchangeOrderId: order.oid,
    filledSize: shown === "rejected" || shown === "unknown" ? null : (filled?.size ?? null),
    averagePrice: filled === null ? null : averagePrice(filled.notional, filled.size),
    error: isOver ? statusWords(status) : null,
    filled,
    createdAtMs: order.timestampMs,
  };
}

/**
 * An order that carries our tag is ours, known here or not: it keeps the id it was placed under. What only uses a client
 * order id of ours, and is another order, is shown as what it is.
 */
function shownId(deps: Deps, account: Account, order: FrontendOrder): string {
  const uuid = order.cloid === null ? null : uuidOfCloid(order.cloid);
  const isOurs = uuid !== null && carriesTag(uuid, deps.instance.tag) && !isForeign(deps, order);
  return isOurs ? uuid : outsideOrderId(deps.instance.network, account.tradingAddress, order.oid);
}

function isForeign({ store }: Deps, shown: FrontendOrder): boolean {
  const leg = shown.cloid === null ? null : findLegByCloid(store, shown.cloid);
  const order = leg === null ? null : findOrder(store, leg.orderId);
  return leg !== null && order !== null && differenceFrom({ ...askedTerms(order), leg }, shown) !== null;
}
