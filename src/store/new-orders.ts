/** Orders of an account that were placed a moment ago, by which balances are told from those of before. */
import { and, gte, or, sql } from "drizzle-orm";
import { cloidOf } from "../core/cloid.ts";
import type { Decimal } from "../core/decimal.ts";
import { momentsOf, numberSentSince } from "./leg-moments.ts";
import { isAmongNewest, NEWEST_ORDERS } from "./newest-orders.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { orders } from "./schema.ts";
import { whileUnchanged } from "./while-unchanged.ts";

export type NewOrder = {
  id: string;
  market: string;
  side: "buy" | "sell";
  status: string;
  /** As sent. */
  size: string;
  price: string;
  filledSize: Decimal | null;
  /** When it was taken, elapsed milliseconds. */
  takenElapsedMs: number;
};

type NewRow = Omit<NewOrder, "takenElapsedMs"> & { createdAtMs: number };

/** The monotonic clock and our wall clock now, milliseconds. */
type Now = { elapsedMs: number; wallMs: number };

const newOfAccount = prepared((store) => {
  const { id, market, side, status, size, price, filledSize, createdAtMs, number } = orders;
  const isSentSince = gte(number, sql.placeholder("fromNumber"));
  // By our wall clock only what an earlier process has sent: it may be set.
  const isOfBefore = gte(createdAtMs, sql.placeholder("fromMs"));
  return store
    .select({ id, market, side, status, size, price, filledSize, createdAtMs })
    .from(orders)
    .where(and(isAmongNewest(), or(isSentSince, isOfBefore)))
    .prepare();
});

/** Balances are read many times between two writes: by the account, and the beginning of a stretch of time. */
const sinceStretch = whileUnchanged((store: Store, key: string): readonly NewRow[] => {
  const [accountId, fromMs, fromNumber] = key.split(" ");
  const from = { fromMs: Number(fromMs), fromNumber: Number(fromNumber) };
  return newOfAccount(store).all({ accountId, ...from, newest: NEWEST_ORDERS });
});

const STRETCH_MS = 10_000;

/** Those that were taken within so long, at most a minute. */
export function listNewOrders(store: Store, accountId: string, withinMs: number, now: Now): readonly NewOrder[] {
  const fromMs = Math.floor((now.wallMs - withinMs) / STRETCH_MS) * STRETCH_MS;
  const fromNumber = numberSentSince(store, now.elapsedMs - withinMs);
  return sinceStretch(store, `${accountId} ${fromMs} ${fromNumber}`)
    .map((row) => ({ ...row, takenElapsedMs: takenMs(store, row, now) }))
    .filter(({ takenElapsedMs }) => takenElapsedMs >= now.elapsedMs - withinMs && takenElapsedMs <= now.elapsedMs);
}

/** One of an earlier process that lies ahead by our wall clock was noted before that was set back: nobody knows when. */
function takenMs(store: Store, { id, createdAtMs }: NewRow, { elapsedMs, wallMs }: Now): number {
  return momentsOf(store, cloidOf(id)).sentElapsedMs ?? elapsedMs - (wallMs - createdAtMs);
}
