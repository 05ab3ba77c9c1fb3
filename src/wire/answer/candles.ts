/** Candles and single trades of a market. */
import type { Candle, MarketTrade } from "../../core/candle.ts";
import { integer, money, nativeId, oneOf, orNull, rowsOf, sourceOf, text, timeMs } from "./read.ts";

/** Answer of `candleSnapshot`, oldest first; null when unreadable. */
export function parseCandles(json: unknown): Candle[] | null {
  return orNull(() => rowsOf(json, candle));
}

function candle(value: unknown): Candle {
  const from = sourceOf(value);
  return {
    openedAtMs: timeMs(from, "t"),
    lastMs: timeMs(from, "T"),
    open: money(from, "o"),
    high: money(from, "h"),
    low: money(from, "l"),
    close: money(from, "c"),
    volume: money(from, "v"),
    trades: integer(from, "n"),
  };
}

/** Answer of `recentTrades`, newest first; null when unreadable. */
export function parseTrades(json: unknown): MarketTrade[] | null {
  return orNull(() => rowsOf(json, trade));
}

function trade(value: unknown): MarketTrade {
  const from = sourceOf(value);
  return {
    id: nativeId(from, "tid"),
    atMs: timeMs(from, "time"),
    side: oneOf(from, "side", ["A", "B"]) === "B" ? "buy" : "sell",
    price: money(from, "px"),
    size: money(from, "sz"),
    transactionHash: text(from, "hash"),
  };
}
