import type { Decimal } from "./decimal.ts";

/** What moves in a market, in the words of this interface; sizes in units of the base, prices in units of the quote. */

export type PriceLevel = { price: Decimal; size: Decimal };

/** Null on a side that is empty. */
export type BestPrices = { bid: PriceLevel | null; ask: PriceLevel | null };

export type BookLevel = PriceLevel & { orders: number };

/** Best first on each side. */
export type Book = { bids: readonly BookLevel[]; asks: readonly BookLevel[] };

/** What is null does not exist in a spot market. */
export type MarkFigures = {
  mark: Decimal;
  oracle: Decimal | null;
  /** For one hour. */
  fundingRate: Decimal | null;
  openInterest: Decimal | null;
  /** Of the last 24 hours, in units of the quote. */
  dayVolume: Decimal;
  previousDayPrice: Decimal;
};

/** Middle prices of a dex by market; spot comes with dex `""`. */
export type MidPrices = ReadonlyMap<string, Decimal>;

const HOUR_MS = 3_600_000;

/** Funding is paid at every full hour of the exchange's time. */
export function nextFundingMs(exchangeMs: number): number {
  return (Math.floor(exchangeMs / HOUR_MS) + 1) * HOUR_MS;
}
