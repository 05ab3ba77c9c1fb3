/** Marks that an answer lists in the order of its markets, without a name beside any of them. */
import { absolute, compare, type Decimal, decimal, multiply, subtract } from "./decimal.ts";
import type { MarkFigures, MidPrices } from "./market-figures.ts";

/** `mid`: the middle price that stands in the same row; null where the row has none. */
export type PlacedMark = { figures: MarkFigures; mid: Decimal | null };

/**
 * Those whose row is of the market that it was taken for: a price that names its market is next to that of the row. A row in another's
 * place would have a size judged by another market's price. What no price names is believed only without a middle of its own, and in a
 * list in which nothing else is out of place.
 */
export function marksInPlace(
  placed: ReadonlyMap<string, PlacedMark>,
  mids: MidPrices,
): ReadonlyMap<string, MarkFigures> {
  const named = [...placed].filter(([market]) => mids.has(market));
  const isAnyOut = named.some(([market, row]) => !isOf(row, mids.get(market)));
  const inPlace = [...placed].filter(([market, row]) => {
    return mids.has(market) ? isOf(row, mids.get(market)) : row.mid === null && !isAnyOut;
  });
  return new Map(inPlace.map(([market, { figures }]) => [market, figures]));
}

/** The two answers are a moment apart, so they are not the same to the digit. A twentieth is the most that a mark can be wrong by. */
const MOST_APART = decimal("0.05");

function isOf({ figures, mid }: PlacedMark, named: Decimal | undefined): boolean {
  if (named === undefined) return false;
  // Without both sides of a book the middle is the last trade's price, and the row has the mark alone.
  const apart = absolute(subtract(mid ?? figures.mark, named));
  return compare(apart, multiply(named, MOST_APART)) <= 0;
}
