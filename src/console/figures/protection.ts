/** Orders that wait to close a position: what is there, and what is proposed. */
import type { ApiMarket, ApiOrder, ApiPosition } from "../api/resources.ts";
import { add, compare, isZero, multiply, SENT_DECIMAL, subtract } from "./decimal.ts";
import { takenPrice } from "./market-rules.ts";

export type TriggerKind = NonNullable<ApiOrder["trigger"]>["kind"];

export type WaitingStops = {
  /** Trigger price of the one that fires first. */
  price: string;
  /** Of all of them, base units; no more than the position. */
  size: string;
  coversAll: boolean;
};

export function closingSide({ side }: Pick<ApiPosition, "side">): "buy" | "sell" {
  return side === "long" ? "sell" : "buy";
}

/** The reduce-only triggers of one kind on a position; null where there is none. */
export function waitingOn(
  position: Pick<ApiPosition, "market" | "side" | "size">,
  orders: readonly ApiOrder[],
  kind: TriggerKind,
): WaitingStops | null {
  const side = closingSide(position);
  let found: WaitingStops | null = null;
  for (const order of orders) {
    if (order.market !== position.market || order.side !== side || !order.reduce_only) continue;
    if (order.trigger?.kind !== kind) continue;
    // One that was placed elsewhere for the whole position has no size of its own.
    const open = isZero(order.size) ? position.size : subtract(order.size, order.filled_size ?? "0");
    const size = add(found?.size ?? "0", open);
    const price: string = found === null ? order.trigger.price : nearer(kind, side, found.price, order.trigger.price);
    const coversAll = compare(size, position.size) >= 0;
    found = { price, size: coversAll ? position.size : size, coversAll };
  }
  return found;
}

/** Of two triggers the one that the mark reaches first. */
function nearer(kind: TriggerKind, side: "buy" | "sell", one: string, other: string): string {
  const isHigherFirst = (kind === "stop_loss") === (side === "sell");
  return compare(one, other) > 0 === isHigherFirst ? one : other;
}

/** How far beyond its trigger a closing order may execute, as a fraction. */
const SLIPPAGE = "0.08";
export const SLIPPAGE_WORDS = "8 %";

/** The worst price at which a triggered order closes, as the market takes it; null while the trigger is no price. */
export function worstAfter(trigger: string, side: "buy" | "sell", market: ApiMarket): string | null {
  if (!SENT_DECIMAL.test(trigger) || isZero(trigger)) return null;
  const isSale = side === "sell";
  const worst = multiply(trigger, isSale ? subtract("1", SLIPPAGE) : add("1", SLIPPAGE));
  const price = takenPrice(market, worst, isSale ? "up" : "down");
  return isZero(price) ? null : price;
}

/** Whether the mark reaches the liquidation price before it reaches this. */
export function isBeyondLiquidation(
  { side, liquidation_price: liquidation }: Pick<ApiPosition, "side" | "liquidation_price">,
  price: string,
): boolean {
  if (liquidation === null || !SENT_DECIMAL.test(price)) return false;
  return side === "long" ? compare(price, liquidation) <= 0 : compare(price, liquidation) >= 0;
}

/** What the position would have won or lost at that price, USDC, without fees and funding; null without an entry price. */
export function outcomeAt(
  position: Pick<ApiPosition, "side" | "entry_price">,
  price: string,
  size: string,
): string | null {
  const { side, entry_price: entry } = position;
  if (entry === null || !SENT_DECIMAL.test(price) || !SENT_DECIMAL.test(size)) return null;
  const move = side === "long" ? subtract(price, entry) : subtract(entry, price);
  return multiply(move, size);
}
