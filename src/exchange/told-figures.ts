/** Figures of the markets, from frames of the websocket and from answers to reads, in one form. */
import type { Market } from "../core/market.ts";
import type { BookLevel } from "../core/market-figures.ts";
import type { Told } from "../core/market-knowledge.ts";
import { marksInPlace } from "../core/placed-marks.ts";
import type { MarkList, TimedBook } from "../wire/answer/market-data.ts";
import type { Frame } from "../wire/answer/stream.ts";
import type { Purpose } from "./exchange.ts";
import type { Read, Reads } from "./reads.ts";

/** Null for a frame that tells nothing of markets. */
export function toldBy(frame: Frame): Told | null {
  switch (frame.kind) {
    case "best_prices":
      return { kind: "best", of: frame.market, value: frame.best, timeMs: frame.timeMs };
    case "book":
      return { kind: "book", of: frame.market, value: frame.book, timeMs: frame.timeMs };
    case "mark_figures":
      return { kind: "mark", of: frame.market, value: frame.figures, timeMs: null };
    case "mid_prices":
      return { kind: "mids", of: frame.dex, value: frame.mids, timeMs: null };
    default:
      return null;
  }
}

export type MarketReads = Pick<Reads, "book" | "perpMarks" | "spotMarks" | "mids">;

/** The book of a market, and its best prices with it. Weight 2. */
export async function askForBook(reads: MarketReads, market: string, purpose: Purpose): Promise<Read<Told[]>> {
  return mapped(await reads.book(market, purpose), toldByBook);
}

/** Mark prices and the figures beside them, of all markets of one kind and dex. Weight 20, and 2 more for those of a dex. */
export async function askForMarks(
  reads: MarketReads,
  market: Pick<Market, "name" | "kind" | "dex">,
  purpose: Purpose,
): Promise<Read<Told[]>> {
  if (market.kind === "spot") return mapped(await reads.spotMarks(purpose), toldByMarks);
  return perpMarksInPlace(reads, market, purpose);
}

/** Nothing in the list of marks says of which market a row is: what else is told by name has to agree with it. */
async function perpMarksInPlace(
  reads: MarketReads,
  { name, dex }: Pick<Market, "name" | "dex">,
  purpose: Purpose,
): Promise<Read<Told[]>> {
  const [marks, mids] = await Promise.all([reads.perpMarks(dex, purpose), reads.mids(dex, purpose)]);
  if (marks.kind === "failed") return marks;
  if (mids.kind === "failed") return mids;
  const inPlace = marksInPlace(marks.value, mids.value);
  const isAnothers = marks.value.has(name) && !inPlace.has(name);
  if (isAnothers) return { kind: "failed", reason: "the mark may be another market's", isOurBudget: false };
  return mapped({ ...marks, value: inPlace }, toldByMarks);
}

function toldByMarks(marks: MarkList): Told[] {
  return [...marks].map(([of, value]) => ({ kind: "mark", of, value, timeMs: null }));
}

/** The middle prices of a dex. Weight 2. */
export async function askForMids(reads: MarketReads, dex: string, purpose: Purpose): Promise<Read<Told[]>> {
  return mapped(await reads.mids(dex, purpose), (value) => [{ kind: "mids", of: dex, value, timeMs: null }]);
}

function mapped<Value>(read: Read<Value>, tellers: (value: Value) => Told[]): Read<Told[]> {
  return read.kind === "failed" ? read : { ...read, value: tellers(read.value) };
}

function toldByBook({ market, timeMs, book }: TimedBook): Told[] {
  const best = { bid: bestOf(book.bids), ask: bestOf(book.asks) };
  return [
    { kind: "book", of: market, value: book, timeMs },
    { kind: "best", of: market, value: best, timeMs },
  ];
}

function bestOf([first]: readonly BookLevel[]) {
  return first === undefined ? null : { price: first.price, size: first.size };
}
