/** candleSnapshot; the channel `candle` sends the last one. */
import { literal, optional, required, struct, text, u64 } from "../exchange/decode.ts";
import { CANDLE_MS, type Tape, type TapeCandle } from "../tape.ts";
import { numberText } from "./number-format.ts";
import { infoRequest } from "./request.ts";

/** Candles of one answer. */
const MAX_CANDLES = 5_000;
const MINUTES = { "1m": 1, "3m": 3, "5m": 5, "15m": 15, "30m": 30, "1h": 60, "2h": 120, "4h": 240 } as const;
const LONG_MINUTES = { "8h": 480, "12h": 720, "1d": 1_440, "3d": 4_320, "1w": 10_080, "1M": 43_200 } as const;
const INTERVAL_MINUTES: Readonly<Record<TapeInterval, number>> = { ...MINUTES, ...LONG_MINUTES };

export type TapeInterval = keyof typeof MINUTES | keyof typeof LONG_MINUTES;
export const candleInterval = literal<TapeInterval>(
  "1m",
  "3m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "8h",
  "12h",
  "1d",
  "3d",
  "1w",
  "1M",
);

const Range = struct(
  { coin: required(text), interval: required(candleInterval), startTime: required(u64), endTime: optional(u64) },
  "ignore",
);

export const candleSnapshot = infoRequest({ req: required(Range) }, ({ tape }, { req }) => {
  const { coin, interval, startTime, endTime } = req;
  return candlesOf(tape, coin, interval)
    .filter(({ T, t }) => T >= startTime && (endTime === undefined || t <= endTime))
    .slice(-MAX_CANDLES);
});

export type CandleRow = {
  t: number;
  T: number;
  s: string;
  i: TapeInterval;
  o: string;
  c: string;
  h: string;
  l: string;
  v: string;
  n: number;
};

/** Oldest first; minutes without a trade have no candle. A month counts as thirty days. */
export function candlesOf(tape: Tape, coin: string, interval: TapeInterval): CandleRow[] {
  const lengthMs = INTERVAL_MINUTES[interval] * CANDLE_MS;
  return joined(tape.get(coin)?.candles ?? [], lengthMs).map((candle) => ({
    t: candle.openMs,
    T: candle.openMs + lengthMs - 1,
    s: coin,
    i: interval,
    o: numberText(candle.open),
    c: numberText(candle.close),
    h: numberText(candle.high),
    l: numberText(candle.low),
    v: numberText(candle.volume),
    n: candle.trades,
  }));
}

function joined(minutes: readonly TapeCandle[], lengthMs: number): TapeCandle[] {
  const candles: TapeCandle[] = [];
  for (const minute of minutes) {
    const openMs = minute.openMs - (minute.openMs % lengthMs);
    const last = candles.at(-1);
    if (last === undefined || last.openMs !== openMs) {
      candles.push({ ...minute, openMs });
      continue;
    }
    if (minute.high > last.high) last.high = minute.high;
    if (minute.low < last.low) last.low = minute.low;
    last.close = minute.close;
    last.volume += minute.volume;
    last.trades += minute.trades;
  }
  return candles;
}
