/** Whether an alert that says no time came before, where the machine's clock was set between the two. */
import type { Delivery, Hook } from "./hook.ts";

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

/** `heardMs`: when this process has heard it, by a clock that nobody sets; null where another process has. */
type Earlier = Pick<Delivery, "receivedAtMs" | "endedAtMs" | "orderId"> & { heardMs: number | null };

/**
 * Whether an alert that says no time is the earlier one again, as far as can be said when it comes. That too much time has passed this process
 * knows whatever the wall clock says; that little has it does not, because it may have been asleep.
 */
export function isSameAgain(
  { sameWithinMs }: Pick<Hook, "sameWithinMs">,
  earlier: Earlier,
  now: { wallMs: number; elapsedMs: number },
): boolean {
  const apartMs = now.wallMs - earlier.receivedAtMs;
  if (apartMs > sameWithinMs) return false;
  if (earlier.heardMs !== null && now.elapsedMs - earlier.heardMs > sameWithinMs) return false;
  // It came later than now is: the clock was set back, and the exchange's tells the two apart once there are two orders to compare.
  return !(apartMs < -STEADY_WITHIN_MS && isDatedByItsOrder(earlier));
}

/** Its order was placed by the clock by which it came; before that nothing of the exchange's time is known of it. */
function isDatedByItsOrder({ orderId, receivedAtMs, endedAtMs }: Earlier): boolean {
  return orderId !== null && endedAtMs !== null && endedAtMs >= receivedAtMs;
}
