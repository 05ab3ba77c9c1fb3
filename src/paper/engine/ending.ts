/** How a live order stops living, and what becomes of the orders that hang on it. */
import { bookOf, insertOrder, takeOrder } from "./book.ts";
import { recordStatus } from "./history.ts";
import { noteResting } from "./order-margin.ts";
import type { VenueOrder, VenueOrderStatus } from "./state.ts";
import type { Turn } from "./turn.ts";
import { accountOf } from "./turn.ts";

/** Ends by the user's own wish or by a fill; every other end is a cancel by the system. */
const OWN_ENDS: ReadonlySet<VenueOrderStatus> = new Set(["filled", "canceled", "reduceOnlyCanceled"]);

/** Makes an order live in its phase. */
export function enterOrder(turn: Turn, order: VenueOrder): void {
  turn.venue.orders.set(order.oid, order);
  accountOf(turn.venue, order.user).openOids.add(order.oid);
  if (order.phase === "resting") restOrder(turn, order);
  if (order.phase === "waitingForTrigger") turn.armed.add(order.asset);
}

export function restOrder(turn: Turn, order: VenueOrder): void {
  order.phase = "resting";
  insertOrder(bookOf(turn.venue, order.asset), order);
  noteResting(accountOf(turn.venue, order.user), order, order.size);
  turn.booksTouched.add(order.coin);
}

/** Takes an order out of the live ones without saying so. */
export function leaveOrder(turn: Turn, order: VenueOrder): void {
  if (!turn.venue.orders.delete(order.oid)) return;
  accountOf(turn.venue, order.user).openOids.delete(order.oid);
  if (order.phase !== "resting") return;
  takeOrder(bookOf(turn.venue, order.asset), order);
  noteResting(accountOf(turn.venue, order.user), order, -order.size);
  turn.booksTouched.add(order.coin);
}

/** Ends a live order with a status, then its children and its sibling. */
export function endOrder(turn: Turn, order: VenueOrder, status: VenueOrderStatus): void {
  leaveOrder(turn, order);
  recordStatus(turn, order, status);
  if (!OWN_ENDS.has(status)) {
    turn.events.push({ kind: "nonUserCancel", user: order.user, coin: order.coin, oid: order.oid });
  }
  settleChildren(turn, order, status);
  if (status === "filled") cancelSiblings(turn, order);
}

/**
 * Children go live when the parent is filled, or cancelled for margin after a partial fill; any other end of
 * the parent, even after a partial fill, cancels them.
 */
export function settleChildren(turn: Turn, parent: VenueOrder, status: VenueOrderStatus): void {
  const isPartlyFilled = parent.size < parent.originalSize;
  const goLive = status === "filled" || (status === "marginCanceled" && isPartlyFilled);
  for (const oid of [...parent.childOids]) {
    const child = turn.venue.orders.get(oid);
    if (child === undefined || child.phase !== "waitingForFill") continue;
    if (!goLive) {
      endOrder(turn, child, "canceled");
      continue;
    }
    child.phase = "waitingForTrigger";
    turn.armed.add(child.asset);
  }
}

function cancelSiblings(turn: Turn, order: VenueOrder): void {
  for (const oid of order.siblingOids) {
    const sibling = turn.venue.orders.get(oid);
    if (sibling !== undefined) endOrder(turn, sibling, "siblingFilledCanceled");
  }
}
