/** The stop and the profit that go with an entry: what the gateway would not take, and what they would come to. */

import type { Side } from "../../core/order.ts";
import { compare, multiply, subtract } from "./decimal.ts";
import { isPrice } from "./order-sums.ts";

/** As they are typed; an empty text asks for none. */
export type EntryProtection = { side: Side; price: string; stopPrice: string; profitPrice: string };

export type ProtectionFault = { field: "stopPrice" | "profitPrice"; words: string };

/** The first thing that keeps it from being sent; null where nothing does. Prices with too many digits are the gateway's to tell. */
export function entryProtectionFault({ side, price, stopPrice, profitPrice }: EntryProtection): ProtectionFault | null {
  const [losing, winning] = side === "buy" ? ["below", "above"] : ["above", "below"];
  if (stopPrice !== "" && !isPrice(stopPrice))
    return { field: "stopPrice", words: "A stop is a price such as 64250.5." };
  if (profitPrice !== "" && !isPrice(profitPrice))
    return { field: "profitPrice", words: "A profit is a price such as 64250.5." };
  if (profitPrice !== "" && stopPrice === "")
    return { field: "profitPrice", words: "A profit alone protects nothing: give the stop as well." };
  if (stopPrice !== "" && !isBeyond(side === "buy" ? "below" : "above", stopPrice, price))
    return { field: "stopPrice", words: `The stop of a ${side} is ${losing} its price.` };
  if (profitPrice !== "" && !isBeyond(side === "buy" ? "above" : "below", profitPrice, price))
    return { field: "profitPrice", words: `The profit of a ${side} is ${winning} its price.` };
  return null;
}

function isBeyond(way: "above" | "below", one: string, other: string): boolean {
  const order = compare(one, other);
  return way === "above" ? order > 0 : order < 0;
}

/** Won or lost at the trigger by what was entered at its limit, USDC, before fees; null where one of them is no decimal. */
export function outcomeOfEntry(side: Side, size: string, price: string, trigger: string): string | null {
  if (![size, price, trigger].every(isPrice)) return null;
  return multiply(size, side === "buy" ? subtract(trigger, price) : subtract(price, trigger));
}
