/** What a bot has out, added up once for all that is judged by it. */
import { type Decimal, larger, ZERO } from "../decimal.ts";
import { type OpenLeg, type Sums, sumBySide } from "./exposure.ts";

/**
 * Over what increases in one market. `highest`: the highest price of any limit or trigger; null where one has no price. `reducing`: over
 * what only reduces there, waiting triggers among it.
 */
export type MarketSums = Sums & { highest: Decimal | null; reducing: Sums };

export type OwnBooks = {
  /** All of the bot's, what only reduces among them. */
  legs: readonly OpenLeg[];
  /** By market, of all in which it has anything out. */
  markets: ReadonlyMap<string, MarketSums>;
};

const NOTHING: Sums = { buys: ZERO, sells: ZERO };

export const NOTHING_OUT: MarketSums = { ...NOTHING, highest: ZERO, reducing: NOTHING };

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
  const reducing = legs.filter(({ canOnlyReduce }) => canOnlyReduce);
  const increasing = reducing.length === 0 ? legs : legs.filter(({ canOnlyReduce }) => !canOnlyReduce);
  let highest: Decimal | null = ZERO;
  for (const { price, triggerPrice } of increasing) {
    if (price === null || highest === null) highest = null;
    else highest = larger(highest, larger(price, triggerPrice ?? price));
  }
  return { ...sumBySide(increasing), highest, reducing: reducing.length === 0 ? NOTHING : sumBySide(reducing) };
}
