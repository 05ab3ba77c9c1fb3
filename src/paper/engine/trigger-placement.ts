/** A trigger order at placement: kept off the book, without margin, until mark reaches its price. */
import { minimumFault } from "./admission.ts";
import { enterOrder } from "./ending.ts";
import { recordStatus } from "./history.ts";
import { openOrderFault } from "./limits.ts";
import { reducible } from "./matching.ts";
import type { PlacementOutcome, PlacementRefusal } from "./placement.ts";
import { reject } from "./placement.ts";
import type { VenueAccount, VenueMarket, VenueOrder, VenueTrigger } from "./state.ts";
import { isOnTick } from "./ticks.ts";
import type { Turn } from "./turn.ts";
import { marketOf } from "./turn.ts";

export function placeTrigger(turn: Turn, account: VenueAccount, order: VenueOrder): PlacementOutcome {
  const market = marketOf(turn.venue, order.asset);
  if (market.kind === "spot" && turn.venue.options.spotTriggers === "reject") return reject(turn, order, NOT_ON_SPOT);
  if (order.isPositionTpsl || order.size === 0n) attachToPosition(turn, order);
  order.awaitsPosition = order.reduceOnly && reducible(turn, order) === 0n;
  const refused =
    faceRefusal(turn, account, order) ?? positionRefusal(turn, market, order) ?? markRefusal(turn, market, order);
  if (refused !== null) return reject(turn, order, refused);
  enterOrder(turn, order);
  recordStatus(turn, order, "open");
  const isTold = !order.isPositionTpsl && turn.venue.options.plainTriggerReply === "resting";
  return isTold ? { kind: "resting", order } : { kind: "waitingForTrigger", order };
}

/** Covers the whole position, or leaves the size open: then it follows the position. */
function attachToPosition(turn: Turn, order: VenueOrder): void {
  const room = reducible(turn, order);
  if (order.size !== 0n && order.size < room) return;
  order.tracksPosition = true;
  order.size = room;
  order.originalSize = room;
}

/** Of such an order no record is known: like other refusals by the market alone it leaves none. */
const NOT_ON_SPOT: PlacementRefusal = {
  text: "Placing trigger orders is not enabled on spot trading yet.",
  status: null,
};
const BAD_TRIGGER: PlacementRefusal = { text: "Invalid TP/SL price.", status: "badTriggerPxRejected" };

/** What can be seen without the position and the mark price; asked of waiting children too. */
export function faceRefusal(turn: Turn, account: VenueAccount, order: VenueOrder): PlacementRefusal | null {
  const { trigger } = order;
  const market = marketOf(turn.venue, order.asset);
  if (trigger === null) return BAD_TRIGGER;
  if (!isOnTick(market, order.limitPrice) || !isOnTick(market, trigger.triggerPrice)) {
    return { text: "Price must be divisible by tick size.", status: "tickRejected" };
  }
  const limit = openOrderFault(account, order);
  if (limit !== null) return { text: limit, status: "tooManyOpenOrdersRejected" };
  const isWorse = order.isBuy ? order.limitPrice >= trigger.triggerPrice : order.limitPrice <= trigger.triggerPrice;
  return isBoundByWorstPrice(turn, trigger) && !isWorse ? BAD_TRIGGER : null;
}

function isBoundByWorstPrice({ venue }: Turn, { isMarket, tpsl }: VenueTrigger): boolean {
  switch (venue.options.worstPriceRule) {
    case "all":
      return true;
    case "market":
      return isMarket;
    case "marketStops":
      return isMarket && tpsl === "sl";
  }
}

function positionRefusal(turn: Turn, market: VenueMarket, order: VenueOrder): PlacementRefusal | null {
  const isAsked = order.isPositionTpsl || turn.venue.options.reduceOnlyTriggerWithoutPosition === "reject";
  if (order.reduceOnly && isAsked && reducible(turn, order) === 0n) {
    return { text: "Reduce only order would increase position.", status: "reduceOnlyRejected" };
  }
  return order.tracksPosition ? null : minimumFault(turn, market, order, order.limitPrice);
}

/** One that is taken though mark has met it is armed like any other, and fires in the aftermath of its own action. */
function markRefusal(turn: Turn, market: VenueMarket, order: VenueOrder): PlacementRefusal | null {
  if (turn.venue.options.metTrigger === "fire") return null;
  if (order.trigger === null || !isReached(order.trigger, order.isBuy, market.markPrice)) return null;
  const isBoundary = market.markPrice === order.trigger.triggerPrice;
  return isBoundary && turn.venue.options.triggerAtMark === "accept" ? null : BAD_TRIGGER;
}

/** Take profit of a long and stop of a short fire at or above; the other two at or below. */
export function firesAbove(tpsl: VenueTrigger["tpsl"], isBuy: boolean): boolean {
  return (tpsl === "tp") === !isBuy;
}

export function isReached(trigger: VenueTrigger, isBuy: boolean, markPrice: bigint): boolean {
  return firesAbove(trigger.tpsl, isBuy) ? markPrice >= trigger.triggerPrice : markPrice <= trigger.triggerPrice;
}
