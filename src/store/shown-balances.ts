/** Balances that were shown, kept in memory alone: what a later answer shows is held against them. */
import type { Decimal } from "../core/decimal.ts";
import type { Store } from "./open.ts";

/**
 * Totals by token, zero where one is missing, and between which times they were so, exchange time, unix milliseconds: they hold all that came
 * up to `leastMs` and nothing from after `mostMs`. `firstMs`: when these very totals were shown first.
 */
export type ShownBalances = {
  totals: ReadonlyMap<string, Decimal>;
  leastMs: number;
  mostMs: number;
  firstMs: number;
};

/** By account, the newest first. */
export type ShownBalancesBook = Map<string, readonly ShownBalances[]>;

/** Readings that are kept of an account. */
const MAX_KEPT = 12;

/** The same totals are kept once, as they were shown first, with all that they are known to hold by now: while they stand nothing moves them. */
export function noteShownBalances(store: Store, accountId: string, shown: ShownBalances): void {
  const kept = listShownBalances(store, accountId);
  const same = kept.find(({ totals }) => areSame(totals, shown.totals));
  const noted = same === undefined ? shown : { ...same, leastMs: Math.max(same.leastMs, shown.leastMs) };
  const others = kept.filter((each) => each !== same);
  store.memory.shownBalances.set(accountId, [noted, ...others].slice(0, MAX_KEPT));
}

export function listShownBalances({ memory }: Pick<Store, "memory">, accountId: string): readonly ShownBalances[] {
  return memory.shownBalances.get(accountId) ?? [];
}

function areSame(one: ReadonlyMap<string, Decimal>, other: ReadonlyMap<string, Decimal>): boolean {
  return one.size === other.size && [...one].every(([token, total]) => other.get(token) === total);
}
