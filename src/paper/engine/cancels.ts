/** `cancel`, `cancelByCloid`, and cancels by schedule. */
import type { CancelReplyStatus, EngineCancelAction, EngineCancelByCloidAction, VenueReply } from "./action.ts";
import { endOrder } from "./ending.ts";
import type { Venue, VenueAccount, VenueOrder } from "./state.ts";
import type { Turn } from "./turn.ts";
import { plain } from "./units.ts";
import { MAX_ACTION_WEIGHT, WEIGHT_TEXT } from "./validation.ts";

const MIN_SCHEDULE_AHEAD_MS = 5_000;
const MAX_SCHEDULED_A_DAY = 10;
const DAY_MS = 86_400_000;

/** The live order of an account by oid, or by the latest use of a cloid; null when there is none. */
export function liveOrder(venue: Venue, account: VenueAccount, id: number | string): VenueOrder | null {
  const oid = typeof id === "number" ? id : account.cloids.get(id);
  const order = oid === undefined ? undefined : venue.orders.get(oid);
  return order !== undefined && order.user === account.address ? order : null;
}

export function cancelOrders(
  turn: Turn,
  account: VenueAccount,
  action: EngineCancelAction | EngineCancelByCloidAction,
): VenueReply {
  const targets =
    action.type === "cancel"
      ? action.cancels.map(({ a, o }): [number, number | string] => [a, o])
      : action.cancels.map(({ asset, cloid }): [number, number | string] => [asset, cloid]);
  if (targets.length > MAX_ACTION_WEIGHT) return { status: "err", response: WEIGHT_TEXT };
  const statuses = targets.map(([asset, id]) => cancelOne(turn, account, asset, { id, isFast: action.f }));
  return { status: "ok", response: { type: "cancel", data: { statuses } } };
}

type Target = { id: number | string; isFast: boolean };

function cancelOne(turn: Turn, account: VenueAccount, asset: number, target: Target): CancelReplyStatus {
  const order = liveOrder(turn.venue, account, target.id);
  // A fast cancel may not name a trigger order.
  const isOut = order === null || order.asset !== asset || (target.isFast && order.phase !== "resting");
  if (isOut) return { error: `Order was never placed, already canceled, or filled. asset=${asset}` };
  endOrder(turn, order, "canceled");
  return "success";
}

/** Sets, moves or clears the account's dead man's switch. */
export function scheduleCancel(turn: Turn, account: VenueAccount, timeMs: number | null): VenueReply {
  const required = turn.venue.options.scheduleCancelVolumeUsd;
  if (account.volume < BigInt(required) * 100_000_000n) {
    const traded = plain((account.volume / 1_000_000n) * 1_000_000n);
    const text = `Cannot set scheduled cancel time until enough volume traded. Required: $${required}. Traded: $${traded}.`;
    return { status: "err", response: text };
  }
  if (timeMs !== null && timeMs < turn.nowMs + MIN_SCHEDULE_AHEAD_MS) {
    return { status: "err", response: "Scheduled cancel time too early, must be at least 5 seconds from now." };
  }
  if (timeMs !== null && firedToday(account, turn.nowMs) >= MAX_SCHEDULED_A_DAY) {
    const text = `Too many scheduled cancels triggered for the day. Limit is ${MAX_SCHEDULED_A_DAY}`;
    return { status: "err", response: text };
  }
  account.scheduledCancelMs = timeMs;
  return { status: "ok", response: { type: "default" } };
}

function firedToday(account: VenueAccount, nowMs: number): number {
  return account.scheduledCancels.dayStartMs === nowMs - (nowMs % DAY_MS) ? account.scheduledCancels.fired : 0;
}

/** Everything open goes; counts toward the day's limit. */
export function fireScheduledCancel(turn: Turn, account: VenueAccount): void {
  account.scheduledCancels = {
    dayStartMs: turn.nowMs - (turn.nowMs % DAY_MS),
    fired: firedToday(account, turn.nowMs) + 1,
  };
  account.scheduledCancelMs = null;
  for (const oid of [...account.openOids]) {
    const order = turn.venue.orders.get(oid);
    if (order !== undefined) endOrder(turn, order, "scheduledCancel");
  }
}
