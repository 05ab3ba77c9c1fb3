import {
  add,
  compare,
  compareExact,
  type Decimal,
  decimal,
  divide,
  exact,
  multiply,
  subtract,
  times,
} from "../decimal.ts";
import { isAbove, type OpenLeg, SLICE_SLIPPAGE_PERCENT } from "./exposure.ts";
import type { Rails } from "./rails.ts";
import { type RailRefusal, refusal } from "./verdict.ts";
import type { Facts, Ordered, WishedTrigger } from "./wish.ts";

/** An order that may execute at once by its worst price from the market; a trigger that waits by its worst price from it. */
export function distanceFault(rails: Rails, facts: Facts, { leg, trigger }: Ordered): RailRefusal | null {
  const { maxDistance, maxStopDistance } = rails;
  // Where no price says that a stop has fired, it is where it is: what it costs is bounded by its own trigger in either case.
  const waits = trigger !== null && (trigger.hasFired === false || isPlainStop(leg, trigger));
  if (waits) {
    const rail = leg.canOnlyReduce ? "maxStopDistance" : "maxDistance";
    const limit = leg.canOnlyReduce ? maxStopDistance : maxDistance;
    return worstFault(rail, limit, leg, trigger.price);
  }
  if (maxDistance === null) return null;
  if (leg.price === null) return sliceFault(maxDistance);
  const reference = facts.referenceOf(leg.market);
  if (reference === null) return { kind: "unproven", missing: `a price of ${leg.market}` };
  const from = leg.side === "buy" ? reference.low : reference.high;
  return worstFault("maxDistance", maxDistance, leg, from);
}

/** What the exchange allows each slice of a TWAP nobody can narrow. */
function sliceFault(maxDistance: Decimal): RailRefusal | null {
  if (!isAbove(SLICE_SLIPPAGE_PERCENT, maxDistance)) return null;
  return refusal("maxDistance", {
    limit: `${maxDistance} %`,
    use: `${SLICE_SLIPPAGE_PERCENT} % for each slice of a TWAP`,
  });
}

function isPlainStop({ canOnlyReduce }: OpenLeg, { kind, hasFired }: WishedTrigger): boolean {
  return canOnlyReduce && hasFired === null && kind === "stop_loss";
}

const HUNDRED = decimal("100");

/** Digits of a percentage that a message shows, as many as a rail may have. */
const SHOWN_DECIMALS = 2;
const SHOWN_STEP = decimal("0.01");

/** Compared without dividing: nothing is rounded. */
function worstFault(
  rail: "maxDistance" | "maxStopDistance",
  limit: Decimal | null,
  leg: OpenLeg,
  from: Decimal,
): RailRefusal | null {
  const { side, price } = leg;
  if (limit === null || price === null) return null;
  const isCostly = compare(price, from) === (side === "buy" ? 1 : -1);
  if (!isCostly) return null;
  const cost = side === "buy" ? subtract(price, from) : subtract(from, price);
  if (compareExact(times(exact(cost), exact(HUNDRED)), times(exact(from), exact(limit))) <= 0) return null;
  return refusal(rail, { limit: `${limit} %`, use: `${percentOf(cost, from)} % from ${from}` });
}

/** No less than it is: what is over a limit never looks as if it were at it. */
function percentOf(cost: Decimal, from: Decimal): Decimal {
  const hundredfold = multiply(cost, HUNDRED);
  const cut = divide(hundredfold, from, SHOWN_DECIMALS);
  return compare(multiply(cut, from), hundredfold) < 0 ? add(cut, SHOWN_STEP) : cut;
}
