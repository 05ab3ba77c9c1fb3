/** Orders of an account that were placed a moment ago, by which balances are told from those of before. */
import { and, gte, sql } from "drizzle-orm";
import type { Decimal } from "../core/decimal.ts";
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
  createdAtMs: number;
};

const newOfAccount = prepared((store) => {
  const { id, market, side, status, size, price, filledSize, createdAtMs } = orders;
  return store
    .select({ id, market, side, status, size, price, filledSize, createdAtMs })
    .from(orders)
    .where(and(isAmongNewest(), gte(createdAtMs, sql.placeholder("fromMs"))))
    .prepare();
});

/** Balances are read many times between two writes: by the account, and the beginning of a stretch of time. */
const sinceStretch = whileUnchanged((store: Store, key: string): readonly NewOrder[] => {
  const [accountId, fromMs] = key.split(" ");
  return newOfAccount(store).all({ accountId, fromMs: Number(fromMs), newest: NEWEST_ORDERS });
});

const STRETCH_MS = 10_000;

/** Those that were taken from a time on, by our clock, unix milliseconds. */
export function listNewOrders(store: Store, accountId: string, fromMs: number): readonly NewOrder[] {
  const stretchMs = Math.floor(fromMs / STRETCH_MS) * STRETCH_MS;
  return sinceStretch(store, `${accountId} ${stretchMs}`).filter(({ createdAtMs }) => createdAtMs >= fromMs);
}
