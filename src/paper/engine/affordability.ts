/** Whether an account can carry an order at placement, and a fill at the moment of the match. */
import { isUnified, spotTotal } from "./accounts.ts";
import { perpRateE12 } from "./fees.ts";
import { leverageSetting } from "./leverage-setting.ts";
import { availableToTrade, marginUsed, poolOf, positionValue, tierLeverage } from "./margin.ts";
import { addExposure, exposureIn, positionSize, reserved } from "./order-margin.ts";
import { spotHold } from "./spot-holds.ts";
import type { PerpMarket, SpotMarket, Venue, VenueAccount, VenueMarket, VenueOrder } from "./state.ts";
import { atRate, least, magnitude, most, share, times } from "./units.ts";

export type OrderIntent = { isBuy: boolean; price: bigint; size: bigint };

/** Free balance of a token: total less what resting spot orders lock. */
export function spotFree(venue: Venue, account: VenueAccount, token: number): bigint {
  return spotTotal(account, token) - spotHold(venue, account, token);
}

/** What an order draws on in spot: quote for a buy, base for a sell. */
export function canPlaceSpot(venue: Venue, account: VenueAccount, market: SpotMarket, intent: OrderIntent): boolean {
  if (!intent.isBuy) return spotFree(venue, account, market.baseToken) >= intent.size;
  const needed = times(intent.size, intent.price);
  if (isUnified(account) && venue.dexes.some((dex) => dex.collateralToken === market.quoteToken)) {
    return availableToTrade(venue, account, 0) >= needed;
  }
  return spotFree(venue, account, market.quoteToken) >= needed;
}

/** `isImmediate`: what it closes frees its margin for what it opens on the other side. */
export type PlacementIntent = OrderIntent & { isImmediate: boolean };

/** Margin for the part that increases exposure must be free beside what resting orders reserve. */
export function canPlacePerp(
  venue: Venue,
  account: VenueAccount,
  market: PerpMarket,
  intent: PlacementIntent,
): boolean {
  const { leverage } = leverageSetting(account, market);
  const beside = { positionSize: positionSize(account, market.asset), leverage };
  const exposure = exposureIn(account, market.asset);
  const before = reserved(venue, exposure, beside);
  addExposure(exposure, intent.isBuy, intent.size, intent.price);
  const needed = reserved(venue, exposure, beside) - before;
  if (needed <= 0n) return true;
  const freed = intent.isImmediate ? freedByClosing(account, market, intent) : 0n;
  return needed <= availableToTrade(venue, account, market.dex) + freed;
}

function freedByClosing(account: VenueAccount, market: PerpMarket, intent: OrderIntent): bigint {
  const position = account.positions.get(market.asset);
  if (position === undefined || position.size > 0n === intent.isBuy) return 0n;
  const held = magnitude(position.size);
  return most(0n, share(marginUsed(market, position), least(held, intent.size), held));
}

/** False when the position would outgrow the margin tier of the leverage in use. */
export function isWithinTier(venue: Venue, account: VenueAccount, market: PerpMarket, intent: OrderIntent): boolean {
  const size = positionSize(account, market.asset) + (intent.isBuy ? intent.size : -intent.size);
  const allowed = tierLeverage(venue, market, times(magnitude(size), intent.price));
  return allowed >= market.maxLeverage || leverageSetting(account, market).leverage <= allowed;
}

/** Checked for both sides at every match: a fill may not leave less than the initial margin behind. */
export function canFill(venue: Venue, order: VenueOrder, market: VenueMarket, intent: OrderIntent): boolean {
  const account = venue.accounts.get(order.user);
  if (account === undefined) return false;
  if (market.kind === "spot") return canPaySpot(account, market, intent);
  const before = positionSize(account, market.asset);
  const after = before + (intent.isBuy ? intent.size : -intent.size);
  if (magnitude(after) <= magnitude(before)) return true;
  const pool = poolOf(venue, account, market.dex);
  const position = account.positions.get(market.asset);
  const setting = before === 0n || position === undefined ? leverageSetting(account, market) : position;
  const fee = atRate(times(intent.size, intent.price), perpRateE12(venue, market, false));
  const leverage = BigInt(setting.leverage);
  if (!setting.isCross) {
    const collateral = times(openedPart(before, after), intent.price) / leverage;
    return pool.accountValue - pool.crossMarginUsed - pool.held >= collateral + fee;
  }
  const signed = intent.isBuy ? intent.size : -intent.size;
  const equity = pool.accountValue + times(signed, market.markPrice - intent.price) - fee;
  const margin = position === undefined ? 0n : positionValue(market, position) / leverage;
  const marginAfter = times(magnitude(after), market.markPrice) / leverage;
  return equity - pool.held >= pool.crossMarginUsed - margin + marginAfter;
}

/** Size that is opened, a flip's closing part left out. */
function openedPart(before: bigint, after: bigint): bigint {
  const isFlip = before !== 0n && before > 0n !== after > 0n;
  return isFlip ? magnitude(after) : magnitude(after) - magnitude(before);
}

/** The hold of a resting order guarantees this, except where unified collateral was lost meanwhile. */
function canPaySpot(account: VenueAccount, market: SpotMarket, intent: OrderIntent): boolean {
  if (!intent.isBuy) return spotTotal(account, market.baseToken) >= intent.size;
  return spotTotal(account, market.quoteToken) >= times(intent.size, intent.price);
}
