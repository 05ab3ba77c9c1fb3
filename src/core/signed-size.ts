import { type Decimal, negate } from "./decimal.ts";
import type { Side } from "./order.ts";

/** What a purchase or a sale moves a position by: negative for a sale. Below zero a size is what is taken back, because it is another's. */
export function signedSize(side: Side, size: Decimal): Decimal {
  return side === "buy" ? size : negate(size);
}
