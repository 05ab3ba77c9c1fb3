/** Keeps resting reduce-only orders, and triggers that follow the position, within the position. */
import { endOrder } from "./ending.ts";
import { reducible } from "./matching.ts";
import type { Address, VenueOrder } from "./state.ts";
import type { Turn } from "./turn.ts";
import { accountOf } from "./turn.ts";

/**
 * The newest orders have the position first: an older one shrinks to what is left of it, or is cancelled.
 * A trigger reserves nothing (take profit and stop loss may both cover the whole), but goes with the position that it covered.
 */
export function trimReduceOnly(turn: Turn, user: Address, asset: number): void {
  const account = accountOf(turn.venue, user);
  const left = new Map<boolean, bigint>();
  for (const oid of [...account.openOids].reverse()) {
    const order = turn.venue.orders.get(oid);
    if (order === undefined || order.asset !== asset || !order.reduceOnly) continue;
    if (order.phase === "waitingForTrigger") trimTrigger(turn, order);
    if (order.phase !== "resting") continue;
    const room = left.get(order.isBuy) ?? reducible(turn, order);
    if (room < order.size) order.size = room;
    left.set(order.isBuy, room - order.size);
    if (order.size === 0n) endOrder(turn, order, "reduceOnlyCanceled");
    else turn.booksTouched.add(order.coin);
  }
}

function trimTrigger(turn: Turn, order: VenueOrder): void {
  const room = reducible(turn, order);
  if (room === 0n) {
    if (!order.awaitsPosition) endOrder(turn, order, "reduceOnlyCanceled");
    return;
  }
  order.awaitsPosition = false;
  if (!order.tracksPosition) return;
  order.size = room;
  order.originalSize = room;
}
