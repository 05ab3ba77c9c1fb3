import { and, eq, isNull, sql } from "drizzle-orm";
import type { Close } from "../core/close.ts";
import type { Store } from "./open.ts";
import { placeholders, prepared, preparedChange } from "./prepared.ts";
import { closes } from "./schema-whole-trades.ts";

const insertRow = preparedChange((store) => store.insert(closes).values(placeholders(closes)).prepare());

/** Inside the transaction that stores its order. */
export function insertClose(store: Store, close: Close): void {
  insertRow(store)(close);
}

const running = prepared((store) => store.select().from(closes).where(isNull(closes.endedAtMs)).prepare());

/** In which something is left to do, or to be seen. */
export function listRunningCloses(store: Store): Close[] {
  return running(store).all();
}

const runningIn = prepared((store) =>
  store
    .select()
    .from(closes)
    .where(
      and(
        eq(closes.accountId, sql.placeholder("accountId")),
        eq(closes.market, sql.placeholder("market")),
        isNull(closes.endedAtMs),
      ),
    )
    .prepare(),
);

export function listRunningClosesOf(store: Store, accountId: string, market: string): Close[] {
  return runningIn(store).all({ accountId, market });
}

const runningOf = prepared((store) =>
  store
    .select()
    .from(closes)
    .where(and(eq(closes.orderId, sql.placeholder("orderId")), isNull(closes.endedAtMs)))
    .prepare(),
);

export function findRunningClose(store: Store, orderId: string): Close | null {
  return runningOf(store).get({ orderId }) ?? null;
}

export function endClose(store: Store, orderId: string, endedAtMs: number): void {
  store.update(closes).set({ endedAtMs }).where(eq(closes.orderId, orderId)).run();
}
