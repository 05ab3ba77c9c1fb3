/** The `order` action: a plain batch, an order with its tp/sl children, or tp/sl orders of the position. */
import type { EngineOrderAction, OrderReplyStatus, OrderRequest, VenueReply } from "./action.ts";
import { settleTurn } from "./aftermath.ts";
import { enterOrder } from "./ending.ts";
import { recordStatus } from "./history.ts";
import { placeOrder } from "./orders.ts";
import type { PlacementOutcome } from "./placement.ts";
import { newOrder, reject, replyStatus } from "./placement.ts";
import type { VenueAccount, VenueBuilder, VenueOrder } from "./state.ts";
import { faceRefusal } from "./trigger-placement.ts";
import type { Turn } from "./turn.ts";
import { marketOf } from "./turn.ts";
import { batchFault, MAX_ACTION_WEIGHT, WEIGHT_TEXT } from "./validation.ts";

export function placeBatch(turn: Turn, account: VenueAccount, action: EngineOrderAction): VenueReply {
  if (action.orders.length > MAX_ACTION_WEIGHT) return { status: "err", response: WEIGHT_TEXT };
  const fault = batchFault(turn.venue, account, action);
  if (fault !== null) return batchFaultReply(turn, fault);
  const builder = action.builder === null ? null : { address: action.builder.b, feeTenthsBp: action.builder.f };
  const statuses = statusesOf(turn, account, action, builder);
  return { status: "ok", response: { type: "order", data: { statuses } } };
}

/** One error for the whole batch, whatever its length. */
export function batchFaultReply(turn: Turn, fault: string): VenueReply {
  if (turn.venue.options.batchErrorForm === "err") return { status: "err", response: fault };
  return { status: "ok", response: { type: "order", data: { statuses: [{ error: fault }] } } };
}

function statusesOf(
  turn: Turn,
  account: VenueAccount,
  action: EngineOrderAction,
  builder: VenueBuilder | null,
): OrderReplyStatus[] {
  const parent = action.orders[0];
  if (action.grouping === "normalTpsl" && parent !== undefined) {
    return placeWithChildren(turn, account, { parent, children: action.orders.slice(1), builder });
  }
  const isPositionTpsl = action.grouping === "positionTpsl";
  const placed = action.orders.map((request) => {
    const outcome = placeOrder(turn, account, { request, builder, isPositionTpsl });
    settleTurn(turn);
    return outcome;
  });
  if (isPositionTpsl) makeSiblings(placed.flatMap((outcome) => (outcome.kind === "fault" ? [] : [outcome.order])));
  return placed.map((outcome, index) => replyStatus(turn, action.orders[index]?.a ?? 0, outcome));
}

function makeSiblings(orders: readonly VenueOrder[]): void {
  for (const order of orders) order.siblingOids = orders.filter((other) => other !== order).map((other) => other.oid);
}

type Group = { parent: OrderRequest; children: OrderRequest[]; builder: VenueBuilder | null };

function placeWithChildren(turn: Turn, account: VenueAccount, group: Group): OrderReplyStatus[] {
  const { parent: request, builder } = group;
  const parent = placeOrder(turn, account, { request, builder, isPositionTpsl: false });
  const told = replyStatus(turn, request.a, parent);
  if (parent.kind === "fault") return [told, ...group.children.map(() => told)];
  const children = group.children.map((child) => placeChild(turn, account, { child, parent, builder }));
  makeSiblings(children.flatMap((child) => (child.kind === "fault" ? [] : [child.order])));
  const statuses = children.map((child) => childStatus(turn, request.a, child));
  settleTurn(turn);
  return [told, ...statuses];
}

type ChildInput = {
  child: OrderRequest;
  parent: Exclude<PlacementOutcome, { kind: "fault" }>;
  builder: VenueBuilder | null;
};

/** Waits for the fill of a resting parent; of a filled one it waits for its trigger at once. */
function placeChild(turn: Turn, account: VenueAccount, { child, parent, builder }: ChildInput): PlacementOutcome {
  const market = marketOf(turn.venue, child.a);
  const order = newOrder(turn, account, market, { request: child, builder, isPositionTpsl: false });
  const refused = faceRefusal(turn, account, order);
  if (refused !== null) return reject(turn, order, refused);
  const isWaiting = turn.venue.orders.has(parent.order.oid);
  order.parentOid = parent.order.oid;
  if (isWaiting) {
    order.phase = "waitingForFill";
    parent.order.childOids.push(order.oid);
  }
  enterOrder(turn, order);
  recordStatus(turn, order, "open");
  return { kind: "waitingForTrigger", order };
}

function childStatus(turn: Turn, asset: number, child: PlacementOutcome): OrderReplyStatus {
  if (child.kind !== "fault" && child.order.phase === "waitingForFill") return "waitingForFill";
  return replyStatus(turn, asset, child);
}
