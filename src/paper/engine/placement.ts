/** An order on its way in: what it is made from, and how its outcome is told. */
import type { OrderReplyStatus, OrderRequest } from "./action.ts";
import { recordStatus } from "./history.ts";
import { plainOrder } from "./plain-order.ts";
import type { VenueAccount, VenueBuilder, VenueMarket, VenueOrder, VenueOrderStatus } from "./state.ts";
import { priceDecimals } from "./ticks.ts";
import type { Turn } from "./turn.ts";
import { marketOf } from "./turn.ts";
import { cut, over, units, wireNumber } from "./units.ts";

export type Placement = {
  request: OrderRequest;
  builder: VenueBuilder | null;
  /** `positionTpsl`: answered without oid and tied to the position. */
  isPositionTpsl: boolean;
};

/** `fault.text` comes without the ` asset=N` that ends it in `statuses`, except where `isBare`. */
export type PlacementOutcome =
  | { kind: "resting"; order: VenueOrder }
  | { kind: "filled"; order: VenueOrder; size: bigint; notional: bigint }
  | { kind: "waitingForTrigger"; order: VenueOrder }
  | { kind: "fault"; text: string; isBare: boolean };

export function newOrder(turn: Turn, account: VenueAccount, market: VenueMarket, placement: Placement): VenueOrder {
  const { request, builder, isPositionTpsl } = placement;
  const trigger = "trigger" in request.t ? request.t.trigger : null;
  const terms = {
    user: account.address,
    isBuy: request.b,
    limitPrice: units(request.p),
    size: units(request.s),
    reduceOnly: request.r,
    orderType: orderTypeOf(request),
    tif: "limit" in request.t ? request.t.limit.tif : null,
  };
  return {
    ...plainOrder(turn, market, terms),
    trigger:
      trigger === null
        ? null
        : { isMarket: trigger.isMarket, triggerPrice: units(trigger.triggerPx), tpsl: trigger.tpsl },
    isPositionTpsl,
    cloid: request.c,
    phase: trigger === null ? "resting" : "waitingForTrigger",
    builder,
  };
}

function orderTypeOf(request: OrderRequest): VenueOrder["orderType"] {
  if ("limit" in request.t) return request.t.limit.tif === "FrontendMarket" ? "Market" : "Limit";
  const { tpsl, isMarket } = request.t.trigger;
  if (tpsl === "tp") return isMarket ? "Take Profit Market" : "Take Profit Limit";
  return isMarket ? "Stop Market" : "Stop Limit";
}

export type PlacementRefusal = { text: string; status: VenueOrderStatus | null; isBare?: boolean };

/** A refused order has an oid and a record all the same, except where the status is null. */
export function reject(turn: Turn, order: VenueOrder, refused: PlacementRefusal): PlacementOutcome {
  if (refused.status !== null) recordStatus(turn, order, refused.status);
  return { kind: "fault", text: refused.text, isBare: refused.isBare === true };
}

/** The entry of `statuses` for an outcome. */
export function replyStatus(turn: Turn, asset: number, placed: PlacementOutcome): OrderReplyStatus {
  switch (placed.kind) {
    case "waitingForTrigger":
      return "waitingForTrigger";
    case "fault":
      return { error: placed.isBare ? placed.text : `${placed.text} asset=${asset}` };
    case "resting":
      return { resting: { oid: placed.order.oid, ...cloidOf(placed.order) } };
    case "filled": {
      const average = cut(over(placed.notional, placed.size), priceDecimals(marketOf(turn.venue, asset)));
      return {
        filled: {
          totalSz: wireNumber(placed.size),
          avgPx: wireNumber(average),
          oid: placed.order.oid,
          ...cloidOf(placed.order),
        },
      };
    }
  }
}

function cloidOf(order: VenueOrder): { cloid?: string } {
  return order.cloid === null ? {} : { cloid: order.cloid };
}
