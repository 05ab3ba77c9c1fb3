/** What a bot's loss of the day is worked out from, market by market: written with its books, and by whoever watches. */
import { addTo, type Decimal, ZERO } from "../core/decimal.ts";
import { type BotBook, bookOf, dayIn, putMarket, type StoredDayMarket } from "./bot-books.ts";
import type { Store } from "./open.ts";
import type { BotName } from "./remembered-of-bot.ts";

type OfDay = BotName & { day: number };

export function listDayMarkets(store: Store, of: OfDay): StoredDayMarket[] {
  return [...dayIn(store, bookOf(store, of), of.day).markets.values()];
}

export function putDayMarket(store: Store, of: OfDay, row: StoredDayMarket): void {
  putMarket(store, bookOf(store, of), of.day, row);
}

/** A market of which nothing is known on a day yet. */
export function newDayMarket(market: string, openNet: Decimal): StoredDayMarket {
  return { market, openNet, openMark: null, cash: ZERO, funding: ZERO, fundingShown: null };
}

type Brought = { market: string; day: number } & Record<"openNet" | "cash", Decimal>;

/** For `bots`: what fills have brought a bot that held `openNet` before them. */
export function bookCash(store: Store, book: BotBook, { market, day, openNet, cash }: Brought): void {
  const before = dayIn(store, book, day).markets.get(market) ?? newDayMarket(market, openNet);
  putMarket(store, book, day, { ...before, cash: addTo(before.cash, cash) });
}
