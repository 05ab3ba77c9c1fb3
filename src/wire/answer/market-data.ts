/** What moves in a market, by the websocket and by reads: book, best prices, mark and what stands beside it. */
import { compare } from "../../core/decimal.ts";
import type { BestPrices, Book, BookLevel, MarkFigures, PriceLevel } from "../../core/market-figures.ts";
import type { PlacedMark } from "../../core/placed-marks.ts";
import {
  integer,
  money,
  moneyOrNull,
  orNull,
  rows,
  rowsOf,
  type Source,
  source,
  sourceOf,
  text,
  timeMs,
} from "./read.ts";

export type TimedBook = { market: string; timeMs: number; book: Book };

/** Answer of `l2Book` and its channel; null when unreadable, which is also the answer for an unknown market. */
export function parseBook(json: unknown): TimedBook | null {
  return orNull(() => bookOf(sourceOf(json)));
}

export function bookOf(from: Source): TimedBook {
  const [bids, asks] = rows(from, "levels", (side) => rowsOf(side, bookLevel));
  if (bids === undefined || asks === undefined) throw new Error("unreadable: levels");
  // What an order at market may cost is counted from the first level of a side, and nothing else says which side is which.
  if (!areRising([...bids.toReversed(), ...asks])) throw new Error("unreadable: levels out of order");
  return { market: text(from, "coin"), timeMs: timeMs(from, "time"), book: { bids, asks } };
}

function areRising(levels: readonly PriceLevel[]): boolean {
  return levels.every(({ price }, at) => {
    const next = levels[at + 1];
    return next === undefined || compare(price, next.price) <= 0;
  });
}

function bookLevel(value: unknown): BookLevel {
  const from = sourceOf(value);
  return { ...level(from), orders: integer(from, "n") };
}

function level(from: Source): PriceLevel {
  return { price: money(from, "px"), size: money(from, "sz") };
}

export function bestPricesOf(from: Source): { market: string; timeMs: number; best: BestPrices } {
  const sides = rows(from, "bbo", (side) => (side === null ? null : level(sourceOf(side))));
  const [bid, ask] = sides;
  if (bid === undefined || ask === undefined) throw new Error("unreadable: bbo");
  return { market: text(from, "coin"), timeMs: timeMs(from, "time"), best: { bid, ask } };
}

/** A spot market has neither oracle nor funding. */
export function markFiguresOf(from: Source): MarkFigures {
  return {
    mark: money(from, "markPx"),
    oracle: moneyOrNull(from, "oraclePx"),
    fundingRate: moneyOrNull(from, "funding"),
    openInterest: moneyOrNull(from, "openInterest"),
    dayVolume: money(from, "dayNtlVlm"),
    previousDayPrice: money(from, "prevDayPx"),
  };
}

/** Figures by market. */
export type MarkList = ReadonlyMap<string, MarkFigures>;

/** By market, as their places say. */
export type PlacedMarks = ReadonlyMap<string, PlacedMark>;

/** Answer of `metaAndAssetCtxs`: the figures stand in the order of the markets. Null when unreadable. */
export function parsePerpMarks(json: unknown): PlacedMarks | null {
  return orNull(() => {
    const [meta, contexts] = rowsOf(json, (part) => part);
    const names = rows(sourceOf(meta), "universe", (market) => text(sourceOf(market), "name"));
    const figures = rowsOf(contexts, placedOrNull);
    if (names.length !== figures.length) throw new Error("unreadable: contexts");
    return pairs(names.map((name, index) => [name, figures[index] ?? null]));
  });
}

/** Answer of `spotMetaAndAssetCtxs`: each says of which market it is. Null when unreadable. */
export function parseSpotMarks(json: unknown): MarkList | null {
  return orNull(() => {
    const [, contexts] = rowsOf(json, (part) => part);
    return pairs(rowsOf(contexts, (row) => [text(sourceOf(row), "coin"), figuresOrNull(row)]));
  });
}

function placedOrNull(row: unknown): PlacedMark | null {
  return orNull(() => ({ figures: markFiguresOf(sourceOf(row)), mid: moneyOrNull(sourceOf(row), "midPx") }));
}

/** A market that is not traded any more may lack some; the others are no worse for that. */
function figuresOrNull(row: unknown): MarkFigures | null {
  return orNull(() => markFiguresOf(sourceOf(row)));
}

function pairs<Row>(list: readonly (readonly [string, Row | null])[]): ReadonlyMap<string, Row> {
  return new Map(list.filter((pair): pair is [string, Row] => pair[1] !== null));
}

export function contextOf(data: Source): { market: string; figures: MarkFigures } {
  return { market: text(data, "coin"), figures: markFiguresOf(source(data, "ctx")) };
}
