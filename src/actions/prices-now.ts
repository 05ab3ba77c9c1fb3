import { larger, smaller } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import type { Market } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Prices } from "../core/worst-price.ts";
import type { With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import type { Look } from "../exchange/market-view.ts";
import { notBegun } from "./not-asked.ts";

export type ToLookAtPrices = With<"exchange" | "marketView">;

/** A book that is older, by the exchange's time, is none to price an order by, milliseconds. */
export const BOOK_MAX_AGE_MS = 2_000;
const MARK_MAX_AGE_MS = 5_000;

/** `timeMs` is the exchange's own time of the book. */
export type PricesNow =
  | { kind: "ok"; prices: Prices; timeMs: number }
  /** Nobody is on the side that it would execute against. */
  | { kind: "empty" }
  | { kind: "stale"; failed: Extract<Look<"book" | "mark">, { kind: "failed" }> | null };

/** By what an order of this side is priced that executes at once: the one place for all of them. */
export async function pricesNow(
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
  return { kind: "ok", prices: { best, low: smaller(marked, other), high: larger(marked, other) }, timeMs: book.atMs };
}

/** The prices of now for a write. Throws where there are none: nothing has been sent. */
export async function requirePrices(
  deps: ToLookAtPrices,
  market: Market,
  wanted: { side: Side; purpose: Purpose },
): Promise<Extract<PricesNow, { kind: "ok" }>> {
  const now = await pricesNow(deps, market, wanted);
  if (now.kind === "ok") return now;
  if (now.kind === "empty") throw noPrice(`Nobody ${wanted.side === "buy" ? "sells" : "buys"} ${market.name} now`);
  const { failed } = now;
  const plain = `No book of ${market.name} of the last ${BOOK_MAX_AGE_MS / 1_000} s, with its mark, could be had`;
  const isForOurWeight = failed !== null && (failed.isOurBudget || failed.waitS !== undefined);
  if (isForOurWeight) throw notBegun(deps, plain, failed, wanted.purpose);
  throw new ApiError("book_stale", `${plain}. Nothing was sent.`);
}

export function noPrice(why: string): ApiError {
  return new ApiError("no_price_within_bounds", `${why}. Nothing was sent, and the Idempotency-Key is not used.`);
}
