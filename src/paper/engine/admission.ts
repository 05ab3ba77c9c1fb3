/** Why an order is refused when it arrives, in the order in which the exchange looks. */
import type { OrderIntent, PlacementIntent } from "./affordability.ts";
import { canPlacePerp, canPlaceSpot, isWithinTier, spotFree } from "./affordability.ts";
import { bestAsk, bestBid, bookOf, crossingPrice } from "./book.ts";
import { openOrderFault } from "./limits.ts";
import { reducible } from "./matching.ts";
import type { PlacementRefusal } from "./placement.ts";
import type { PerpMarket, SpotMarket, VenueAccount, VenueMarket, VenueOrder } from "./state.ts";
import { isOnTick } from "./ticks.ts";
import type { Turn } from "./turn.ts";
import { plain, times } from "./units.ts";
import { MIN_NOTIONAL } from "./validation.ts";

const POST_ONLY_WINDOW_TEXT = "Only post-only orders allowed immediately after a network upgrade";

/** The first reason against an order that is not a trigger, or null; caps a reduce-only order to the position. */
export function refusal(
  turn: Turn,
  account: VenueAccount,
  market: VenueMarket,
  order: VenueOrder,
): PlacementRefusal | null {
  const { venue } = turn;
  if (!isOnTick(market, order.limitPrice))
    return { text: "Price must be divisible by tick size.", status: "tickRejected" };
  const limit = openOrderFault(account, order);
  if (limit !== null) return { text: limit, status: "tooManyOpenOrdersRejected" };
  const crossing = crossingPrice(bookOf(venue, order.asset), order.isBuy, order.limitPrice);
  const isIoc = order.tif === "Ioc" || order.tif === "FrontendMarket";
  if (turn.nowMs < venue.postOnlyUntilMs && (isIoc || (order.tif === "Gtc" && crossing !== null))) {
    return { text: POST_ONLY_WINDOW_TEXT, status: null, isBare: true };
  }
  if (order.reduceOnly) {
    const room = reducible(turn, order);
    if (room === 0n) return { text: "Reduce only order would increase position.", status: "reduceOnlyRejected" };
    if (order.size > room) order.size = room;
  }
  if (isIoc && crossing === null) {
    return { text: "Order could not immediately match against any resting orders.", status: "iocCancelRejected" };
  }
  if (market.kind === "spot" && isBroke(turn, account, market, order)) return SPOT_BALANCE;
  const price = isIoc && crossing !== null ? crossing : order.limitPrice;
  const small = minimumFault(turn, market, order, price);
  if (small !== null) return small;
  if (order.tif === "Alo" && crossing !== null) return postOnlyFault(turn, order);
  return market.kind === "spot"
    ? spotFault(turn, account, market, order)
    : (oracleFault(turn, market, order) ?? perpFault(turn, account, market, order));
}

const SPOT_BALANCE: PlacementRefusal = { text: "Insufficient spot balance", status: "insufficientSpotBalanceRejected" };

/** The exchange looks for any balance at all before it looks at the minimum. */
function isBroke(turn: Turn, account: VenueAccount, market: SpotMarket, order: VenueOrder): boolean {
  return spotFree(turn.venue, account, order.isBuy ? market.quoteToken : market.baseToken) <= 0n;
}

/** Ten dollars, except, as it is said, for a reduce-only order that closes the whole position. */
export function minimumFault(
  turn: Turn,
  market: VenueMarket,
  order: VenueOrder,
  price: bigint,
): PlacementRefusal | null {
  if (times(order.size, price) >= MIN_NOTIONAL) return null;
  const isExempt = turn.venue.options.fullCloseBelowMinimum === "taken";
  if (isExempt && order.reduceOnly && order.size === reducible(turn, order)) return null;
  const minimum = market.kind === "perp" ? "$10." : `10 ${turn.venue.tokens.get(market.quoteToken)?.name ?? ""}.`;
  return { text: `Order must have minimum value of ${minimum}`, status: "minTradeNtlRejected" };
}

function postOnlyFault(turn: Turn, order: VenueOrder): PlacementRefusal {
  const book = bookOf(turn.venue, order.asset);
  const [bid, ask] = [bestBid(book), bestAsk(book)];
  const quote = `${bid === null ? "0" : plain(bid)}@${ask === null ? "0" : plain(ask)}`;
  return {
    text: `Post only order would have immediately matched, bbo was ${quote}.`,
    status: "badAloPxRejected",
  };
}

/** A buy far above the oracle, or a sell far below it. */
function oracleFault(turn: Turn, market: VenueMarket, order: VenueOrder): PlacementRefusal | null {
  if (market.kind !== "perp") return null;
  const percent = BigInt(turn.venue.options.oracleDistancePercent);
  const excess = order.isBuy ? order.limitPrice - market.oraclePrice : market.oraclePrice - order.limitPrice;
  if (excess * 100n <= market.oraclePrice * percent) return null;
  return { text: "Price too far from oracle", status: "oracleRejected" };
}

function spotFault(turn: Turn, account: VenueAccount, market: SpotMarket, order: VenueOrder): PlacementRefusal | null {
  const intent: OrderIntent = { isBuy: order.isBuy, price: order.limitPrice, size: order.size };
  return canPlaceSpot(turn.venue, account, market, intent) ? null : SPOT_BALANCE;
}

/** Margin, tier and open interest of a perpetual order that is not reduce-only. */
export function perpFault(
  turn: Turn,
  account: VenueAccount,
  market: PerpMarket,
  order: VenueOrder,
): PlacementRefusal | null {
  if (order.reduceOnly) return null;
  const { venue } = turn;
  const isIoc = order.tif !== "Gtc" && order.tif !== "Alo";
  const price = isIoc && venue.options.marginCheckPrice === "mark" ? market.markPrice : order.limitPrice;
  const intent: PlacementIntent = { isBuy: order.isBuy, price, size: order.size, isImmediate: isIoc };
  if (!isWithinTier(venue, account, market, intent)) {
    return {
      text: "Order would exceed maximum position size for current leverage.",
      status: "perpMaxPositionRejected",
    };
  }
  if (isAtCap(market) && reducible(turn, order) < order.size) {
    return {
      text: "Cannot increase position when open interest is at cap.",
      status: "positionIncreaseAtOpenInterestCapRejected",
    };
  }
  if (canPlacePerp(venue, account, market, intent)) return null;
  return { text: "Insufficient margin to place order.", status: "perpMarginRejected" };
}

function isAtCap(market: PerpMarket): boolean {
  return market.openInterestCap !== null && times(market.openInterest, market.markPrice) >= market.openInterestCap;
}
