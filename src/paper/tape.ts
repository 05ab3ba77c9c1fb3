/** Trades and candles of every market, written down from the engine's events: what `recentTrades` and `candleSnapshot` read. */
import type { VenueEvent, VenueTrade } from "./engine/event.ts";

export type TapeCandle = {
  readonly openMs: number;
  readonly open: bigint;
  high: bigint;
  low: bigint;
  close: bigint;
  volume: bigint;
  trades: number;
};

/** Oldest first. Candles are of one minute; longer ones are joined from them when asked for. */
export type MarketTape = { trades: VenueTrade[]; candles: TapeCandle[] };
export type Tape = Map<string, MarketTape>;

/** Trades kept a market. */
const MAX_TRADES = 500;
/** Minutes kept a market: three and a half days, as many as the exchange hands out (5,000). */
const MAX_CANDLES = 5_000;
export const CANDLE_MS = 60_000;

export function recordEvents(tape: Tape, events: readonly VenueEvent[]): void {
  for (const event of events) if (event.kind === "trade") recordTrade(tape, event.trade);
}

function recordTrade(tape: Tape, trade: VenueTrade): void {
  let market = tape.get(trade.coin);
  if (market === undefined) {
    market = { trades: [], candles: [] };
    tape.set(trade.coin, market);
  }
  market.trades.push(trade);
  if (market.trades.length > MAX_TRADES) market.trades.shift();
  recordCandle(market.candles, trade);
}

function recordCandle(candles: TapeCandle[], trade: VenueTrade): void {
  const openMs = trade.timeMs - (trade.timeMs % CANDLE_MS);
  const last = candles.at(-1);
  if (last === undefined || last.openMs !== openMs) {
    const { price, size } = trade;
    candles.push({ openMs, open: price, high: price, low: price, close: price, volume: size, trades: 1 });
    if (candles.length > MAX_CANDLES) candles.shift();
    return;
  }
  if (trade.price > last.high) last.high = trade.price;
  if (trade.price < last.low) last.low = trade.price;
  last.close = trade.price;
  last.volume += trade.size;
  last.trades += 1;
}
