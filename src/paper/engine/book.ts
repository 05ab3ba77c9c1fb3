/** Price-time books: levels sorted best first, orders of a level oldest first. */
import type { Venue, VenueBook, VenueLevel, VenueOrder } from "./state.ts";

export function bookOf(venue: Venue, asset: number): VenueBook {
  const book = venue.books.get(asset);
  if (book === undefined) throw new Error(`bug: no book ${asset}`);
  return book;
}

export function sideOf(book: VenueBook, isBuy: boolean): VenueLevel[] {
  return isBuy ? book.bids : book.asks;
}

/** True when `price` is strictly better than `other` for somebody on this side. */
function isBetter(isBuy: boolean, price: bigint, other: bigint): boolean {
  return isBuy ? price > other : price < other;
}

/** Index of the first level that is not better than `price`. */
function place(levels: readonly VenueLevel[], isBuy: boolean, price: bigint): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const level = levels[middle];
    if (level !== undefined && isBetter(isBuy, level.price, price)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Puts an order behind the others of its price. */
export function insertOrder(book: VenueBook, order: VenueOrder): void {
  const levels = sideOf(book, order.isBuy);
  const index = place(levels, order.isBuy, order.limitPrice);
  const level = levels[index];
  if (level !== undefined && level.price === order.limitPrice) level.oids.push(order.oid);
  else levels.splice(index, 0, { price: order.limitPrice, oids: [order.oid] });
}

/** Takes an order off the book; throws when it is not on it. */
export function takeOrder(book: VenueBook, order: VenueOrder): void {
  const levels = sideOf(book, order.isBuy);
  const index = place(levels, order.isBuy, order.limitPrice);
  const level = levels[index];
  const position = level === undefined ? -1 : level.oids.indexOf(order.oid);
  if (level === undefined || position === -1) throw new Error(`bug: order ${order.oid} is not on its book`);
  level.oids.splice(position, 1);
  if (level.oids.length === 0) levels.splice(index, 1);
}

export function bestBid(book: VenueBook): bigint | null {
  return book.bids[0]?.price ?? null;
}

export function bestAsk(book: VenueBook): bigint | null {
  return book.asks[0]?.price ?? null;
}

/** The best price that an order of this side and limit would meet, or null when it crosses nothing. */
export function crossingPrice(book: VenueBook, isBuy: boolean, limitPrice: bigint): bigint | null {
  const best = isBuy ? bestAsk(book) : bestBid(book);
  if (best === null || isBetter(!isBuy, limitPrice, best)) return null;
  return best;
}

export type LevelView = { price: bigint; size: bigint; count: number };

/** At most `depth` levels of a side with their sizes. */
export function levelViews(venue: Venue, levels: readonly VenueLevel[], depth: number): LevelView[] {
  return levels.slice(0, depth).map((level) => {
    let size = 0n;
    for (const oid of level.oids) size += venue.orders.get(oid)?.size ?? 0n;
    return { price: level.price, size, count: level.oids.length };
  });
}

/** Average price at which `notional` would trade against this side, or null when it is too thin. */
export function impactPrice(venue: Venue, levels: readonly VenueLevel[], notional: bigint): bigint | null {
  // Values in 10^-16, sizes in 10^-16 too: a size cut at 10^-8 would show in the price.
  let left = notional * SCALE;
  let size = 0n;
  for (const level of levels) {
    for (const oid of level.oids) {
      const order = venue.orders.get(oid);
      if (order === undefined) continue;
      const value = order.size * level.price;
      if (value >= left) return (notional * SCALE * SCALE) / (size + (left * SCALE) / level.price);
      left -= value;
      size += order.size * SCALE;
    }
  }
  return null;
}

const SCALE = 100_000_000n;
