/** What was traded in a market: candles, and the newest trades one by one. */
import {
  CANDLE_INTERVALS,
  type Candle,
  type CandleInterval,
  candleWindow,
  isComplete,
  type MarketTrade,
} from "../core/candle.ts";
import { ApiError } from "../core/errors.ts";
import { isoTime, listText } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { exchangeTimeOf, type Read } from "../exchange/reads.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { requireListed } from "./market-figures.ts";
import { couldNotAsk } from "./not-asked.ts";

export type ListCandles = {
  name: string;
  interval: string;
  sinceMs: number | null;
  /** First moment that does not count; null for now. */
  untilMs: number | null;
  cursor: string | null;
  limit: number;
};

type ToReadMarket = With<"clock" | "exchange" | "markets" | "reads">;

/** `GET /v1/markets/{market}/candles`: newest first. One page is one question to the exchange, shared with all who ask the same. */
export async function listCandles(deps: ToReadMarket, caller: Caller, wanted: ListCandles): Promise<ReadAnswer> {
  const interval = requireInterval(wanted.interval);
  const { sinceMs, limit } = wanted;
  const untilMs = earlier(wanted.untilMs, cursorMs(wanted.cursor));
  const market = await requireListed(deps, wanted.name);
  const nowMs = deps.exchange.nowMs();
  const { asked, olderUntilMs } = candleWindow(interval, { sinceMs, untilMs: untilMs ?? nowMs + 1, limit }, nowMs);
  const answer = await deps.reads.candles(market.name, { interval, ...asked }, caller.reader);
  const { value, readAtMs } = requireAnswer(deps, caller, `for the candles of ${market.name}`, answer);
  const readMs = exchangeTimeOf(deps, readAtMs);
  const data = value
    .filter(({ openedAtMs }) => isWithin(openedAtMs, { sinceMs, untilMs }) && openedAtMs >= asked.startMs)
    .sort((a, b) => b.openedAtMs - a.openedAtMs)
    .map((candle) => candleResource({ market: market.name, interval, candle }, readMs));
  return { body: listText(data, olderUntilMs === null ? null : String(olderUntilMs)), asOfMs: readMs };
}

function requireInterval(text: string): CandleInterval {
  const interval = CANDLE_INTERVALS.find((known) => known === text);
  if (interval !== undefined) return interval;
  throw new ApiError("invalid_parameter", `\`interval\` is one of ${CANDLE_INTERVALS.join(", ")}.`);
}

/** Of candles a cursor is the moment at which the next page ends, unix milliseconds. */
function cursorMs(cursor: string | null): number | null {
  if (cursor === null) return null;
  if (/^[0-9]{1,15}$/.test(cursor)) return Number(cursor);
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function isWithin(atMs: number, { sinceMs, untilMs }: { sinceMs: number | null; untilMs: number | null }): boolean {
  return (sinceMs === null || atMs >= sinceMs) && (untilMs === null || atMs < untilMs);
}

function requireAnswer<T>(deps: ToReadMarket, { reader }: Caller, what: string, answer: Read<T>) {
  if (answer.kind === "failed") throw couldNotAsk(deps, what, answer, reader);
  return answer;
}

type MarketCandle = { market: string; interval: CandleInterval; candle: Candle };

/** `readMs`: when it was read, exchange time. */
export function candleResource({ market, interval, candle }: MarketCandle, readMs: number) {
  return {
    object: "candle" as const,
    market,
    interval,
    opened_at: isoTime(candle.openedAtMs),
    closes_at: isoTime(candle.lastMs + 1),
    complete: isComplete(candle, readMs),
    open: candle.open,
    high: candle.high,
    low: candle.low,
    close: candle.close,
    volume: candle.volume,
    trades: candle.trades,
  };
}

/** `GET /v1/markets/{market}/trades`: the newest that the exchange tells, newest first. */
export async function listTrades(deps: ToReadMarket, caller: Caller, name: string): Promise<ReadAnswer> {
  const market = await requireListed(deps, name);
  const answer = await deps.reads.trades(market.name, caller.reader);
  const { value, readAtMs } = requireAnswer(deps, caller, `for the trades of ${market.name}`, answer);
  const data = value.map((trade) => tradeResource(market.name, trade));
  return { body: listText(data, null), asOfMs: exchangeTimeOf(deps, readAtMs) };
}

export function tradeResource(market: string, trade: MarketTrade) {
  return {
    object: "market_trade" as const,
    market,
    id: trade.id,
    side: trade.side,
    price: trade.price,
    size: trade.size,
    transaction_hash: trade.transactionHash,
    created_at: isoTime(trade.atMs),
  };
}
