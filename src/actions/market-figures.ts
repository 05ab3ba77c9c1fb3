/** What moves in a market, as this interface tells it. */
import { add, type Decimal, decimal, divide } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { findMarket, type Market } from "../core/market.ts";
import {
  type BestPrices,
  type Book,
  type MarkFigures,
  nextFundingMs,
  type PriceLevel,
} from "../core/market-figures.ts";
import { type Seen, TOLD_WITH_AGE_MS } from "../core/market-knowledge.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import type { Reader } from "../exchange/exchange.ts";
import type { FigureReading } from "../exchange/market-view.ts";
import { requireMarket } from "./market-rules.ts";
import { couldNotAsk } from "./not-asked.ts";

/** A longer name that is none is not repeated: it may be a secret in the wrong place. */
const MAX_SHOWN_CHARACTERS = 30;

/** Of the list of markets: one that is delisted has figures that nobody keeps. */
export async function requireListed(deps: With<"exchange" | "markets">, name: string): Promise<Market> {
  const known = deps.markets.current();
  if (name.length > MAX_SHOWN_CHARACTERS && (known === null || findMarket(known, name) === null))
    throw new ApiError("unknown_market", "There is no market of this name.");
  const market = await requireMarket(deps, name, false);
  if (market.isDelisted) throw new ApiError("unknown_market", `\`${market.name}\` is delisted.`);
  return market;
}

/** What was looked at, or the refusal of the read. */
export function requireLook<Figure extends FigureReading<"best" | "mark" | "book" | "mids">>(
  deps: With<"exchange">,
  what: string,
  { look, reader }: { look: Figure; reader: Reader },
): Extract<Figure, { kind: "ok" }> {
  if (look.kind === "failed") throw couldNotAsk(deps, what, look, reader);
  // The other kind is gone.
  return look as Extract<Figure, { kind: "ok" }>;
}

/** When all of this was so, where that is not just now; unix milliseconds. */
export function asOfMs({ exchange }: With<"exchange">, looks: readonly { ageMs: number }[]): number | null {
  const ageMs = Math.max(...looks.map((look) => look.ageMs));
  return ageMs > TOLD_WITH_AGE_MS ? exchange.nowMs() - ageMs : null;
}

const TWO = decimal("2");
/** The middle of two prices of at most eight decimals has at most nine. */
const MID_DECIMALS = 9;

export function bestMembers({ value: { bid, ask }, atMs }: Seen<"best">) {
  return { best_bid: levelOf(bid), best_ask: levelOf(ask), mid_price: middleOf({ bid, ask }), best_at: isoTime(atMs) };
}

function levelOf(level: PriceLevel | null) {
  return level === null ? null : { price: level.price, size: level.size };
}

function middleOf({ bid, ask }: BestPrices): Decimal | null {
  return bid === null || ask === null ? null : divide(add(bid.price, ask.price), TWO, MID_DECIMALS);
}

/** `exchangeMs`: now, by the exchange's time. */
export function markMembers({ value, atMs }: Seen<"mark">, exchangeMs: number) {
  const figures: MarkFigures = value;
  return {
    mark_price: figures.mark,
    oracle_price: figures.oracle,
    previous_day_price: figures.previousDayPrice,
    day_volume: figures.dayVolume,
    open_interest: figures.openInterest,
    prices_at: isoTime(atMs),
    funding_rate: figures.fundingRate,
    next_funding_at: figures.fundingRate === null ? null : isoTime(nextFundingMs(exchangeMs)),
    funding_at: figures.fundingRate === null ? null : isoTime(atMs),
  };
}

export function bookResource(market: string, { value, atMs }: Seen<"book">, levels: number) {
  const { bids, asks }: Book = value;
  return {
    object: "book" as const,
    market,
    bids: bids.slice(0, levels),
    asks: asks.slice(0, levels),
    book_at: isoTime(atMs),
  };
}
