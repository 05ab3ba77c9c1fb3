/** What a line that was dragged proposes: prices that the market takes, near where it was let go. */
import type { ApiMarket, ApiOrder } from "../api/resources.ts";
import { divide, isZero, multiply } from "./decimal.ts";
import { takenPrice } from "./market-rules.ts";

export type Moved = { price: string; triggerPrice: string };

/** Decimals of a quotient of two prices. */
const RATIO_DECIMALS = 12;

/**
 * A limit goes where it was let go. Of a trigger the trigger does, and its limit, or worst price, keeps its part of it.
 * @param dropped a price of the chart, as a plain decimal
 */
export function movedTo({ side, price, trigger }: ApiOrder, dropped: string, market: ApiMarket): Moved | null {
  // A buy is not proposed above the hand, a sale not below.
  const way = side === "buy" ? "down" : "up";
  const taken = takenPrice(market, dropped, way);
  if (isZero(taken)) return null;
  if (trigger === undefined) return { price: taken, triggerPrice: "" };
  const ratio = divide(price, trigger.price, RATIO_DECIMALS);
  const limit = ratio === null ? "0" : takenPrice(market, multiply(taken, ratio), way);
  return isZero(limit) ? null : { price: limit, triggerPrice: taken };
}
