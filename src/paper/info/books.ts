/** allMids, l2Book, recentTrades. */
import type { VenueTrade } from "../engine/event.ts";
import type { Venue, VenueLevel, VenueMarket } from "../engine/state.ts";
import { optional, required, text, u64 } from "../exchange/decode.ts";
import { levelSizeOf, midPrice } from "./asset-contexts.ts";
import { perpsOf, spots } from "./markets.ts";
import { numberText } from "./number-format.ts";
import { sideText } from "./order-shapes.ts";
import { dexIndex, infoRequest, SERVER_FAULT } from "./request.ts";

/** Levels a side of one book. */
export const MAX_LEVELS = 20;
/** Trades of one answer of `recentTrades`. */
const MAX_RECENT_TRADES = 10;

export const allMids = infoRequest({ dex: optional(text) }, ({ venue }, { dex }) => {
  const index = dexIndex(venue, dex);
  return index === null ? SERVER_FAULT : midsOf(venue, index);
});

/** Spot pairs come with the validator dex only. */
export function midsOf(venue: Venue, dex: number): Record<string, string> {
  const markets: VenueMarket[] = [...perpsOf(venue, dex), ...(dex === 0 ? spots(venue) : [])];
  const mids: Record<string, string> = {};
  for (const market of markets) {
    const mid = midPrice(venue, market);
    if (mid !== null) mids[market.coin] = numberText(mid);
  }
  return mids;
}

export const l2Book = infoRequest(
  { coin: required(text), nSigFigs: optional(u64), mantissa: optional(u64) },
  ({ venue, nowMs }, { coin, nSigFigs, mantissa }) => {
    const grouping = bookGrouping(nSigFigs, mantissa);
    if (grouping === null) return SERVER_FAULT;
    const market = marketOf(venue, coin);
    return market === null ? null : bookOf(venue, market, { grouping, depth: MAX_LEVELS, nowMs });
  },
);

export type BookGrouping = { readonly significantFigures: number | null; readonly mantissa: number };

/** Null: values to which the exchange answers with status 500. */
export function bookGrouping(figures: bigint | undefined, mantissa: bigint | undefined): BookGrouping | null {
  if (figures === undefined) return mantissa === undefined ? { significantFigures: null, mantissa: 1 } : null;
  if (figures < 2n || figures > 5n) return null;
  if (mantissa === undefined) return { significantFigures: Number(figures), mantissa: 1 };
  if (figures !== 5n || (mantissa !== 2n && mantissa !== 5n)) return null;
  return { significantFigures: 5, mantissa: Number(mantissa) };
}

export function marketOf(venue: Venue, coin: string): VenueMarket | null {
  const asset = venue.assetOfCoin.get(coin);
  return asset === undefined ? null : (venue.markets.get(asset) ?? null);
}

export type BookView = { readonly grouping: BookGrouping; readonly depth: number; readonly nowMs: number };
type BookLevelRow = { px: string; sz: string; n: number };
export type BookRow = { coin: string; time: number; levels: [BookLevelRow[], BookLevelRow[]]; spread?: string };

/** Grouped books also say their spread. */
export function bookOf(venue: Venue, market: VenueMarket, { grouping, depth, nowMs }: BookView): BookRow {
  const book = venue.books.get(market.asset);
  const bids = rowsOf(venue, book?.bids ?? [], grouping, false).slice(0, depth);
  const asks = rowsOf(venue, book?.asks ?? [], grouping, true).slice(0, depth);
  const shown: BookRow = { coin: market.coin, time: nowMs, levels: [bids.map(rowText), asks.map(rowText)] };
  const bestBid = bids[0]?.price;
  const bestAsk = asks[0]?.price;
  if (grouping.significantFigures === null || bestBid === undefined || bestAsk === undefined) return shown;
  return { ...shown, spread: numberText(bestAsk - bestBid) };
}

type LevelRow = { price: bigint; size: bigint; orders: number };

function rowText(row: LevelRow): BookLevelRow {
  return { px: numberText(row.price), sz: numberText(row.size), n: row.orders };
}

function rowsOf(venue: Venue, levels: readonly VenueLevel[], grouping: BookGrouping, isAsk: boolean): LevelRow[] {
  const rows: LevelRow[] = [];
  for (const level of levels) {
    const price = groupedPrice(level.price, grouping, isAsk);
    const size = levelSizeOf(venue, level);
    const last = rows.at(-1);
    if (last === undefined || last.price !== price) rows.push({ price, size, orders: level.oids.length });
    else rows[rows.length - 1] = { price, size: last.size + size, orders: last.orders + level.oids.length };
    // A grouped row is complete once a row beyond it has begun.
    if (rows.length > MAX_LEVELS) break;
  }
  return rows;
}

/** Bids are rounded down and asks up, so that a group never looks better than its orders. */
function groupedPrice(price: bigint, { significantFigures, mantissa }: BookGrouping, isAsk: boolean): bigint {
  if (significantFigures === null) return price;
  const surplus = price.toString().length - significantFigures;
  const step = surplus > 0 ? 10n ** BigInt(surplus) * BigInt(mantissa) : BigInt(mantissa);
  const down = price - (price % step);
  return isAsk && down !== price ? down + step : down;
}

/** Best bid and best ask, null for an empty side: the channel `bbo`. */
export function bestRows(venue: Venue, market: VenueMarket): [BookLevelRow | null, BookLevelRow | null] {
  const book = venue.books.get(market.asset);
  return [bestRow(venue, book?.bids[0]), bestRow(venue, book?.asks[0])];
}

function bestRow(venue: Venue, level: VenueLevel | undefined): BookLevelRow | null {
  if (level === undefined) return null;
  return rowText({ price: level.price, size: levelSizeOf(venue, level), orders: level.oids.length });
}

/** Newest first. */
export const recentTrades = infoRequest({ coin: required(text) }, ({ tape }, { coin }) =>
  (tape.get(coin)?.trades ?? []).slice(-MAX_RECENT_TRADES).reverse().map(tradeRow),
);

export function tradeRow(trade: VenueTrade): unknown {
  return {
    coin: trade.coin,
    side: sideText(trade.isBuy),
    px: numberText(trade.price),
    sz: numberText(trade.size),
    time: trade.timeMs,
    hash: trade.hash,
    tid: trade.tid,
    users: trade.users,
  };
}
