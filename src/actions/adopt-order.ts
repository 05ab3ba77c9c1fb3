import type { Account } from "../core/account.ts";
import { cloidOf } from "../core/cloid.ts";
import { decimal } from "../core/decimal.ts";
import { findMarket } from "../core/market.ts";
import { type Filled, isLive, type Leg } from "../core/order.ts";
import type { With } from "../deps.ts";
import { inTransaction } from "../store/commit.ts";
import { findLegByCloid, findLegByOid, insertLeg } from "../store/legs.ts";
import type { Store } from "../store/open.ts";
import { findOrder, insertOrder, type StoredOrder } from "../store/orders.ts";
import { notRead } from "./market-rules.ts";
import type { OutsideOrder } from "./outside-order.ts";

/** Gives an order that was placed outside the API a row of its own, because it is about to be changed through it. */
export function adoptOutsideOrder(
  deps: With<"clock" | "exchange" | "markets" | "store">,
  outside: OutsideOrder,
): StoredOrder {
  const universe = deps.markets.current();
  const market = universe === null ? null : findMarket(universe, outside.market);
  if (market === null) {
    throw notRead(deps, "The market of this order could not be read");
  }
  const { filled, ...shown } = outside;
  const order: StoredOrder = {
    ...shown,
    assetId: market.assetId,
    keyHash: null,
    idempotencyKey: null,
    batchId: null,
    batchIndex: 0,
    seenAtMs: deps.clock.nowMs(),
    releasedAtMs: null,
    version: 0,
  };
  return inTransaction(deps.store, (store) => {
    // Meanwhile it may have turned out to be ours: what a modify placed has no order of its own id.
    const known = findOrder(store, order.id) ?? orderOfLeg(store, cloidOf(order.id));
    if (known !== null) return known;
    insertOrder(store, order);
    insertLeg(store, legOf(order, filled));
    return order;
  });
}

/** One that was given a row so and may be alive: what a key or this gateway has placed has its key, or a name under which it was asked for. */
export function adoptedRow(store: Store, { id }: Account, oid: string): StoredOrder | null {
  const leg = findLegByOid(store, id, oid);
  const stored = leg === null ? null : findOrder(store, leg.orderId);
  if (stored === null || !isLive(stored.status)) return null;
  return stored.keyHash === null && stored.idempotencyKey === null ? stored : null;
}

function orderOfLeg(store: Store, cloid: string): StoredOrder | null {
  const leg = findLegByCloid(store, cloid);
  return leg === null ? null : findOrder(store, leg.orderId);
}

const LEG_STATE: Record<StoredOrder["status"], Leg["state"]> = {
  processing: "lost",
  unknown: "lost",
  open: "resting",
  waiting_for_trigger: "armed",
  filled: "filled",
  canceled: "canceled",
  rejected: "rejected",
};

function legOf(order: StoredOrder, filled: Filled | null): Leg {
  return {
    // Its own client order id may be anybody's; ours only names the row.
    cloid: cloidOf(order.id),
    orderId: order.id,
    oid: order.exchangeOrderId,
    ordinal: 0,
    size: decimal(order.size),
    price: order.price,
    timeInForce: order.timeInForce,
    trigger: order.trigger,
    state: LEG_STATE[order.status],
    filledSize: filled?.size ?? decimal("0"),
    filledNotional: filled?.notional ?? decimal("0"),
    reason: order.error,
    isExchangesWord: true,
    absence: null,
  };
}
