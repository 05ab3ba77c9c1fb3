/** What a bot holds by its own fills: all of them, what only reduces among them. */
import { type Decimal, negate } from "../decimal.ts";
import type { Side } from "../order.ts";

/** What a trade moves a bot's net by; `size` below zero: taken back, because it is another's. */
export function signedSize(side: Side, size: Decimal): Decimal {
  return side === "buy" ? size : negate(size);
}
