/** By what a reduction is priced and judged: the newest that is known, because it is not stopped for want of facts. */
import type { Account } from "../core/account.ts";
import { absolute, add, type Decimal, decimal, divide, isZero, larger, multiply, smaller } from "../core/decimal.ts";
import { dexOf } from "../core/market.ts";
import type { Book } from "../core/market-figures.ts";
import type { Reference } from "../core/rails/exposure.ts";
import type { With } from "../deps.ts";

type ToKnowPrices = With<"exchange" | "marketView" | "picture">;

/** `atMs`: as of when, by the exchange's time. */
export type NewestReference = Reference & { price: Decimal; atMs: number };

type Aged = NewestReference & { ageMs: number };

/** A mark that is not older is one of now: by it increases are judged, and triggers are met or not. Milliseconds. */
export const MARK_MAX_AGE_MS = 5_000;
/** A book that is older says nothing, milliseconds. */
export const BOOK_MAX_AGE_MS = 2_000;
/** Nothing reduces by what is older, milliseconds. */
export const LAST_PRICE_MAX_AGE_MS = 5 * 60_000;

/** Of a value that a size divides. */
const MARK_DECIMALS = 12;
const HALF = decimal("0.5");

/**
 * Of a perpetual: a mark of now, whoever tells it, because a thin book may show anything; else the middle of the book of now; else the
 * last mark. Null where nothing of the last five minutes is known. What increases is held to `referenceOf`.
 */
export function newestReference(deps: ToKnowPrices, account: Account, market: string): NewestReference | null {
  const told = markTold(deps, market);
  const valued = markOfPosition(deps, account, market);
  const isTold = told !== null && (valued === null || told.ageMs <= Math.max(valued.ageMs, MARK_MAX_AGE_MS));
  const mark = isTold ? told : valued;
  if (mark !== null && mark.ageMs <= MARK_MAX_AGE_MS) return mark;
  const middle = middleOfBook(deps, market);
  if (middle !== null) return middle;
  return mark !== null && mark.ageMs <= LAST_PRICE_MAX_AGE_MS ? mark : null;
}

function markTold({ marketView }: ToKnowPrices, market: string): Aged | null {
  const known = marketView.peek("mark", market);
  if (known === null) return null;
  const { mark, oracle } = known.value;
  const other = oracle ?? mark;
  return {
    price: mark,
    low: smaller(mark, other),
    high: larger(mark, other),
    atMs: known.atMs,
    ageMs: known.ageMs,
  };
}

/** The exchange values a position at the mark. */
function markOfPosition({ exchange, picture }: ToKnowPrices, account: Account, market: string): Aged | null {
  const state = picture.state(account.tradingAddress, dexOf(market));
  const held = state?.value.positions.find(({ coin }) => coin === market);
  if (state === null || held === undefined || isZero(held.signedSize) || isZero(held.positionValue)) return null;
  const price = divide(absolute(held.positionValue), absolute(held.signedSize), MARK_DECIMALS);
  return { price, low: price, high: price, atMs: state.timeMs, ageMs: exchange.nowMs() - state.timeMs };
}

function middleOfBook({ exchange, marketView }: ToKnowPrices, market: string): NewestReference | null {
  const known = marketView.peek("book", market);
  if (known === null || Math.max(known.ageMs, exchange.nowMs() - known.atMs) > BOOK_MAX_AGE_MS) return null;
  const price = middleOf(known.value);
  return price === null ? null : { price, low: price, high: price, atMs: known.atMs };
}

function middleOf({ bids: [bid], asks: [ask] }: Book): Decimal | null {
  if (bid === undefined || ask === undefined) return (bid ?? ask)?.price ?? null;
  return multiply(add(bid.price, ask.price), HALF);
}
