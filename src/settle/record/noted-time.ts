import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import type { StoredOrder } from "../../store/orders.ts";

/**
 * When an order's row was changed last, by the exchange's time, unix milliseconds. Rows are dated by our wall clock, which may have been set
 * before that or since: neither what it is off now, nor what it was off at any number of the order's, is taken alone.
 */
type Noted = Pick<StoredOrder, "createdAtMs" | "id" | "seenAtMs">;

export type ToDate = With<"clock" | "exchange" | "store">;

/** No later than that. @param nowMs by our wall clock, where it was never changed */
export function notedAtLatestMs(world: ToDate, { id, seenAtMs }: Noted, nowMs: number): number {
  return (seenAtMs ?? nowMs) + Math.max(...aheadMs(world, id));
}

/** No earlier than it was signed, and no later than now: one that lies ahead was noted by a clock that has been set back since. */
export function notedAtEarliestMs(world: ToDate, order: Noted): number {
  const { id, seenAtMs, createdAtMs } = order;
  const nowMs = world.exchange.nowMs();
  const atMs = (seenAtMs ?? createdAtMs) + Math.min(...aheadMs(world, id));
  const nonces = listAttemptsOf(world.store, id).map(({ nonce }) => nonce);
  const signedMs = nonces.length === 0 ? null : Math.min(nowMs, ...nonces);
  // Of one that was placed elsewhere the exchange's own time of its placing stands there.
  return atMs > nowMs ? (signedMs ?? Math.min(nowMs, createdAtMs)) : Math.max(atMs, signedMs ?? atMs);
}

/** How far the exchange's time is ahead of our wall clock, milliseconds: now, and at each number, which is the exchange's time when it was made. */
function aheadMs({ store, clock, exchange }: ToDate, orderId: string): number[] {
  const atNumbers = listAttemptsOf(store, orderId).map(({ nonce, createdAtMs }) => nonce - createdAtMs);
  return [exchange.nowMs() - clock.nowMs(), ...atNumbers];
}
