import type { OrderTerms, TimeInForce, Trigger } from "../../core/order.ts";
import type { FrontendOrder } from "./order-status.ts";

/** What was asked for, as the exchange shows it, in our words. */
export function termsOf(order: FrontendOrder): OrderTerms {
  return {
    market: order.coin,
    side: order.side === "B" ? "buy" : "sell",
    size: order.originalSize ?? order.size,
    price: order.limitPrice,
    timeInForce: timeInForce(order.tif),
    reduceOnly: order.reduceOnly,
    trigger: trigger(order),
  };
}

function timeInForce(tif: string | null): TimeInForce {
  if (tif === "Alo") return "alo";
  return tif === "Ioc" || tif === "FrontendMarket" || tif === "LiquidationMarket" ? "ioc" : "gtc";
}

function trigger(order: FrontendOrder): Trigger | null {
  if (!order.isTrigger || order.triggerPrice === null) return null;
  const kind = order.orderType?.startsWith("Take Profit") === true ? "take_profit" : "stop_loss";
  return { price: order.triggerPrice, kind, market: order.orderType?.endsWith("Market") === true };
}
