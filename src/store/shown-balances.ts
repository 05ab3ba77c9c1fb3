/** Balances that were shown, kept in memory alone: what a later answer shows is held against them. */
import { absolute, compare, type Decimal, decimal, subtract } from "../core/decimal.ts";
import type { Store } from "./open.ts";

/**
 * What isolated positions held beside them, by dex, where its positions were known. `parts`: of so many amounts that the exchange has rounded; zero where there
 * are none. `timeMs`: of when these positions are, exchange time, unix milliseconds.
 */
export type Isolated = ReadonlyMap<string, { amount: Decimal; parts: number; timeMs: number }>;

/**
 * Totals by token, zero where one is missing, and between which times they were so, exchange time, unix milliseconds: they hold all that came
 * up to `leastMs` and nothing from after `mostMs`. `firstMs`: when these very totals were shown first.
 */
export type ShownBalances = {
  totals: ReadonlyMap<string, Decimal>;
  isolated: Isolated;
  leastMs: number;
  mostMs: number;
  firstMs: number;
};

/** By account, the newest first. */
export type ShownBalancesBook = Map<string, readonly ShownBalances[]>;

/** Readings that are kept of an account. */
const MAX_KEPT = 24;
/** What positions hold is worked out of rounded amounts, each time anew. */
const NO_CHANGE = decimal("0.00001");

/**
 * The same totals are kept once, as they were shown first, with all that they are known to hold by now: while they stand nothing moves them. Beside other
 * positions they are kept again, for nobody knows which of these are of the same moment.
 */
export function noteShownBalances(store: Store, accountId: string, shown: ShownBalances): void {
  const kept = listShownBalances(store, accountId);
  const same = kept.find((each) => areSameTotals(each, shown) && areNearlySame(each.isolated, shown.isolated));
  const noted =
    same === undefined ? shown : { ...same, isolated: shown.isolated, leastMs: Math.max(same.leastMs, shown.leastMs) };
  const others = kept.filter((each) => each !== same);
  store.memory.shownBalances.set(accountId, [noted, ...others].slice(0, MAX_KEPT));
}

export function listShownBalances({ memory }: Pick<Store, "memory">, accountId: string): readonly ShownBalances[] {
  return memory.shownBalances.get(accountId) ?? [];
}

export function areSameTotals(
  { totals }: Pick<ShownBalances, "totals">,
  other: Pick<ShownBalances, "totals">,
): boolean {
  return totals.size === other.totals.size && [...totals].every(([token, total]) => other.totals.get(token) === total);
}

function areNearlySame(one: Isolated, other: Isolated): boolean {
  const isSame = (dex: string, amount: Decimal): boolean => {
    const held = other.get(dex)?.amount;
    return held !== undefined && compare(absolute(subtract(held, amount)), NO_CHANGE) < 0;
  };
  return one.size === other.size && [...one].every(([dex, { amount }]) => isSame(dex, amount));
}
