import type { With } from "../../deps.ts";
import type { Reader } from "../../exchange/exchange.ts";
import { listOpenAttempts } from "../../store/attempts.ts";

/** A client that has read nothing yet. What settling reads for live orders, every minute, is no client's. */
const NEWCOMER: Reader = { reader: "newcomer" };
/**
 * What such a client may still read this minute while something is read for the record, weight. It finds 88 where nobody
 * but settling reads, whatever that reads (two thirds of 400), and at most 53 beside it and a client who has had all that it may.
 */
const LEFT_FOR_NEWCOMER = 60;

/**
 * The record comes last: nothing is read for it while an outcome is open, while clients read a lot, or while one that was
 * refused waits for the room that it was promised.
 */
export function isAtLeisure({ exchange, store }: With<"exchange" | "store">): boolean {
  if (exchange.isReaderWaiting()) return false;
  const left = exchange.budgetLeft(NEWCOMER);
  return (left === null || left >= LEFT_FOR_NEWCOMER) && listOpenAttempts(store).length === 0;
}
