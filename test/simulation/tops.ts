/** Best prices, mark and oracle of the market of all wishes, as they were: what a price may be worked out from. */
import { bestAsk, bestBid, bookOf } from "../../src/paper/engine/book.ts";
import type { Venue } from "./venue.ts";

/** Of one moment, until the next; in 10^-8 dollars, null where a side is empty. */
export type Top = { atMs: number; bid: bigint | null; ask: bigint | null; mark: bigint; oracle: bigint };

const ASSET = 0;

export function topOf(venue: Venue): Top {
  const { venue: state } = venue.runtime.world;
  const market = state.markets.get(ASSET);
  if (market === undefined || market.kind !== "perp") throw new Error("bug: a run without its market");
  const book = bookOf(state, ASSET);
  return {
    atMs: venue.nowMs(),
    bid: bestBid(book),
    ask: bestAsk(book),
    mark: market.markPrice,
    oracle: market.oraclePrice,
  };
}

/** All that held at any time from then to then. */
export function topsWithin(tops: readonly Top[], fromMs: number, toMs: number): Top[] {
  return tops.filter(({ atMs }, nth) => atMs <= toMs && (tops[nth + 1]?.atMs ?? Number.POSITIVE_INFINITY) >= fromMs);
}
