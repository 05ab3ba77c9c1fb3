/**
 * Checks that need only the payload and public prices. They cover the whole batch before anything matches, and a
 * batch that fails them leaves no record.
 */
import type { EngineOrderAction, Grouping, OrderRequest } from "./action.ts";
import type { Venue, VenueAccount, VenueMarket } from "./state.ts";
import { isOnLot } from "./ticks.ts";
import { dollars, magnitude, ONE, plain, times, units } from "./units.ts";

/** Orders or cancels in one action. */
export const MAX_ACTION_WEIGHT = 200;
export const WEIGHT_TEXT = `Signed action over weight limit of ${MAX_ACTION_WEIGHT}.`;

const MAX_BUILDER_TENTHS_BP = { perp: 100, spot: 1_000 };
/** A limit order may be this many times larger than a market order. */
const LIMIT_ORDER_FACTOR = 10n;

/** The one text that answers the whole batch, or null when it may be executed. */
export function batchFault(venue: Venue, account: VenueAccount, action: EngineOrderAction): string | null {
  if (action.orders.length === 0) return "Orders are empty.";
  const grouping = groupingFault(action.orders, action.grouping);
  if (grouping !== null) return grouping;
  for (const request of action.orders) {
    const fault = requestFault(venue, request, action.grouping);
    if (fault !== null) return fault;
  }
  return builderFault(venue, account, action) ?? priorityFault(venue, action);
}

/** It is paid from stake that can be delegated, and nobody has any here. */
function priorityFault({ options }: Venue, { grouping }: EngineOrderAction): string | null {
  const isAsked = typeof grouping === "object" && grouping.p > 0;
  return isAsked && options.priorityFee === "reject" ? "Insufficient delegatable balance for priority order" : null;
}

/** What is wrong with one order on its face, or null. */
export function requestFault(venue: Venue, request: OrderRequest, grouping: Grouping): string | null {
  const market = venue.markets.get(request.a);
  if (market === undefined) return "Order has invalid asset.";
  if (market.kind === "perp" && market.isDelisted) return "Trading is halted.";
  const size = units(request.s);
  const price = units(request.p);
  if (size === 0n && !isSizeOfPosition(venue, request, grouping)) return "Order has zero size.";
  if (!isOnLot(market, size)) return "Order has invalid size.";
  if (price === 0n) return "Order has invalid price.";
  if ("trigger" in request.t && units(request.t.trigger.triggerPx) === 0n) return "Order has invalid price.";
  if (market.kind === "spot" && request.r) return "Reduce-only is invalid for spot trading.";
  return bandFault(venue, market, price) ?? valueFault(market, request, times(size, price));
}

/** A trigger on the position may leave its size to the position; so may a reduce-only one that stands alone. */
function isSizeOfPosition(venue: Venue, { r, t }: OrderRequest, grouping: Grouping): boolean {
  if (grouping === "positionTpsl") return true;
  return grouping !== "normalTpsl" && r && "trigger" in t && venue.options.zeroSizeTrigger === "wholePosition";
}

function bandFault(venue: Venue, market: VenueMarket, price: bigint): string | null {
  const reference = market.markPrice;
  if (market.kind === "spot") {
    if (price * 5n > reference && price <= reference * 5n) return null;
    return "Order price cannot be more than 80% away from the reference price";
  }
  const percent = venue.options.perpBandPercent;
  if (magnitude(price - reference) * 100n <= reference * BigInt(percent)) return null;
  return `Order price cannot be more than ${percent}% away from the reference price`;
}

/** Most dollars of one market order, by the market's highest leverage. */
export function maxMarketOrderUsd(maxLeverage: number): number {
  if (maxLeverage >= 25) return 30_000_000;
  if (maxLeverage >= 20) return 5_000_000;
  return maxLeverage >= 10 ? 2_000_000 : 500_000;
}

function valueFault(market: VenueMarket, request: OrderRequest, notional: bigint): string | null {
  if (market.kind === "spot") return null;
  const largest = dollars(maxMarketOrderUsd(market.maxLeverage)) * (isMarketLike(request) ? 1n : LIMIT_ORDER_FACTOR);
  return notional <= largest ? null : `Order value too large. Max is $${plain(largest)}.`;
}

/** Executes at once or not at all, once it is live. */
export function isMarketLike(request: OrderRequest): boolean {
  if ("trigger" in request.t) return request.t.trigger.isMarket;
  return request.t.limit.tif === "Ioc" || request.t.limit.tif === "FrontendMarket";
}

function groupingFault(orders: readonly OrderRequest[], grouping: Grouping): string | null {
  if (grouping !== "normalTpsl" && grouping !== "positionTpsl") return null;
  const isNormal = grouping === "normalTpsl";
  const triggers = isNormal ? orders.slice(1) : orders;
  const parent = isNormal ? orders[0] : undefined;
  if (triggers.length === 0 || triggers.length > 2) return "Unexpected number of trigger orders";
  if (parent !== undefined && "trigger" in parent.t) return "Unexpected number of trigger orders";
  for (const order of triggers) {
    if (!("trigger" in order.t)) return "Unexpected number of trigger orders";
    if (!order.r) return "Trigger order is not reduce only.";
    if (parent !== undefined && (order.b === parent.b || order.a !== parent.a)) {
      return "Trigger order has unexpected side.";
    }
  }
  return null;
}

function builderFault(venue: Venue, account: VenueAccount, action: EngineOrderAction): string | null {
  const { builder } = action;
  if (builder === null) return null;
  for (const order of action.orders) {
    const market = venue.markets.get(order.a);
    const isSpot = market?.kind === "spot";
    if (isSpot && order.b && venue.options.builderOnSpotBuy === "reject") return "Builder fee has not been approved.";
    if (builder.f > MAX_BUILDER_TENTHS_BP[isSpot ? "spot" : "perp"]) return "Builder fee has not been approved.";
  }
  // No approval is an approval of nothing, and a fee of zero asks for no more: clients send one when it is off.
  const approved = account.builderApprovals.get(builder.b) ?? 0;
  return approved >= builder.f ? null : "Builder fee has not been approved.";
}

/** 10 dollars, or 10 of the quote token. */
export const MIN_NOTIONAL = 10n * ONE;
