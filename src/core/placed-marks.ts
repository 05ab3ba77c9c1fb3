/** Marks that an answer lists in the order of its markets, without a name beside any of them. */
import { absolute, compare, type Decimal, decimal, multiply, subtract } from "./decimal.ts";
import type { MarkFigures, MidPrices } from "./market-figures.ts";

/** `mid`: the middle price that stands in the same row; null where the row has none. */
export type PlacedMark = { figures: MarkFigures; mid: Decimal | null };

/**
 * Those whose row is of the market that it was taken for: a price that names its market is next to that of the row. A row in another's
 * place would have a size judged by another market's price.
 */
export function marksInPlace(
  placed: ReadonlyMap<string, PlacedMark>,
  mids: MidPrices,
): ReadonlyMap<string, MarkFigures> {
  // An answer that names nothing contradicts nothing.
  if (mids.size === 0) return new Map([...placed].map(([market, { figures }]) => [market, figures]));
  const rows = [...placed].map(([market, row]) => ({ market, row, isOwn: isOf(row, mids.get(market)) }));
  // A middle price says whose a row is far better than a mark: where one is out of place, the others are not believed by a mark alone.
  const isAnyOut = rows.some(({ row, isOwn }) => row.mid !== null && !isOwn);
  const inPlace = rows.filter(({ row, isOwn }) => isOwn && (row.mid !== null || !isAnyOut));
  return new Map(inPlace.map(({ market, row }) => [market, row.figures]));
}

/** The two answers are a moment apart, so they are not the same to the digit. Share of the one that is named. */
const MOST_APART = decimal("0.05");
/** Without both sides of a book the middle that is named is the last trade's price, which a mark leaves far behind. */
const MOST_TIMES = decimal("2");

function isOf({ figures: { mark }, mid }: PlacedMark, named: Decimal | undefined): boolean {
  if (named === undefined) return mid === null;
  if (mid !== null) return compare(absolute(subtract(mid, named)), multiply(named, MOST_APART)) <= 0;
  return compare(mark, multiply(named, MOST_TIMES)) <= 0 && compare(named, multiply(mark, MOST_TIMES)) <= 0;
}
