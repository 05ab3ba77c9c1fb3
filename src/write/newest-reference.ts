/** The price by which a reduction is priced and judged: the newest that is known, since a lack of prices must not stop a reduction. */
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

/** A mark that is no older counts as current: increases are judged by it, and whether a trigger is met. Milliseconds. */
export const MARK_MAX_AGE_MS = 5_000;
/** An older book is not used, milliseconds. */
export const BOOK_MAX_AGE_MS = 2_000;
/** No price that is older is used, not even to reduce, milliseconds. */
export const LAST_PRICE_MAX_AGE_MS = 5 * 60_000;

/** Decimals of a mark that is worked out from the value and the size of a position. */
const MARK_DECIMALS = 12;
const HALF = decimal("0.5");

/**
 * The reference price of a perpetual: a current mark, whoever tells it, because a thin book may show anything; else the middle of a current
 * book; else the last mark. Null where nothing of the last five minutes is known. Increases are judged by `referenceOf` instead.
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

/** The mark by which the exchange has valued a position of the account: its value, divided by its size. */
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
