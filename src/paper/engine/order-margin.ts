/** Margin reserved by resting orders. Orders that only reduce, and triggers, reserve nothing. */
import { collateralOf, dexOf, isUnified } from "./accounts.ts";
import { leverageSetting } from "./leverage-setting.ts";
import type { ExposureSide, PerpMarket, Venue, VenueAccount, VenueExposure, VenueOrder } from "./state.ts";
import { marketOf, perpOf } from "./turn.ts";
import { magnitude, most, ONE, share } from "./units.ts";

/** The account's resting exposure in one market, as a copy. */
export function exposureIn(account: VenueAccount, asset: number): VenueExposure {
  const { buys, sells } = account.resting.get(asset) ?? { buys: NONE, sells: NONE };
  return { buys: { ...buys }, sells: { ...sells } };
}

const NONE: ExposureSide = { size: 0n, value: 0n };

export function addExposure(exposure: VenueExposure, isBuy: boolean, size: bigint, price: bigint): void {
  const side = isBuy ? exposure.buys : exposure.sells;
  side.size += size;
  side.value += size * price;
}

/** Keeps the sums: called with what a resting order gains, or loses (negative), in size. */
export function noteResting(account: VenueAccount, order: VenueOrder, size: bigint): void {
  if (order.reduceOnly || size === 0n) return;
  const exposure = exposureIn(account, order.asset);
  addExposure(exposure, order.isBuy, size, order.limitPrice);
  if (exposure.buys.size === 0n && exposure.sells.size === 0n) account.resting.delete(order.asset);
  else account.resting.set(order.asset, exposure);
}

export type Beside = { positionSize: bigint; leverage: number };

/** What one market's resting exposure reserves beside a position of `positionSize` at this leverage. */
export function reserved(venue: Venue, exposure: VenueExposure, { positionSize, leverage }: Beside): bigint {
  const buys = increasing(exposure.buys, positionSize < 0n ? magnitude(positionSize) : 0n);
  const sells = increasing(exposure.sells, positionSize > 0n ? positionSize : 0n);
  const notional = venue.options.openOrderMargin === "sum" ? buys + sells : most(buys, sells);
  return notional / BigInt(leverage);
}

/** Notional of the part of a side that is left after it has closed `reducible`. */
function increasing(side: ExposureSide, reducible: bigint): bigint {
  if (side.size === 0n) return 0n;
  return share(side.value, most(0n, side.size - reducible), side.size) / ONE;
}

/** Reserved by all resting orders that draw on the collateral of `dex`. */
export function openOrderMargin(venue: Venue, account: VenueAccount, dex: number): bigint {
  const token = collateralOf(venue, dex);
  let sum = 0n;
  for (const [asset, exposure] of account.resting) {
    const market = marketOf(venue, asset);
    if (market.kind !== "perp" || !sharesPool(venue, account, market, { dex, token })) continue;
    const { leverage } = leverageSetting(account, perpOf(venue, asset));
    sum += reserved(venue, exposure, { positionSize: positionSize(account, asset), leverage });
  }
  return sum;
}

function sharesPool(
  venue: Venue,
  account: VenueAccount,
  market: PerpMarket,
  pool: { dex: number; token: number },
): boolean {
  return isUnified(account) ? dexOf(venue, market.dex).collateralToken === pool.token : market.dex === pool.dex;
}

export function positionSize(account: VenueAccount, asset: number): bigint {
  return account.positions.get(asset)?.size ?? 0n;
}
