/** `updateLeverage`: the setting of (user, market), with or without a position. */
import type { VenueReply } from "./action.ts";
import { isCrossAllowed, leverageSetting } from "./leverage-setting.ts";
import { maintenanceMargin, marginUsed, poolOf, positionValue, tierLeverage } from "./margin.ts";
import type { PerpMarket, Venue, VenueAccount, VenuePosition } from "./state.ts";
import type { Turn } from "./turn.ts";
import { most } from "./units.ts";

export type LeverageRequest = { asset: number; isCross: boolean; leverage: number };

const ISOLATED_TEXT =
  "Isolated position does not have sufficient margin available to decrease leverage. " +
  "To decrease leverage, add margin to the position.";
const CROSS_TEXT =
  "Cross position does not have sufficient margin available to decrease leverage. " +
  "To decrease leverage, deposit more collateral.";

export function updateLeverage(turn: Turn, account: VenueAccount, request: LeverageRequest): VenueReply {
  const market = turn.venue.markets.get(request.asset);
  if (market === undefined || market.kind !== "perp") return { status: "err", response: "Invalid leverage value" };
  const fault = leverageFault(turn.venue, account, market, request);
  if (fault !== null) return { status: "err", response: fault };
  account.leverages.set(market.asset, { isCross: request.isCross, leverage: request.leverage });
  const position = account.positions.get(market.asset);
  // Margin of an isolated position does not move with the setting.
  if (position !== undefined) position.leverage = request.leverage;
  return { status: "ok", response: { type: "default" } };
}

function leverageFault(
  venue: Venue,
  account: VenueAccount,
  market: PerpMarket,
  request: LeverageRequest,
): string | null {
  const { leverage, isCross } = request;
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > market.maxLeverage) return "Invalid leverage value";
  if (isCross && !isCrossAllowed(market)) return "Cross margin is not allowed for this asset.";
  const position = account.positions.get(market.asset);
  if (position === undefined) return null;
  if (position.isCross !== isCross) return "Cannot switch leverage type with open position.";
  const value = positionValue(market, position);
  if (leverage > leverageSetting(account, market).leverage && leverage > tierLeverage(venue, market, value)) {
    return "Invalid leverage value";
  }
  return leverage >= position.leverage ? null : loweringFault(venue, account, market, { position, leverage });
}

type Lowering = { position: VenuePosition; leverage: number };

function loweringFault(
  venue: Venue,
  account: VenueAccount,
  market: PerpMarket,
  { position, leverage }: Lowering,
): string | null {
  const needed = positionValue(market, position) / BigInt(leverage);
  if (!position.isCross) {
    const enough = most(needed, maintenanceMargin(venue, market, positionValue(market, position)));
    return marginUsed(market, position) >= enough ? null : ISOLATED_TEXT;
  }
  const pool = poolOf(venue, account, market.dex);
  const others = pool.crossMarginUsed - marginUsed(market, position);
  return pool.accountValue - pool.held >= others + needed ? null : CROSS_TEXT;
}
