import { absolute, type Decimal, isNegative, isZero, subtract } from "../decimal.ts";
import type { Side } from "../order.ts";

/** One order towards what is to be held. */
export type TargetStep = { side: Side; size: Decimal; reduceOnly: boolean };

/**
 * The next order from what a bot holds to what it is to hold; null where it holds that. To the other side it goes by way of
 * nothing: what reduces passes where what increases is refused.
 */
export function stepTowards(net: Decimal, target: Decimal): TargetStep | null {
  const difference = subtract(target, net);
  if (isZero(difference)) return null;
  const isOtherSide = !isZero(net) && !isZero(target) && isNegative(net) !== isNegative(target);
  if (isOtherSide || isZero(target)) return { side: sideOf(net), size: absolute(net), reduceOnly: true };
  const reduceOnly = !isZero(net) && isNegative(difference) !== isNegative(target);
  return { side: isNegative(difference) ? "sell" : "buy", size: absolute(difference), reduceOnly };
}

/** That makes it smaller. */
function sideOf(net: Decimal): Side {
  return isNegative(net) ? "buy" : "sell";
}
