/** Positions that were read and believed, kept in memory alone: what a later reading shows is held against them. */
import type { Decimal } from "../core/decimal.ts";
import { lastOrderNumber } from "./newest-orders.ts";
import type { Store } from "./open.ts";

/** `lastNumber`: of the newest order as it was read. `timeMs`: by its own time, unix milliseconds. */
export type ShownSizes = {
  sizes: ReadonlyMap<string, Decimal>;
  lastNumber: number;
  askedElapsedMs: number;
  timeMs: number;
  keptTo: KeptTo;
};

/**
 * Up to when fills were kept, exchange time, unix milliseconds: of each market that had some lately the newest one, and of all others those that
 * every server holds.
 */
export type KeptTo = { sinceMs: number; newestMs: ReadonlyMap<string, number> };

/** By account and dex, the newest first. */
export type ShownPositionsBook = Map<string, readonly ShownSizes[]>;

/** Readings that are kept of a dex. */
const MAX_KEPT = 16;
/** Readings of one time that were asked for so close to one another are one answer, milliseconds: when it was asked for is worked out anew. */
const ONE_WITHIN_MS = 5;

export type AccountDex = { accountId: string; dex: string };

export function noteShownPositions(store: Store, of: AccountDex, shown: Omit<ShownSizes, "lastNumber">): void {
  const kept = listShownPositions(store, of);
  // An answer that several readers share.
  const isSame = (each: ShownSizes) =>
    each.timeMs === shown.timeMs && Math.abs(each.askedElapsedMs - shown.askedElapsedMs) < ONE_WITHIN_MS;
  if (kept.some(isSame)) return;
  const noted = { ...shown, lastNumber: lastOrderNumber(store) };
  store.memory.shownPositions.set(nameOf(of), [noted, ...kept].slice(0, MAX_KEPT));
}

export function listShownPositions({ memory }: Pick<Store, "memory">, of: AccountDex): readonly ShownSizes[] {
  return memory.shownPositions.get(nameOf(of)) ?? [];
}

function nameOf({ accountId, dex }: AccountDex): string {
  return `${accountId} ${dex}`;
}
