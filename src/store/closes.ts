import { and, eq, isNull } from "drizzle-orm";
import type { Close } from "../core/close.ts";
import type { Store } from "./open.ts";
import { closes } from "./schema-whole-trades.ts";

/** Inside the transaction that stores its order. */
export function insertClose(store: Store, close: Close): void {
  store.insert(closes).values(close).run();
}

/** In which something is left to do, or to be seen. */
export function listRunningCloses(store: Store): Close[] {
  return store.select().from(closes).where(isNull(closes.endedAtMs)).all();
}

export function listRunningClosesOf(store: Store, accountId: string, market: string): Close[] {
  const isOf = and(eq(closes.accountId, accountId), eq(closes.market, market), isNull(closes.endedAtMs));
  return store.select().from(closes).where(isOf).all();
}

export function findRunningClose(store: Store, orderId: string): Close | null {
  const isIt = and(eq(closes.orderId, orderId), isNull(closes.endedAtMs));
  return store.select().from(closes).where(isIt).get() ?? null;
}

export function endClose(store: Store, orderId: string, endedAtMs: number): void {
  store.update(closes).set({ endedAtMs }).where(eq(closes.orderId, orderId)).run();
}
