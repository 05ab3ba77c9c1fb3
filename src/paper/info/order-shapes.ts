/** An order in the two shapes in which reads and the stream show it. */
import type { OrderSnapshot } from "../engine/state.ts";
import { numberText } from "./number-format.ts";

/** Both begin with these. */
type OrderHead = {
  coin: string;
  side: "B" | "A";
  limitPx: string;
  sz: string;
  oid: number;
  timestamp: number;
};

export type FrontendOrderJson = OrderHead & {
  triggerCondition: string;
  isTrigger: boolean;
  triggerPx: string;
  children: FrontendOrderJson[];
  isPositionTpsl: boolean;
  reduceOnly: boolean;
  orderType: string;
  origSz: string;
  tif: string | null;
  cloid: string | null;
};

/** `frontendOpenOrders`, `orderStatus`, `historicalOrders`. */
export function frontendOrder(order: OrderSnapshot): FrontendOrderJson {
  return {
    ...headOf(order),
    triggerCondition: triggerCondition(order),
    isTrigger: order.trigger !== null,
    triggerPx: numberText(order.trigger?.triggerPrice ?? 0n),
    children: order.children.map(frontendOrder),
    isPositionTpsl: order.isPositionTpsl,
    reduceOnly: order.reduceOnly,
    orderType: order.orderType,
    origSz: numberText(order.originalSize),
    tif: order.tif,
    cloid: order.cloid,
  };
}

export type BasicOrderJson = OrderHead & {
  origSz: string;
  reduceOnly?: true;
  cloid?: string;
};

/** `openOrders` and the channel `orderUpdates`: the last two members only when there is something to say. */
export function basicOrder(order: OrderSnapshot): BasicOrderJson {
  return {
    ...headOf(order),
    origSz: numberText(order.originalSize),
    ...(order.reduceOnly ? { reduceOnly: true as const } : {}),
    ...(order.cloid === null ? {} : { cloid: order.cloid }),
  };
}

function headOf(order: OrderSnapshot): OrderHead {
  return {
    coin: order.coin,
    side: sideText(order.isBuy),
    limitPx: numberText(order.limitPrice),
    sz: numberText(order.size),
    oid: order.oid,
    timestamp: order.timestampMs,
  };
}

export function sideText(isBuy: boolean): "B" | "A" {
  return isBuy ? "B" : "A";
}

function triggerCondition(order: OrderSnapshot): string {
  if (order.trigger === null) return "N/A";
  const isAbove = (order.trigger.tpsl === "tp") !== order.isBuy;
  return `Price ${isAbove ? "above" : "below"} ${conditionPrice(order.trigger.triggerPrice)}`;
}

/** Whole prices lose their ".0" inside the sentence. */
function conditionPrice(price: bigint): string {
  return numberText(price).replace(/\.0$/, "");
}
