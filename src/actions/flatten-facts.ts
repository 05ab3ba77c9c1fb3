import type { Account } from "../core/account.ts";
import { type Decimal, isZero, larger, smaller } from "../core/decimal.ts";
import type { Prices } from "../core/flatten.ts";
import { findMarket } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { With } from "../deps.ts";
import type { ToFlatten } from "../settle/stop/flatten-step.ts";
import { type FlattenParts, openFlattener, type RunningFlattener } from "../settle/stop/flattener.ts";

type ToLookAtPrices = With<"exchange" | "marketView" | "markets" | "reads" | "settings">;

/** @param deps asked for late: it is opened before they are whole */
export function openGatewayFlattener(
  world: ToFlatten,
  settling: FlattenParts["settling"],
  deps: () => ToLookAtPrices,
): RunningFlattener {
  return openFlattener(world, {
    settling,
    positions: (account) => positionsNow(deps(), account),
    prices: (market, side) => pricesNow(deps(), market, side),
  });
}

/** What an account holds now on perpetuals, on every dex; null where one could not be read. Asked anew each time. */
async function positionsNow(
  { reads, settings }: ToLookAtPrices,
  { tradingAddress }: Account,
): Promise<ReadonlyMap<string, Decimal> | null> {
  const dexes = ["", ...settings.dexes];
  const states = await Promise.all(dexes.map((dex) => reads.clearinghouse(tradingAddress, dex, "reduce")));
  const held = new Map<string, Decimal>();
  for (const state of states) {
    if (state.kind === "failed") return null;
    for (const { coin, signedSize } of state.value.positions) if (!isZero(signedSize)) held.set(coin, signedSize);
  }
  return held;
}

/** A book that is older, by the exchange's time, is none to close by, milliseconds. */
const BOOK_MAX_AGE_MS = 2_000;
const MARK_MAX_AGE_MS = 5_000;

/** Null where the book or the mark could not be read, is too old, or has nothing on that side. */
async function pricesNow(deps: ToLookAtPrices, name: string, side: Side): Promise<Prices | null> {
  const universe = deps.markets.current();
  const market = universe === null ? null : findMarket(universe, name);
  if (market === null) return null;
  const [book, mark] = await Promise.all([
    deps.reads.book(name, "reduce"),
    deps.marketView.mark(market, "reduce", MARK_MAX_AGE_MS),
  ]);
  if (book.kind === "failed" || mark.kind === "failed") return null;
  if (deps.exchange.nowMs() - book.value.timeMs > BOOK_MAX_AGE_MS) return null;
  const { bids, asks } = book.value.book;
  const best = (side === "sell" ? bids : asks)[0]?.price;
  if (best === undefined) return null;
  const { mark: marked, oracle } = mark.value;
  const other = oracle ?? marked;
  return { best, low: smaller(marked, other), high: larger(marked, other) };
}
