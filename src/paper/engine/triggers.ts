/** Triggers that mark has reached: the order keeps its oid and goes on as Ioc or Gtc at its limit. */
import { perpFault } from "./admission.ts";
import { canPlaceSpot } from "./affordability.ts";
import { endOrder, enterOrder, leaveOrder } from "./ending.ts";
import { recordStatus } from "./history.ts";
import type { Matched } from "./matching.ts";
import { matchOrder, PLAIN_TERMS, reducible } from "./matching.ts";
import { trimReduceOnly } from "./reduce-only.ts";
import type { VenueOrder, VenueOrderStatus } from "./state.ts";
import { isReached } from "./trigger-placement.ts";
import type { Turn } from "./turn.ts";
import { accountOf, marketOf } from "./turn.ts";

/** Fires every satisfied trigger of a market, oldest first. Each fires once, so this ends. */
export function fireTriggers(turn: Turn, asset: number): void {
  const { markPrice } = marketOf(turn.venue, asset);
  const reached: VenueOrder[] = [];
  for (const order of turn.venue.orders.values()) {
    if (order.asset !== asset || order.phase !== "waitingForTrigger" || order.trigger === null) continue;
    if (isReached(order.trigger, order.isBuy, markPrice)) reached.push(order);
  }
  reached.sort((a, b) => a.oid - b.oid);
  for (const order of reached) if (turn.venue.orders.has(order.oid)) fire(turn, order);
}

function fire(turn: Turn, order: VenueOrder): void {
  order.isTriggered = true;
  recordStatus(turn, order, "triggered");
  const room = reducible(turn, order);
  if (order.reduceOnly && order.size > room) order.size = room;
  // Taken without a position, and there is none now: refused late.
  if (order.size === 0n) endOrder(turn, order, "reduceOnlyRejected");
  else if (!canCarry(turn, order)) endOrder(turn, order, "marginCanceled");
  else execute(turn, order);
}

function execute(turn: Turn, order: VenueOrder): void {
  leaveOrder(turn, order);
  order.phase = "resting";
  const matched = matchOrder(turn, order, PLAIN_TERMS);
  const ended = endOf(order, matched);
  if (ended !== null) {
    endOrder(turn, order, ended);
    return;
  }
  enterOrder(turn, order);
  if (order.reduceOnly) trimReduceOnly(turn, order.user, order.asset);
}

/** A limit trigger goes on resting with what is left. */
function endOf(order: VenueOrder, matched: Matched): VenueOrderStatus | null {
  if (order.size === 0n) return "filled";
  if (order.trigger?.isMarket === true) return matched.size > 0n ? "filled" : "marketOrderNoLiquidityRejected";
  return matched.stopped ? "marginCanceled" : null;
}

/** Margin is asked for only now: a waiting trigger reserves none. */
function canCarry(turn: Turn, order: VenueOrder): boolean {
  const account = accountOf(turn.venue, order.user);
  const market = marketOf(turn.venue, order.asset);
  if (market.kind === "perp") return perpFault(turn, account, market, order) === null;
  return canPlaceSpot(turn.venue, account, market, { isBuy: order.isBuy, price: order.limitPrice, size: order.size });
}
