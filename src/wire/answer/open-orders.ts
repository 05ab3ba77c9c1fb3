import { type BasicOrder, basicOrder, type FrontendOrder, frontendOrder } from "./order-status.ts";
import { orNull, rowsOf, sourceOf } from "./read.ts";

/** Answer of `openOrders`: triggers look like plain orders in it, sizes are as of now. Null when unreadable. */
export function parseOpenOrders(json: unknown): BasicOrder[] | null {
  return orNull(() => rowsOf(json, (row) => basicOrder(sourceOf(row))));
}

/**
 * Answer of `frontendOpenOrders` as one flat list: children follow their parent, once each (the exchange may list a
 * child on its own as well). Null when unreadable.
 */
export function parseFrontendOpenOrders(json: unknown): FrontendOrder[] | null {
  const orders = orNull(() => rowsOf(json, (row) => frontendOrder(sourceOf(row))));
  if (orders === null) return null;
  const byOid = new Map(orders.flatMap(withChildren).map((order) => [order.oid, order]));
  return [...byOid.values()];
}

function withChildren(order: FrontendOrder): FrontendOrder[] {
  return [order, ...order.children.flatMap(withChildren)];
}
