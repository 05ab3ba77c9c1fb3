/** Channels about markets. */
import type { VenueEvent } from "../engine/event.ts";
import { boolean, nullable, optional, required, type StructOf, text, u64 } from "../exchange/decode.ts";
import { perpContext, spotContext } from "../info/asset-contexts.ts";
import { bestRows, bookGrouping, bookOf, MAX_LEVELS, marketOf, midsOf, tradeRow } from "../info/books.ts";
import { candleInterval, candlesOf } from "../info/candles.ts";
import { perpContexts, spotContexts } from "../info/markets.ts";
import { dexIndex, type ReadContext } from "../info/request.ts";
import { channel, isDex, type OfDex } from "./channel.ts";

/** Levels a side of a book of the kind `fast`. */
const FAST_LEVELS = 5;
/** Trades that come at once. */
const MAX_SNAPSHOT_TRADES = 10;

const Coin = { coin: required(text) };
const Dex = { dex: optional(text) };
type OfCoin = { readonly coin: string };

function isMarket({ venue }: ReadContext, { coin }: OfCoin): boolean {
  return marketOf(venue, coin) !== null;
}

function mids({ venue }: ReadContext, { dex }: OfDex): unknown[] {
  const shown = midsOf(venue, dexIndex(venue, dex) ?? 0);
  return [dex === undefined || dex === "" ? { mids: shown } : { dex, mids: shown }];
}

/** The confirmation shows both numbers even when they were left out. */
const Book = { coin: required(text), nSigFigs: nullable(u64), mantissa: nullable(u64), fast: optional(boolean) };
type BookRequest = StructOf<typeof Book>;

function groupingOf({ nSigFigs, mantissa }: BookRequest): ReturnType<typeof bookGrouping> {
  return bookGrouping(nSigFigs ?? undefined, mantissa ?? undefined);
}

function book({ venue, nowMs }: ReadContext, request: BookRequest): unknown[] {
  const market = marketOf(venue, request.coin);
  const grouping = groupingOf(request);
  if (market === null || grouping === null) return [];
  const isFast = request.fast === true;
  const shown = bookOf(venue, market, { grouping, depth: isFast ? FAST_LEVELS : MAX_LEVELS, nowMs });
  return [isFast ? { ...shown, fast: true } : shown];
}

function bestOffer({ venue, nowMs }: ReadContext, { coin }: OfCoin): unknown[] {
  const market = marketOf(venue, coin);
  return market === null ? [] : [{ coin, time: nowMs, bbo: bestRows(venue, market) }];
}

function isBookTouched(events: readonly VenueEvent[], coin: string): boolean {
  return events.some((event) => event.kind === "book" && event.coin === coin);
}

function tradesOf(events: readonly VenueEvent[], coin: string): unknown[] {
  const trades = events.flatMap((event) => (event.kind === "trade" && event.trade.coin === coin ? [event.trade] : []));
  return trades.length === 0 ? [] : [trades.map(tradeRow)];
}

function recentTrades({ tape }: ReadContext, { coin }: OfCoin): unknown[] {
  const trades = tape.get(coin)?.trades.slice(-MAX_SNAPSHOT_TRADES) ?? [];
  return trades.length === 0 ? [] : [trades.map(tradeRow)];
}

function assetContext({ venue }: ReadContext, { coin }: OfCoin): unknown[] {
  const market = marketOf(venue, coin);
  if (market === null) return [];
  return [{ coin, ctx: market.kind === "perp" ? perpContext(venue, market) : spotContext(venue, market) }];
}

function assetContexts({ venue }: ReadContext, { dex }: OfDex): unknown[] {
  return [{ dex: dex ?? "", ctxs: perpContexts(venue, dexIndex(venue, dex) ?? 0) }];
}

function everyContext({ venue }: ReadContext): unknown[] {
  return [{ ctxs: venue.dexes.map((dex) => [dex.name, perpContexts(venue, dex.index)]) }];
}

function spotAssetContexts({ venue }: ReadContext): unknown[] {
  return [spotContexts(venue)];
}

export const marketChannels = {
  allMids: channel(Dex, { channel: "allMids", isValid: isDex, snapshot: mids, onTick: mids }),
  l2Book: channel(Book, {
    channel: "l2Book",
    isValid: (context, request) => isMarket(context, request) && groupingOf(request) !== null,
    snapshot: book,
    onTick: book,
  }),
  bbo: channel(Coin, {
    channel: "bbo",
    isValid: isMarket,
    snapshot: bestOffer,
    sameAs: (data) => JSON.stringify(data, (key, value) => (key === "time" ? 0 : value)),
    onEvents: (context, request, events) => (isBookTouched(events, request.coin) ? bestOffer(context, request) : []),
  }),
  trades: channel(Coin, {
    channel: "trades",
    isValid: isMarket,
    snapshot: recentTrades,
    onEvents: (_context, { coin }, events) => tradesOf(events, coin),
  }),
  candle: channel(
    { ...Coin, interval: required(candleInterval) },
    {
      channel: "candle",
      isValid: isMarket,
      snapshot: ({ tape }, { coin, interval }) => candlesOf(tape, coin, interval).slice(-1),
      onEvents: ({ tape }, { coin, interval }, events) =>
        tradesOf(events, coin).length === 0 ? [] : candlesOf(tape, coin, interval).slice(-1),
    },
  ),
  activeAssetCtx: channel(Coin, {
    channel: ({ venue }, { coin }) =>
      marketOf(venue, coin)?.kind === "spot" ? "activeSpotAssetCtx" : "activeAssetCtx",
    isValid: isMarket,
    snapshot: assetContext,
    onTick: assetContext,
  }),
  assetCtxs: channel(Dex, {
    channel: "assetCtxs",
    isValid: isDex,
    snapshot: assetContexts,
    onSlowTick: assetContexts,
  }),
  allDexsAssetCtxs: channel({}, { channel: "allDexsAssetCtxs", snapshot: everyContext, onSlowTick: everyContext }),
  spotAssetCtxs: channel({}, { channel: "spotAssetCtxs", snapshot: spotAssetContexts, onSlowTick: spotAssetContexts }),
};
