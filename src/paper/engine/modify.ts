/** `modify` and `batchModify`: always cancel, then place. A failing placement leaves nothing behind. */
import type {
  EngineBatchModifyAction,
  EngineModifyAction,
  ModifyRequest,
  OrderReplyStatus,
  OrderRequest,
  VenueReply,
} from "./action.ts";
import { settleTurn } from "./aftermath.ts";
import { liveOrder } from "./cancels.ts";
import { endOrder } from "./ending.ts";
import { batchFaultReply } from "./groupings.ts";
import { placeOrder } from "./orders.ts";
import type { PlacementOutcome } from "./placement.ts";
import { replyStatus } from "./placement.ts";
import type { VenueAccount, VenueBuilder, VenueOrder } from "./state.ts";
import type { Turn } from "./turn.ts";
import { MAX_ACTION_WEIGHT, requestFault, WEIGHT_TEXT } from "./validation.ts";

const TARGET_GONE = "Cannot modify canceled or filled order";
const INVALID_NEW_ORDER = "Attempted to modify to invalid new order";
const AFTER_CANCEL_PREFIX = "Error placing new order during modify: ";

/** `refused`: the original is as it was. `placed`: the cancel leg ran, whatever became of the new order. */
type Modified = { kind: "refused"; text: string } | { kind: "placed"; placed: PlacementOutcome };

export function modifyOrder(turn: Turn, account: VenueAccount, action: EngineModifyAction): VenueReply {
  const fault = requestFault(turn.venue, action.order, "na");
  if (fault !== null) return { status: "err", response: fault };
  const modified = modifyOne(turn, account, action, action.a);
  if (modified.kind === "refused") return { status: "err", response: modified.text };
  if (modified.placed.kind === "fault") {
    return { status: "err", response: `${AFTER_CANCEL_PREFIX}${modified.placed.text.replace(/\.$/, "")}` };
  }
  return { status: "ok", response: { type: "default" } };
}

export function modifyBatch(turn: Turn, account: VenueAccount, action: EngineBatchModifyAction): VenueReply {
  if (action.modifies.length > MAX_ACTION_WEIGHT) return { status: "err", response: WEIGHT_TEXT };
  if (action.modifies.length === 0) return batchFaultReply(turn, "Orders are empty.");
  for (const { order } of action.modifies) {
    const fault = requestFault(turn.venue, order, "na");
    if (fault !== null) return batchFaultReply(turn, fault);
  }
  const statuses = action.modifies.map((request): OrderReplyStatus => {
    const modified = modifyOne(turn, account, request, action.a);
    if (modified.kind === "refused") return { error: modified.text };
    return replyStatus(turn, request.order.a, named(turn, modified.placed));
  });
  return { status: "ok", response: { type: "order", data: { statuses } } };
}

function modifyOne(turn: Turn, account: VenueAccount, request: ModifyRequest, alwaysPlace: boolean): Modified {
  const target = liveOrder(turn.venue, account, request.oid);
  if (target === null && !alwaysPlace) return { kind: "refused", text: TARGET_GONE };
  if (!alwaysPlace && !mayOnlyRest(request.order)) return { kind: "refused", text: INVALID_NEW_ORDER };
  if (target !== null && !continues(target, request.order)) return { kind: "refused", text: INVALID_NEW_ORDER };
  // A replacement has no builder field; the original's attribution carries over.
  const builder: VenueBuilder | null = target?.builder ?? null;
  if (target !== null) endOrder(turn, target, "canceled");
  const order = alwaysPlace ? request.order : asPostOnly(request.order);
  const placed = placeOrder(turn, account, { request: order, builder, isPositionTpsl: false });
  settleTurn(turn);
  return { kind: "placed", placed };
}

/** Seen: a modify into a trigger is answered with its oid, however one that is placed is answered. */
function named({ venue }: Turn, placed: PlacementOutcome): PlacementOutcome {
  if (placed.kind !== "waitingForTrigger" || venue.options.modifyTriggerReply === "asPlaced") return placed;
  return { kind: "resting", order: placed.order };
}

function mayOnlyRest(order: OrderRequest): boolean {
  return "limit" in order.t && (order.t.limit.tif === "Alo" || order.t.limit.tif === "Gtc");
}

/** Same market, same side, and reduce-only stays reduce-only. */
function continues(target: VenueOrder, order: OrderRequest): boolean {
  return target.asset === order.a && target.isBuy === order.b && (!target.reduceOnly || order.r);
}

function asPostOnly(order: OrderRequest): OrderRequest {
  return { ...order, t: { limit: { tif: "Alo" } } };
}
