/** One slice of a TWAP. */
import { perpFault } from "./admission.ts";
import { canPlaceSpot } from "./affordability.ts";
import { nextRandom } from "./chance.ts";
import { recordStatus } from "./history.ts";
import { matchOrder, reducible } from "./matching.ts";
import { plainOrder } from "./plain-order.ts";
import type { VenueMarket, VenueOrder, VenueTwap } from "./state.ts";
import { lotOf, toTick } from "./ticks.ts";
import type { Turn } from "./turn.ts";
import { accountOf, marketOf } from "./turn.ts";
import { least, most } from "./units.ts";

const MAX_SLIPPAGE_PERCENT = 3n;
/** A lagging TWAP may send slices up to this many times the normal size. */
const CATCH_UP_FACTOR = 3n;
const RANDOM_PERCENT = 20;

/** Null, or the description with which the TWAP ends. An unfilled slice is no failure: the next one catches up. */
export function runSlice(turn: Turn, twap: VenueTwap): string | null {
  if (turn.nowMs < turn.venue.postOnlyUntilMs) return null;
  const market = marketOf(turn.venue, twap.asset);
  let size = sliceSize(turn, twap, market);
  if (twap.reduceOnly) {
    const room = reducible(turn, twap);
    if (room === 0n) return "Reduce-only TWAP order would increase position.";
    size = least(size, room);
  }
  if (size === 0n) return null;
  const order = sliceOrder(turn, twap, market, size);
  const failure = balanceFailure(turn, market, order);
  if (failure !== null) return failure;
  const matched = matchOrder(turn, order, { liquidation: null, twapId: twap.twapId });
  twap.executedSize += matched.size;
  twap.executedNotional += matched.notional;
  recordStatus(turn, order, matched.size > 0n ? "filled" : "iocCancelRejected");
  return matched.stopped && matched.size === 0n ? "Insufficient margin to place order." : null;
}

/** What is missing to the even pace, within the cap; the last slice sends what is left within the same cap. */
function sliceSize(turn: Turn, twap: VenueTwap, market: VenueMarket): bigint {
  const lot = lotOf(market);
  const isLast = twap.slicesDone + 1 >= twap.sliceCount;
  const count = BigInt(twap.sliceCount);
  const target = isLast ? twap.size : toLot((twap.size * BigInt(twap.slicesDone + 1)) / count, lot);
  let wanted = target - twap.executedSize;
  if (twap.randomize && !isLast) {
    const percent = BigInt(100 - RANDOM_PERCENT + nextRandom(turn.venue, 2 * RANDOM_PERCENT + 1));
    wanted = toLot((wanted * percent) / 100n, lot);
  }
  const cap = most(lot, toLot((twap.size / count) * CATCH_UP_FACTOR, lot));
  return most(0n, least(least(wanted, cap), twap.size - twap.executedSize));
}

function toLot(size: bigint, lot: bigint): bigint {
  return (size / lot) * lot;
}

function sliceOrder(turn: Turn, twap: VenueTwap, market: VenueMarket, size: bigint): VenueOrder {
  const percent = twap.isBuy ? 100n + MAX_SLIPPAGE_PERCENT : 100n - MAX_SLIPPAGE_PERCENT;
  return plainOrder(turn, market, {
    user: twap.user,
    isBuy: twap.isBuy,
    limitPrice: toTick(market, (market.markPrice * percent) / 100n, twap.isBuy),
    size,
    reduceOnly: twap.reduceOnly,
    orderType: "Twap Slice",
    tif: "Ioc",
  });
}

function balanceFailure(turn: Turn, market: VenueMarket, order: VenueOrder): string | null {
  const account = accountOf(turn.venue, order.user);
  if (market.kind === "perp") return perpFault(turn, account, market, order)?.text ?? null;
  const intent = { isBuy: order.isBuy, price: order.limitPrice, size: order.size };
  return canPlaceSpot(turn.venue, account, market, intent) ? null : "Insufficient spot balance";
}
