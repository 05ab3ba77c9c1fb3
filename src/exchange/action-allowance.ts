import type { Clock } from "../core/clock.ts";
import { type ActionCount, createActionBudget } from "./action-budget.ts";
import type { Purpose } from "./exchange.ts";
import type { Reads } from "./reads.ts";

/** What each trading address may still send, kept in step with the exchange's own count. */
export type ActionAllowance = {
  /** True when one more action fits, or so many at once; asked before an intent is stored, and before each noop. */
  fits(address: string, purpose: Purpose, count?: number): boolean;
  /** Whole seconds until one fits in any case, at least 1. */
  waitS(address: string): number;
  /** One action is about to be sent, which counts as so many as it carries orders. */
  spend(address: string, purpose: Purpose, count?: number): void;
  /** As the exchange last told, and what we have sent since; null when it is not known. */
  use(address: string): ActionCount | null;
  /** Actions left before the cap, or null when it is not known. */
  remaining(address: string): number | null;
  /** Asks the exchange how many were used, now and then: at most once in 10 s and address. Never throws. */
  refresh(address: string): Promise<void>;
};

/** The exchange takes one action in this time from an address that is beyond its cap, milliseconds. */
const TRICKLE_MS = 10_000;

/** Shortest time between two questions about one address, milliseconds. */
const REFRESH_SPACING_MS = 10_000;

export type AllowanceOptions = { isOn: boolean; reads: Pick<Reads, "rateLimit">; clock: Clock };

export function openActionAllowance({ isOn, reads, clock }: AllowanceOptions): ActionAllowance {
  const budget = createActionBudget(isOn);
  const lastSentAtMs = new Map<string, number>();
  const lastAskedAtMs = new Map<string, number>();

  function trickleLeftMs(address: string): number {
    const sentAtMs = lastSentAtMs.get(address);
    return sentAtMs === undefined ? 0 : Math.max(0, sentAtMs + TRICKLE_MS - clock.elapsedMs());
  }

  async function refresh(address: string): Promise<void> {
    const nowMs = clock.elapsedMs();
    const askedAtMs = lastAskedAtMs.get(address);
    if (!isOn || (askedAtMs !== undefined && nowMs - askedAtMs < REFRESH_SPACING_MS)) return;
    lastAskedAtMs.set(address, nowMs);
    const read = await reads.rateLimit(address, "order");
    if (read.kind === "ok") budget.learn(address, { used: read.value.requestsUsed, cap: read.value.requestsCap });
  }

  return {
    fits: (address, purpose, count = 1) => {
      if (budget.fits(address, purpose, count)) return true;
      // What was traded since the last answer may have earned more.
      void refresh(address);
      // What settles a lost order can wait for its expiry; an order cannot.
      return purpose !== "settle" && count === 1 && trickleLeftMs(address) === 0;
    },
    waitS: (address) => Math.max(1, Math.ceil(trickleLeftMs(address) / 1_000)),
    spend: (address, purpose, count = 1) => {
      budget.spend(address, purpose, count);
      lastSentAtMs.set(address, clock.elapsedMs());
    },
    use: (address) => budget.use(address),
    remaining: (address) => budget.remaining(address),
    refresh,
  };
}
