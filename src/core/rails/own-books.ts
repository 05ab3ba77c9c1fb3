/** What a bot has out, added up once for all that is judged by it. */
import { type Decimal, larger, sum, ZERO } from "../decimal.ts";
import type { OpenLeg, Sums } from "./exposure.ts";

/** Over what increases in one market. `highest`: the highest price of any limit or trigger; null where one has no price. */
export type MarketSums = Sums & { highest: Decimal | null };

export type OwnBooks = {
  /** All of the bot's, what only reduces among them. */
  legs: readonly OpenLeg[];
  /** By market, of all in which it has anything out. */
  markets: ReadonlyMap<string, MarketSums>;
};

export const NOTHING_OUT: MarketSums = { buys: ZERO, sells: ZERO, highest: ZERO };

export function ownBooks(bot: string, all: readonly OpenLeg[]): OwnBooks {
  const legs = all.filter((leg) => leg.bot === bot);
  const markets = new Map<string, MarketSums>();
  // Most often all of it is in one market.
  const market = legs[0]?.market;
  if (market === undefined) return { legs, markets };
  if (legs.every((leg) => leg.market === market)) return { legs, markets: markets.set(market, sumsIn(legs)) };
  for (const [market, some] of Map.groupBy(legs, (leg) => leg.market)) markets.set(market, sumsIn(some));
  return { legs, markets };
}

function sumsIn(legs: readonly OpenLeg[]): MarketSums {
  const buys: Decimal[] = [];
  const sells: Decimal[] = [];
  let highest: Decimal | null = ZERO;
  for (const { price, triggerPrice, canOnlyReduce, side, remaining } of legs) {
    if (canOnlyReduce) continue;
    (side === "buy" ? buys : sells).push(remaining);
    if (price === null || highest === null) highest = null;
    else highest = larger(highest, larger(price, triggerPrice ?? price));
  }
  return { buys: sum(buys), sells: sum(sells), highest };
}
