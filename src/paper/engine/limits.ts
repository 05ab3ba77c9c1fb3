/** Limits of an address: open orders, and actions against what it has traded. */
import type { Venue, VenueAccount, VenueOrder } from "./state.ts";
import { dollars, ONE, plain } from "./units.ts";

const OPEN_ORDERS_FIRST = 1_000;
const OPEN_ORDERS_MOST = 5_000;
/** One open order more for every so many dollars traded. */
const VOLUME_PER_OPEN_ORDER_USD = 5_000_000;
/** An exhausted address may send one action in this time. */
const EXHAUSTED_INTERVAL_MS = 10_000;
const CANCEL_ALLOWANCE = 100_000;
/** A stale action that arrives costs this many times its weight. */
export const EXPIRED_WEIGHT = 5;

/** The text for one order too many, or null. From 1,000 open ones on, no reduce-only and no trigger order either. */
export function openOrderFault(account: VenueAccount, order: VenueOrder): string | null {
  const open = account.openOids.size;
  const earned = Number(account.volume / dollars(VOLUME_PER_OPEN_ORDER_USD));
  if (open >= Math.min(OPEN_ORDERS_MOST, OPEN_ORDERS_FIRST + earned)) return "Too many open orders";
  const isRestricted = order.reduceOnly || order.trigger !== null;
  return isRestricted && open >= OPEN_ORDERS_FIRST ? "Too many open orders" : null;
}

/** Actions that the address may have sent in all: a start, one per dollar traded, and what it reserved. */
export function requestCap(venue: Venue, account: VenueAccount): number {
  return venue.options.requestAllowance + Number(account.volume / ONE) + account.requests.reserved;
}

export type RequestCharge = { count: number; isCancel: boolean };

/** Counts an action, or returns the text of its refusal; a refusal neither counts nor restarts the interval. */
export function chargeRequest(
  venue: Venue,
  account: VenueAccount,
  weight: RequestCharge,
  nowMs: number,
): string | null {
  const { requests } = account;
  const base = requestCap(venue, account);
  const cap = weight.isCancel ? Math.min(base + CANCEL_ALLOWANCE, 2 * base) : base;
  const wanted = requests.used + weight.count;
  if (wanted > cap) {
    if (nowMs < requests.freeAtMs) return cumulativeText(account, wanted, cap);
    requests.freeAtMs = nowMs + EXHAUSTED_INTERVAL_MS;
  }
  requests.used = wanted;
  return null;
}

function cumulativeText(account: VenueAccount, used: number, cap: number): string {
  const volume = plain((account.volume / 1_000_000n) * 1_000_000n);
  return (
    `Too many cumulative requests sent (${used} > ${cap}) for cumulative volume traded $${volume}. ` +
    "Place taker orders to free up 1 request per USDC traded."
  );
}
