/** What the exchange remembers of orders: one frozen record an order, and one row for every status change. */
import type { OrderSnapshot, Venue, VenueAccount, VenueOrder, VenueOrderRecord, VenueOrderStatus } from "./state.ts";
import type { Turn } from "./turn.ts";
import { accountOf } from "./turn.ts";

/** Order records kept per account, by count; live orders are kept on top of it. */
export const MAX_ORDER_RECORDS = 2_000;
/** Rows of status changes kept per account. */
export const MAX_HISTORY_ROWS = 2_000;

export function snapshotOf(venue: Venue, order: VenueOrder): OrderSnapshot {
  const children: OrderSnapshot[] = [];
  for (const oid of order.childOids) {
    const child = venue.orders.get(oid);
    if (child !== undefined && child.phase === "waitingForFill") children.push(snapshotOf(venue, child));
  }
  return {
    oid: order.oid,
    asset: order.asset,
    coin: order.coin,
    isBuy: order.isBuy,
    limitPrice: order.limitPrice,
    size: order.size,
    originalSize: order.originalSize,
    timestampMs: order.timestampMs,
    trigger: order.trigger === null ? null : { ...order.trigger },
    isTriggered: order.isTriggered,
    isPositionTpsl: order.isPositionTpsl,
    reduceOnly: order.reduceOnly,
    orderType: order.orderType,
    tif: order.tif,
    cloid: order.cloid,
    children,
  };
}

/** Freezes the order as it is now under its new status and announces it. */
export function recordStatus(turn: Turn, order: VenueOrder, status: VenueOrderStatus): void {
  const account = accountOf(turn.venue, order.user);
  const snapshot = snapshotOf(turn.venue, order);
  if (status === "filled" && turn.venue.options.filledRecordSize === "original") snapshot.size = order.originalSize;
  const record: VenueOrderRecord = { order: snapshot, status, statusTimestampMs: turn.nowMs };
  account.records.set(order.oid, record);
  account.history.push(record);
  if (account.history.length > MAX_HISTORY_ROWS) account.history.shift();
  if (order.cloid !== null) noteCloid(account, order.cloid, order.oid);
  if (account.records.size > MAX_ORDER_RECORDS + account.openOids.size) forgetOldest(turn.venue, account);
  turn.events.push({
    kind: "order",
    user: order.user,
    order: snapshot,
    status,
    statusTimestampMs: turn.nowMs,
  });
}

/** A cloid names the latest order that used it; a late status of an older one does not take it back. */
function noteCloid(account: VenueAccount, cloid: string, oid: number): void {
  const latest = account.cloids.get(cloid);
  if (latest === undefined || latest < oid) account.cloids.set(cloid, oid);
}

function forgetOldest(venue: Venue, account: VenueAccount): void {
  for (const [oid, record] of account.records) {
    if (venue.orders.has(oid)) continue;
    account.records.delete(oid);
    const { cloid } = record.order;
    if (cloid !== null && account.cloids.get(cloid) === oid) account.cloids.delete(cloid);
    return;
  }
}
