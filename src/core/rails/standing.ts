import { compareProduct, decimal, divide, larger, multiply } from "../decimal.ts";
import { isSpot } from "../market.ts";
import type { OrderTerms } from "../order.ts";
import { marketFault } from "./may.ts";
import type { Rails } from "./rails.ts";
import { type RailRefusal, refusal } from "./verdict.ts";

/** By a rail, not for want of a fact. */
type StandingRefusal = Extract<RailRefusal, { kind: "refused" }>;

/**
 * The rail that refuses an order by what is written in it, whatever the market and the bot's books are: no gate will ever let it
 * pass. Of what only reduces there is none. `sizeDecimals`: of its market; null where that is not known.
 */
export function standingFault(rails: Rails, terms: OrderTerms, sizeDecimals: number | null): StandingRefusal | null {
  const { market, side, reduceOnly } = terms;
  if (reduceOnly || (side === "sell" && isSpot(market))) return null;
  return refusedOnly(marketFault(rails, market)) ?? worthFault(rails, terms, sizeDecimals);
}

/** At its own price: the market can only make it worth more. */
function worthFault({ maxOrder }: Rails, terms: OrderTerms, sizeDecimals: number | null): StandingRefusal | null {
  const [size, price] = [decimal(terms.size), decimal(terms.price)];
  const worst = larger(price, terms.trigger === null ? price : decimal(terms.trigger.price));
  if (maxOrder === null || compareProduct(size, worst, maxOrder) <= 0) return null;
  const largest = sizeDecimals === null ? null : divide(maxOrder, worst, sizeDecimals);
  return refusedOnly(refusal("maxOrder", { limit: `${maxOrder} USD`, use: `${multiply(size, worst)} USD`, largest }));
}

function refusedOnly(fault: RailRefusal | null): StandingRefusal | null {
  return fault?.kind === "refused" ? fault : null;
}
