/** What balances were told to hold back, kept in memory alone: what a later answer shows is held against it. */
import type { Decimal } from "../core/decimal.ts";
import type { Store } from "./open.ts";

/** Of one token, in its units: what was held back in all, how much of that our own open orders on spot came to, and when it was told last, elapsed milliseconds. */
export type ToldHold = { token: string; hold: Decimal; own: Decimal; atElapsedMs: number };

/** By account, the newest first. */
export type ToldHoldsBook = Map<string, readonly ToldHold[]>;

/** Of an account, all tokens together. */
const MAX_KEPT = 24;

/** The same is kept once. */
export function noteToldHold(store: Store, accountId: string, told: ToldHold): void {
  const { token, hold, own } = told;
  const others = listToldHolds(store, accountId).filter(
    (each) => each.token !== token || each.hold !== hold || each.own !== own,
  );
  store.memory.toldHolds.set(accountId, [told, ...others].slice(0, MAX_KEPT));
}

export function listToldHolds({ memory }: Pick<Store, "memory">, accountId: string): readonly ToldHold[] {
  return memory.toldHolds.get(accountId) ?? [];
}
