/** Whether an alert that says no time came before, where the machine's clock was set between the two. */
import type { Hook } from "./hook.ts";

/** When it came by our clock, and by how much the exchange's clock was ahead of ours about then, milliseconds. */
export type Came = { receivedAtMs: number; exchangeAheadMs: number };

/** What the two clocks may differ by from one time to another without either having been set, milliseconds. */
const STEADY_WITHIN_MS = 15_000;

/** By our own clock they are further apart than the hook says; this is by the exchange's, which nobody here can set. */
export function isSameByExchange({ sameWithinMs }: Pick<Hook, "sameWithinMs">, earlier: Came, later: Came): boolean {
  const setByMs = Math.abs(later.exchangeAheadMs - earlier.exchangeAheadMs);
  const apartMs = later.receivedAtMs + later.exchangeAheadMs - (earlier.receivedAtMs + earlier.exchangeAheadMs);
  return setByMs > STEADY_WITHIN_MS && Math.abs(apartMs) <= sameWithinMs;
}
