import { compare, type Decimal, decimal } from "../../core/decimal.ts";
import { hasFilled, type Leg, type OrderTerms } from "../../core/order.ts";
import type { BasicOrder, FrontendOrder } from "../../wire/answer/order-status.ts";

/** What was asked of the exchange under one id: everything that it shows of that id is compared with this. */
export type AskedOrder = Pick<OrderTerms, "market" | "side"> & { leg: Leg; reduceOnly: boolean };

/** The terms of an order that no modify changes. */
export function askedTerms({ market, side, reduceOnly }: OrderTerms): Omit<AskedOrder, "leg"> {
  return { market, side, reduceOnly };
}

/** In words, and whether it is another market: of an order that the exchange has named so, its list of markets moved. */
export type Difference = {
  words: string;
  isOtherMarket: boolean;
  /**
   * It may be ours gone wrong: just what was asked for, in another market. Of all that we sign only the market is a place in a
   * list that moves; whatever differs otherwise nobody has signed with our key for this order.
   */
  mayBeOurs: boolean;
  /** Nothing differs but that it lives: lists of after the end that was told show it open. */
  isListedSince?: boolean;
  /** It bears another's client order id, and not our native id: that is an answer for another order, and under ours stands nothing of it. */
  isOfAnotherName?: boolean;
  /** Native id of what is shown. */
  oid: string;
};

/**
 * What tells an order that the exchange shows from the one that was asked for; null when they are the same. A
 * market list that moved, a server that answers for another, or somebody who uses our ids would otherwise be believed.
 */
export function differenceFrom(
  asked: AskedOrder,
  shown: Pick<BasicOrder, "coin" | "side" | "originalSize" | "limitPrice" | "oid" | "cloid"> &
    Partial<Pick<FrontendOrder, "orderType" | "reduceOnly">>,
): Difference | null {
  const words = wordsOf(asked, shown);
  if (words === null) return null;
  const isOtherMarket = shown.oid === asked.leg.oid && shown.coin !== asked.market;
  const mayBeOurs = wordsOf({ ...asked, market: shown.coin }, shown) === null;
  const isOfAnotherName = shown.oid !== asked.leg.oid && shown.cloid !== null && shown.cloid !== asked.leg.cloid;
  return { words, isOtherMarket, mayBeOurs, isOfAnotherName, oid: shown.oid };
}

function wordsOf(
  { market, side, leg, reduceOnly }: AskedOrder,
  shown: Parameters<typeof differenceFrom>[1],
): string | null {
  // An order from outside was given a client order id by us; its native id is its name.
  if (leg.oid !== null && shown.oid !== leg.oid && !isSuccessor(leg, shown))
    return `the order ${shown.oid} instead of ${leg.oid}`;
  if (leg.oid === null && shown.cloid !== leg.cloid)
    return `the client order id ${shown.cloid} instead of ${leg.cloid}`;
  if (shown.coin !== market) return `the market ${shown.coin} instead of ${market}`;
  if ((shown.side === "B") !== (side === "buy")) return `a ${shown.side === "B" ? "buy" : "sell"} instead of a ${side}`;
  if (isOtherSize(shown.originalSize, leg.size, reduceOnly)) return `${shown.originalSize} instead of ${leg.size}`;
  // Short forms of an order, as its feed has them, leave it out; one with its kind has all of it.
  if (typeof shown.orderType === "string" && shown.reduceOnly !== undefined && shown.reduceOnly !== reduceOnly)
    return reduceOnly ? "an order that may increase instead of one that only reduces" : "an order that only reduces";
  if (isOtherKind(shown.orderType ?? null, leg)) return `${shown.orderType} instead of ${kindOf(leg)}`;
  // A market order that has fired is shown with the price that the exchange gave it.
  const isPriced = leg.trigger?.market !== true;
  if (isPriced && compare(shown.limitPrice, decimal(leg.price)) !== 0)
    return `the price ${shown.limitPrice} instead of ${leg.price}`;
  return null;
}

/** What a trigger places when it fires may have a native id of its own; it has the trigger's client order id. */
export function isSuccessor({ trigger, oid, cloid }: Leg, shown: { oid: string; cloid: string | null }): boolean {
  return trigger !== null && oid !== null && shown.oid !== oid && shown.cloid === cloid;
}

/** Whether that may still be told of it: one that has been filled under the id that it has fired under that. */
export function mayBecome(leg: Leg, shown: { oid: string; cloid: string | null }): boolean {
  return isSuccessor(leg, shown) && !hasFilled(leg);
}

/** A reduce-only order is cut to its position when it is taken. */
function isOtherSize(shown: Decimal | null, asked: Decimal, reduceOnly: boolean): boolean {
  if (shown === null) return false;
  const order = compare(shown, asked);
  return reduceOnly ? order > 0 : order !== 0;
}

/** `Stop Market`, `Take Profit Limit` and so on; a plain order is never shown as one of them before it is ours. */
function isOtherKind(orderType: string | null, { trigger }: Leg): boolean {
  if (orderType === null) return false;
  const isStop = orderType.startsWith("Stop");
  const isTakeProfit = orderType.startsWith("Take Profit");
  // One that has fired may be shown as the plain order that it became.
  if (!isStop && !isTakeProfit) return false;
  if (trigger === null) return true;
  return trigger.kind === "stop_loss" ? !isStop : !isTakeProfit;
}

function kindOf({ trigger }: Leg): string {
  if (trigger === null) return "an order without a trigger";
  return trigger.kind === "stop_loss" ? "a stop" : "a take-profit";
}
