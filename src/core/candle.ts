/** What was traded in a market during one stretch of time, and single trades; prices in units of the quote, sizes of the base. */
import type { Decimal } from "./decimal.ts";

const MINUTE_MS = 60_000;

/** Length of each interval, milliseconds; of a month the shortest, so that a window of so many lengths never holds more candles. */
const LENGTHS_MS = {
  "1m": MINUTE_MS,
  "3m": 3 * MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "30m": 30 * MINUTE_MS,
  "1h": 60 * MINUTE_MS,
  "2h": 120 * MINUTE_MS,
  "4h": 240 * MINUTE_MS,
  "8h": 480 * MINUTE_MS,
  "12h": 720 * MINUTE_MS,
  "1d": 1_440 * MINUTE_MS,
  "3d": 3 * 1_440 * MINUTE_MS,
  "1w": 7 * 1_440 * MINUTE_MS,
  "1M": 28 * 1_440 * MINUTE_MS,
} as const;

export type CandleInterval = keyof typeof LENGTHS_MS;

// A record of all intervals has no names but theirs.
export const CANDLE_INTERVALS = Object.keys(LENGTHS_MS) as CandleInterval[];

/** Candles of an interval that the exchange keeps: the newest. */
const KEPT_CANDLES = 5_000;

/** A candle is not complete before all servers of the exchange can be expected to have its last trades. */
const SETTLES_MS = 5_000;

export type Candle = {
  /** Exchange time of its first and its last millisecond, unix milliseconds. */
  openedAtMs: number;
  lastMs: number;
  open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  volume: Decimal;
  trades: number;
};

export type MarketTrade = {
  id: string;
  atMs: number;
  /** What whoever took the price did. */
  side: "buy" | "sell";
  price: Decimal;
  size: Decimal;
  transactionHash: string;
};

export function intervalMs(interval: CandleInterval): number {
  return LENGTHS_MS[interval];
}

/** Whether nothing is added any more to a candle that was read then, exchange time. */
export function isComplete(candle: Pick<Candle, "lastMs">, readMs: number): boolean {
  return readMs > candle.lastMs + SETTLES_MS;
}

/** Exchange time, unix milliseconds, both ends included. */
export type CandleWindow = { startMs: number; endMs: number };

/**
 * Of a page of at most `limit` candles: which times to ask for, and where the next page ends, null where nothing older is
 * asked for or kept. Ends stand at whole intervals, so that whoever asks meanwhile asks the same.
 *
 * @param sinceMs null for all that the exchange keeps
 * @param untilMs first moment that does not count
 */
export function candleWindow(
  interval: CandleInterval,
  { sinceMs, untilMs, limit }: { sinceMs: number | null; untilMs: number; limit: number },
  nowMs: number,
): { asked: CandleWindow; olderUntilMs: number | null } {
  const lengthMs = LENGTHS_MS[interval];
  const oldestMs = Math.max(0, sinceMs ?? 0, nowMs - KEPT_CANDLES * lengthMs);
  const endMs = Math.ceil(Math.min(untilMs, nowMs + 1) / lengthMs) * lengthMs;
  const startMs = Math.max(0, endMs - limit * lengthMs);
  return { asked: { startMs, endMs: endMs - 1 }, olderUntilMs: startMs > oldestMs ? startMs : null };
}
