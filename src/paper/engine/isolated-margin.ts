/** Moving collateral into and out of an isolated position. */

import { addCash } from "./accounts.ts";
import type { VenueReply } from "./action.ts";
import { availableToTrade, marginUsed, positionValue, withdrawable } from "./margin.ts";
import type { PerpMarket, VenueAccount, VenuePosition } from "./state.ts";
import type { Turn } from "./turn.ts";
import { least, MICRO, most, over } from "./units.ts";

/** Whole share of the notional that must stay after a removal. */
const MIN_SHARE_LEFT = 10n;
const DONE: VenueReply = { status: "ok", response: { type: "default" } };

function refused(response: string): VenueReply {
  return { status: "err", response };
}

/** `ntli`: signed micro-dollars, positive adds. */
export function updateIsolatedMargin(turn: Turn, account: VenueAccount, asset: number, ntli: bigint): VenueReply {
  const market = turn.venue.markets.get(asset);
  const position = account.positions.get(asset);
  if (ntli === 0n) return refused("Update to isolated margin cannot be zero.");
  if (market === undefined || market.kind !== "perp" || position === undefined) {
    return refused("Cannot update margin for empty position.");
  }
  if (position.isCross) return refused("Position does not use isolated margin.");
  const amount = ntli * MICRO;
  const fault = amount > 0n ? additionFault(turn, account, market, amount) : removalFault(market, position, -amount);
  if (fault !== null) return refused(fault);
  position.isolatedMargin += amount;
  addCash(turn.venue, account, market.dex, -amount);
  return DONE;
}

function additionFault(turn: Turn, account: VenueAccount, market: PerpMarket, amount: bigint): string | null {
  const free = least(withdrawable(turn.venue, account, market.dex), availableToTrade(turn.venue, account, market.dex));
  return amount <= free ? null : "Account does not have sufficient margin available for increase.";
}

/** What remains, with unrealised pnl, must cover the initial margin at the set leverage and a tenth of the notional. */
function removalFault(market: PerpMarket, position: VenuePosition, amount: bigint): string | null {
  if (market.marginMode === "strictIsolated") {
    return "Cannot remove isolated margin for this asset. To remove margin, reduce the position.";
  }
  const value = positionValue(market, position);
  const stays = most(value / BigInt(position.leverage), value / MIN_SHARE_LEFT);
  if (amount <= position.isolatedMargin && marginUsed(market, position) - amount >= stays) return null;
  return "Position does not have sufficient margin for reduction.";
}

/** Adds what brings a strict-isolated position down to a leverage, given in 10^-8. */
export function topUpIsolatedMargin(turn: Turn, account: VenueAccount, asset: number, leverage: bigint): VenueReply {
  const market = turn.venue.markets.get(asset);
  if (market === undefined || market.kind !== "perp" || market.marginMode !== "strictIsolated") {
    return refused("Asset not strict isolated");
  }
  const position = account.positions.get(asset);
  if (position === undefined) return refused("Cannot update margin for empty position.");
  if (leverage <= 0n) return refused("Invalid leverage value");
  const wanted = over(positionValue(market, position), leverage) - marginUsed(market, position);
  const amount = (wanted / MICRO) * MICRO;
  if (amount <= 0n) return DONE;
  const fault = additionFault(turn, account, market, amount);
  if (fault !== null) return refused(fault);
  position.isolatedMargin += amount;
  addCash(turn.venue, account, market.dex, -amount);
  return DONE;
}
