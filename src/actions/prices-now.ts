import type { Account } from "../core/account.ts";
import { larger, smaller } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { dexOf, type Market, roundPrice } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Prices } from "../core/worst-price.ts";
import type { ToJudge, With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import type { FigureReading } from "../exchange/market-view.ts";
import { within } from "../settle/within.ts";
import { BOOK_MAX_AGE_MS, MARK_MAX_AGE_MS, newestReference } from "../write/newest-reference.ts";
import { rereadPosition } from "../write/rails-facts.ts";
import { notBegun } from "./not-asked.ts";

export type ToLookAtPrices = With<"exchange" | "marketView">;

/** `timeMs` is the exchange's own time of the book, or of the mark that stands in for the best price where no book could be had. */
export type PricesNow =
  | { kind: "ok"; prices: Prices; by: "book" | "mark"; timeMs: number }
  /** Nobody is on the side that it would execute against. */
  | { kind: "empty" }
  | { kind: "stale"; failed: Extract<FigureReading<"book" | "mark">, { kind: "failed" }> | null };

/** By what an order of this side is priced that executes at once and may increase: the one place for all of them. */
async function pricesNow(
  { exchange, marketView }: ToLookAtPrices,
  market: Market,
  { side, purpose }: { side: Side; purpose: Purpose },
): Promise<PricesNow> {
  const [book, mark] = await Promise.all([
    marketView.book(market.name, purpose, BOOK_MAX_AGE_MS),
    marketView.mark(market, purpose, MARK_MAX_AGE_MS),
  ]);
  if (book.kind === "failed") return { kind: "stale", failed: book };
  if (mark.kind === "failed") return { kind: "stale", failed: mark };
  if (exchange.nowMs() - book.atMs > BOOK_MAX_AGE_MS) return { kind: "stale", failed: null };
  const { bids, asks } = book.value;
  const best = (side === "sell" ? bids : asks)[0]?.price;
  if (best === undefined) return { kind: "empty" };
  const { mark: marked, oracle } = mark.value;
  const other = oracle ?? marked;
  return {
    kind: "ok",
    prices: { best, low: smaller(marked, other), high: larger(marked, other) },
    by: "book",
    timeMs: book.atMs,
  };
}

type ToPriceReductions = ToJudge & ToLookAtPrices;

/** So long what an order that only reduces is priced by is waited for, milliseconds. */
const REDUCTION_WAITS_MS = 2_500;

/**
 * By what an order is priced that only reduces a perpetual, which is not stopped for want of facts: by the book of now whether or not a mark
 * is known, and without a book by the newest mark. The one place for closes, market orders and flattening.
 */
export async function pricesToReduce(
  deps: ToPriceReductions,
  market: Market,
  { side, account }: { side: Side; account: Account },
): Promise<PricesNow> {
  const { clock, exchange, marketView } = deps;
  const [book] = await Promise.all([
    within(clock, REDUCTION_WAITS_MS, marketView.book(market.name, "reduce", BOOK_MAX_AGE_MS)),
    within(clock, REDUCTION_WAITS_MS, marketView.mark(market, "reduce", MARK_MAX_AGE_MS)),
    marketView.isMarkTold(market.name, MARK_MAX_AGE_MS) ? null : valueOfPosition(deps, account, market.name),
  ]);
  const isOfNow = book?.kind === "ok" && exchange.nowMs() - book.atMs <= BOOK_MAX_AGE_MS;
  const best = isOfNow ? (side === "sell" ? book.value.bids : book.value.asks)[0]?.price : null;
  if (best === undefined) return { kind: "empty" };
  const reference = newestReference(deps, account, market.name);
  if (reference === null) return { kind: "stale", failed: book?.kind === "failed" ? book : null };
  const { low, high, price, atMs } = reference;
  if (isOfNow && best !== null) return { kind: "ok", prices: { best, low, high }, by: "book", timeMs: book.atMs };
  // A mark need be no price that the exchange takes: the nearest that executes at it is.
  const nearest = roundPrice(market, price, side === "sell" ? "down" : "up");
  return { kind: "ok", prices: { best: nearest, low, high }, by: "mark", timeMs: atMs };
}

/** The state of the account says what its position is worth, and so the mark. */
async function valueOfPosition(deps: ToJudge, account: Account, market: string): Promise<void> {
  const state = deps.picture.state(account.tradingAddress, dexOf(market));
  if (state !== null && deps.exchange.nowMs() - state.timeMs <= MARK_MAX_AGE_MS) return;
  await rereadPosition(deps, { account, market, purpose: "reduce" });
}

type PricedFor = { side: Side; account: Account; isReduction: boolean };

/** The prices of now for a write. Throws where there are none: nothing has been sent. */
export async function requirePrices(
  deps: ToPriceReductions,
  market: Market,
  { side, account, isReduction }: PricedFor,
): Promise<Extract<PricesNow, { kind: "ok" }>> {
  const purpose = isReduction ? "reduce" : "order";
  const isToReduce = isReduction && market.kind === "perpetual";
  const now = await (isToReduce
    ? pricesToReduce(deps, market, { side, account })
    : pricesNow(deps, market, { side, purpose }));
  if (now.kind === "ok") return now;
  if (now.kind === "empty") throw noPrice(`Nobody ${side === "buy" ? "sells" : "buys"} ${market.name} now`);
  const { failed } = now;
  const lacking = isToReduce ? "nor a mark of the last five minutes" : "with its mark";
  const plain = `No book of ${market.name} of the last ${BOOK_MAX_AGE_MS / 1_000} s, ${lacking}, could be had`;
  const isForOurWeight = failed !== null && (failed.isOurBudget || failed.waitS !== undefined);
  if (isForOurWeight) throw notBegun(deps, plain, failed, purpose);
  throw new ApiError("book_stale", `${plain}. Nothing was sent.`);
}

export function noPrice(why: string): ApiError {
  return new ApiError("no_price_within_bounds", `${why}. Nothing was sent, and the Idempotency-Key is not used.`);
}
