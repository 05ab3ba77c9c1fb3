/** Price-time matching of one incoming order. */
import { canFill } from "./affordability.ts";
import { bookOf, crossingPrice, sideOf } from "./book.ts";
import { endOrder } from "./ending.ts";
import { executeMatch } from "./fills.ts";
import { positionSize } from "./order-margin.ts";
import type { FillLiquidation, VenueMarket, VenueOrder } from "./state.ts";
import type { Turn } from "./turn.ts";
import { accountOf, marketOf } from "./turn.ts";
import { least, magnitude, times } from "./units.ts";

export type MatchTerms = { liquidation: FillLiquidation | null; twapId: number | null };

export const PLAIN_TERMS: MatchTerms = { liquidation: null, twapId: null };

/** `stopped`: the taker could not carry a further fill. */
export type Matched = { size: bigint; notional: bigint; stopped: boolean };

/**
 * Fills `taker` against the other side until it is done, nothing crosses, or its margin is used up. The caller
 * rests, drops or records the remainder. Ends because every step fills the taker or removes a resting order.
 */
export function matchOrder(turn: Turn, taker: VenueOrder, terms: MatchTerms): Matched {
  const market = marketOf(turn.venue, taker.asset);
  const book = bookOf(turn.venue, taker.asset);
  const matched: Matched = { size: 0n, notional: 0n, stopped: false };
  while (taker.size > 0n && crossingPrice(book, taker.isBuy, taker.limitPrice) !== null) {
    const level = sideOf(book, !taker.isBuy)[0];
    const maker = turn.venue.orders.get(level?.oids[0] ?? -1);
    if (maker === undefined) throw new Error("bug: the book names an order that is not live");
    const size = matchable(turn, maker, taker, market);
    if (size === 0n) continue;
    const price = maker.limitPrice;
    const taken = { isBuy: taker.isBuy, price, size };
    if (terms.liquidation === null && !canFill(turn.venue, taker, market, taken)) {
      matched.stopped = true;
      break;
    }
    executeMatch(turn, { maker, taker, price, size, ...terms });
    matched.size += size;
    matched.notional += times(price, size);
    if (maker.size === 0n) endOrder(turn, maker, "filled");
  }
  return matched;
}

/** Size that these two may trade; 0 when the resting order had to go instead. */
function matchable(turn: Turn, maker: VenueOrder, taker: VenueOrder, market: VenueMarket): bigint {
  if (maker.user === taker.user) {
    endOrder(turn, maker, "selfTradeCanceled");
    return 0n;
  }
  if (maker.reduceOnly) {
    maker.size = least(maker.size, reducible(turn, maker));
    if (maker.size === 0n) {
      endOrder(turn, maker, "reduceOnlyCanceled");
      return 0n;
    }
  }
  const size = least(maker.size, taker.size);
  const intent = { isBuy: maker.isBuy, price: maker.limitPrice, size };
  if (canFill(turn.venue, maker, market, intent)) return size;
  endOrder(turn, maker, "marginCanceled");
  return 0n;
}

/** What an order of this side could take off the user's position. */
export function reducible(turn: Turn, order: Pick<VenueOrder, "user" | "asset" | "isBuy">): bigint {
  const size = positionSize(accountOf(turn.venue, order.user), order.asset);
  return size !== 0n && size > 0n !== order.isBuy ? magnitude(size) : 0n;
}
