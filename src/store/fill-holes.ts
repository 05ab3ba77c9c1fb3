/** Milliseconds in which more was filled than the exchange gives: fills are read on past them, and not whole over them. */
import { and, eq, sql } from "drizzle-orm";
import { findFillCursor } from "./fills.ts";
import { appendNote } from "./notes.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { notes } from "./schema.ts";

export const HOLE = "more was filled in one millisecond than the exchange gives";

/** On the account, and on orders that were filled in it, whose stories tell it; inside the caller's transaction. */
export function insertHole(
  store: Store,
  {
    accountId,
    orderIds,
    timeMs,
    atMs,
  }: { accountId: string; orderIds: Iterable<string>; timeMs: number; atMs: number },
): void {
  const note = { attemptId: null, atMs, what: HOLE, detail: String(timeMs) };
  for (const resourceId of [accountId, ...orderIds]) appendNote(store, { ...note, resourceId });
}

const holesOf = prepared((store) =>
  store
    .select({ timeMs: notes.detail })
    .from(notes)
    .where(and(eq(notes.resourceId, sql.placeholder("accountId")), eq(notes.what, HOLE)))
    .prepare(),
);

/** The milliseconds, exchange time. */
export function listHoles(store: Store, accountId: string): number[] {
  return holesOf(store)
    .all({ accountId })
    .map(({ timeMs }) => Number(timeMs));
}

/**
 * Up to when fills can be whole, by the exchange's time, unix milliseconds: right before the oldest such millisecond that is not before
 * `fromMs`; infinity where there is none.
 */
export function wholeAtMost(store: Store, accountId: string, fromMs = 0): number {
  const holes = listHoles(store, accountId).filter((timeMs) => timeMs >= fromMs);
  return Math.min(...holes.map((timeMs) => timeMs - 1), Number.POSITIVE_INFINITY);
}

/**
 * Up to when every fill of an account from `fromMs` on is in the index, exchange time, unix milliseconds; null before the first complete
 * reading.
 */
export function findWholeTo(store: Store, accountId: string, fromMs = 0): number | null {
  const readToMs = findFillCursor(store, accountId);
  return readToMs === null ? null : Math.min(readToMs, wholeAtMost(store, accountId, fromMs));
}
