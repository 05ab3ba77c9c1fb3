import type { Decimal } from "../../core/decimal.ts";
import {
  flag,
  givenId,
  money,
  moneyOrNull,
  oneOf,
  orNull,
  rowsOf,
  type Source,
  source,
  sourceOf,
  text,
  textOrNull,
  timeMs,
} from "./read.ts";

/** What every form of an order has. */
export type BasicOrder = {
  coin: string;
  /** "B" buys, "A" sells. */
  side: "B" | "A";
  limitPrice: Decimal;
  /**
   * Left to fill, as of the last change of status: it lags fills, and a reduce-only order shrinks with its position.
   * Never work out fills from it.
   */
  size: Decimal;
  /** Null in old forms only. */
  originalSize: Decimal | null;
  /** Native id, decimal digits. */
  oid: string;
  timestampMs: number;
  reduceOnly: boolean;
  cloid: string | null;
};

export type FrontendOrder = BasicOrder & {
  isTrigger: boolean;
  /** Null for orders without a trigger, where the exchange writes "0.0". */
  triggerPrice: Decimal | null;
  /** `Price above 0.6`, `Price below 0.6`; null without a trigger. */
  triggerCondition: string | null;
  /** `Limit`, `Market`, `Stop Market`, `Take Profit Limit` and so on; null in old forms. */
  orderType: string | null;
  /** `Gtc`, `Ioc`, `Alo`, `FrontendMarket`, `LiquidationMarket`; null for triggers. */
  tif: string | null;
  isPositionTpsl: boolean;
  /** TP/SL orders that wait for this one to fill. */
  children: FrontendOrder[];
};

export type OrderRecord = { order: FrontendOrder; status: string; statusTimestampMs: number };

export type OrderStatusAnswer =
  | ({ kind: "order" } & OrderRecord)
  /** No proof of anything: the exchange lags its own acknowledgements and forgets all but the newest 2,000 orders. */
  | { kind: "not_found" }
  | { kind: "unreadable" };

/** Answer of `orderStatus`. */
export function parseOrderStatus(json: unknown): OrderStatusAnswer {
  const answer = orNull((): OrderStatusAnswer => {
    const from = sourceOf(json);
    if (oneOf(from, "status", ["order", "unknownOid"]) === "unknownOid") return { kind: "not_found" };
    return { kind: "order", ...orderRecord(source(from, "order")) };
  });
  return answer ?? { kind: "unreadable" };
}

/**
 * `parseOrderStatus`, where nothing but the id says which order it is: a record of another, that a server answers with, is
 * unreadable.
 *
 * @param id the native or client order id that was asked for, as text
 */
export function parseOrderStatusOf(id: string, json: unknown): OrderStatusAnswer {
  const answer = parseOrderStatus(json);
  const isAnother = answer.kind === "order" && answer.order.oid !== id && answer.order.cloid !== id.toLowerCase();
  return isAnother ? { kind: "unreadable" } : answer;
}

/** Answer of `historicalOrders`: newest first, an order once for each change of status; null when unreadable. */
export function parseHistoricalOrders(json: unknown): OrderRecord[] | null {
  return orNull(() => rowsOf(json, (row) => orderRecord(sourceOf(row))));
}

function orderRecord(from: Source): OrderRecord {
  const statusTimestampMs = timeMs(from, "statusTimestamp");
  return { order: frontendOrder(source(from, "order")), status: text(from, "status"), statusTimestampMs };
}

/** Throws where a member has another shape: only to be called by parsers of this folder. */
export function basicOrder(from: Source): BasicOrder {
  return {
    coin: text(from, "coin"),
    side: oneOf(from, "side", ["B", "A"]),
    limitPrice: money(from, "limitPx"),
    size: money(from, "sz"),
    originalSize: moneyOrNull(from, "origSz"),
    oid: givenId(from, "oid"),
    timestampMs: timeMs(from, "timestamp"),
    reduceOnly: flag(from, "reduceOnly"),
    cloid: textOrNull(from, "cloid")?.toLowerCase() ?? null,
  };
}

/** Deepest nesting of children; the exchange has one level. */
const MAX_DEPTH = 4;

/** Throws where a member has another shape: only to be called by parsers of this folder. */
export function frontendOrder(from: Source, depth = 0): FrontendOrder {
  if (depth > MAX_DEPTH) throw new Error("unreadable: children nest too deep");
  const isTrigger = flag(from, "isTrigger");
  const children = from["children"] ?? [];
  return {
    ...basicOrder(from),
    isTrigger,
    triggerPrice: isTrigger ? moneyOrNull(from, "triggerPx") : null,
    triggerCondition: isTrigger ? textOrNull(from, "triggerCondition") : null,
    orderType: textOrNull(from, "orderType"),
    tif: textOrNull(from, "tif"),
    isPositionTpsl: flag(from, "isPositionTpsl"),
    children: rowsOf(children, (child) => frontendOrder(sourceOf(child), depth + 1)),
  };
}
