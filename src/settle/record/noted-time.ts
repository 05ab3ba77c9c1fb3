import type { Attempt } from "../../core/attempt.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import type { Store } from "../../store/open.ts";
import type { StoredOrder } from "../../store/orders.ts";

/**
 * When an order's row was changed last, by the exchange's time, unix milliseconds. Rows are dated by our wall clock, which may have been set
 * before that or since: neither what it is off now, nor what it was off at any number of the order's, is taken alone.
 */
type Noted = Pick<StoredOrder, "createdAtMs" | "id" | "seenAtMs">;

export type ToDate = With<"clock" | "exchange" | "settings" | "store">;

/** No later than that. @param nowMs by our wall clock, where it was never changed */
export function notedAtLatestMs(
  world: With<"clock" | "exchange" | "store">,
  { id, seenAtMs }: Noted,
  nowMs: number,
): number {
  const atMs = (seenAtMs ?? nowMs) + Math.max(aheadNowMs(world), ...aheadAtNumbers(world.store, id));
  return seenAtMs === null ? atMs : readByMs(world, `${id} ${seenAtMs}`, atMs);
}

/** Rows with a date that lies ahead; past it the oldest is read anew. */
const MAX_READ_BY = 10_000;

/** One that lies ahead was noted by a clock that has been set back since: before it was read, whatever that clock had said. */
function readByMs({ exchange, store }: With<"exchange" | "store">, change: string, atMs: number): number {
  const nowMs = exchange.nowMs();
  if (atMs <= nowMs) return atMs;
  const known = store.memory.readBy;
  const byMs = keptMoment(known.get(change) ?? null, nowMs);
  known.set(change, byMs);
  const [oldest] = known.keys();
  if (known.size > MAX_READ_BY && oldest !== undefined) known.delete(oldest);
  return byMs;
}

/** No earlier than it was signed, and no later than now: one that lies ahead was noted by a clock that has been set back since. */
export function notedAtEarliestMs(world: ToDate, order: Noted): number {
  const { id, seenAtMs, createdAtMs } = order;
  const nowMs = world.exchange.nowMs();
  const numbers = listAttemptsOf(world.store, id).map((attempt) => ({
    signedMs: signedAtMs(world, attempt),
    notedMs: attempt.createdAtMs,
  }));
  const aheadMs = Math.min(aheadNowMs(world), ...numbers.map(({ signedMs, notedMs }) => signedMs - notedMs));
  const atMs = (seenAtMs ?? createdAtMs) + aheadMs;
  const signedMs = numbers.length === 0 ? null : Math.min(nowMs, ...numbers.map((each) => each.signedMs));
  // Of one that was placed elsewhere the exchange's own time of its placing stands there.
  return atMs > nowMs ? (signedMs ?? Math.min(nowMs, createdAtMs)) : Math.max(atMs, signedMs ?? atMs);
}

/** When it was signed, by the exchange's time. Its number may be ahead of that, where one before it was made by a clock that was. */
export function signedAtMs(
  { settings }: With<"settings">,
  { nonce, expiresAtMs }: Pick<Attempt, "expiresAtMs" | "nonce">,
): number {
  return Math.min(nonce, expiresAtMs - settings.timings.actionLifeMs);
}

/** How far the exchange's time was ahead of our wall clock, at most, as each number of an order or an operation was made; milliseconds. */
export function aheadAtNumbers(store: Store, resourceId: string): number[] {
  return listAttemptsOf(store, resourceId).map(({ nonce, createdAtMs }) => nonce - createdAtMs);
}

/** How far the exchange's time is ahead of our wall clock, milliseconds. */
function aheadNowMs({ clock, exchange }: With<"clock" | "exchange">): number {
  return exchange.nowMs() - clock.nowMs();
}
