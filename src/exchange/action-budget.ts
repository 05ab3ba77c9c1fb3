import type { Purpose } from "./exchange.ts";
import { useOf } from "./shares.ts";

/** `userRateLimit` of a trading address: actions since its beginning, and how many its volume has earned it. */
export type ActionCount = { used: number; cap: number };

/**
 * The action budgets of our trading addresses, as the exchange last told them plus what we have sent since. The
 * exchange lets cancels go on beyond the cap; noops, which settle a lost order, it does not, so orders leave some: what
 * reduces leaves it to settling, and what increases leaves more, to what reduces.
 */
export type ActionBudget = {
  learn(address: string, use: ActionCount): void;
  spend(address: string, purpose: Purpose, count: number): void;
  /** True for addresses that nothing is known about: the exchange decides. */
  fits(address: string, purpose: Purpose, count: number): boolean;
  /** As the exchange last told, and what we have sent since; null when it is not known. */
  use(address: string): ActionCount | null;
  /** Actions left before the cap, or null when it is not known. */
  remaining(address: string): number | null;
};

/** Actions left to settling when all that clients ask stops but cancels: some dozen lost outcomes with a few noops each. */
const RESERVED_FOR_SETTLING = 100;
/** And to what only reduces, when what increases stops. */
const RESERVED_FOR_REDUCTIONS = 100;

/** Cancels may go on to min(cap + 100,000, 2 * cap). */
const EXTRA_FOR_CANCELS = 100_000;

/** In the order in which they go: cancels, settling, reductions, increases. */
function reservedFrom(purpose: Purpose): number {
  if (purpose === "settle") return 0;
  return purpose === "reduce" ? RESERVED_FOR_SETTLING : RESERVED_FOR_SETTLING + RESERVED_FOR_REDUCTIONS;
}

/** @param isOn false = everything fits, and the exchange refuses what does not */
export function createActionBudget(isOn: boolean): ActionBudget {
  const uses = new Map<string, ActionCount>();

  function fits(address: string, purpose: Purpose, count: number): boolean {
    const use = uses.get(address);
    if (!isOn || use === undefined || useOf(purpose) === "read") return true;
    const usedThen = use.used + count;
    if (purpose === "cancel") return usedThen <= Math.min(use.cap + EXTRA_FOR_CANCELS, 2 * use.cap);
    return usedThen + reservedFrom(purpose) <= use.cap;
  }

  return {
    fits,
    learn: (address, use) => {
      uses.set(address, { ...use });
    },
    spend: (address, purpose, count) => {
      const use = uses.get(address);
      if (use !== undefined && useOf(purpose) !== "read") use.used += count;
    },
    use: (address) => uses.get(address) ?? null,
    remaining: (address) => {
      const use = uses.get(address);
      return use === undefined ? null : Math.max(0, use.cap - use.used);
    },
  };
}
