/** What the index of fills may lack of an account. */
import { BEHIND_MS } from "../../core/evidence.ts";
import { findFillCursor } from "../../store/fills.ts";
import type { Store } from "../../store/open.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import { OVERLAP_MS } from "./index-fills.ts";

/** Those that it may lack: a reading for one order may reach back over thousands. */
export function newFills(store: Store, accountId: string, fills: readonly Fill[]): Fill[] {
  const knownToMs = (findFillCursor(store, accountId) ?? 0) - OVERLAP_MS;
  return fills.filter(({ timeMs }) => timeMs >= knownToMs);
}

/**
 * From when fills are read for an order: its placing, or where the index ends before that. Of a bot's orders one alone would be known as
 * filled where what another was filled before it is not read. What is far older the index reads by itself.
 *
 * @param placedAtMs exchange time, unix milliseconds; so is what is returned
 */
export function sinceUnread(store: Store, accountId: string, placedAtMs: number): number {
  const indexedToMs = findFillCursor(store, accountId) ?? placedAtMs;
  return Math.min(placedAtMs, Math.max(indexedToMs, placedAtMs - BEHIND_MS));
}
