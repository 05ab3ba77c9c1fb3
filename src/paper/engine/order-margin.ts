/** Margin reserved by resting orders. Orders that only reduce, and triggers, reserve nothing. */
import { collateralOf, dexOf, isUnified } from "./accounts.ts";
import { leverageSetting } from "./leverage-setting.ts";
import type { Account, Order, PerpMarket, Venue } from "./state.ts";
import { marketOf, perpOf } from "./turn.ts";
import { magnitude, most, share, times } from "./units.ts";

type Side = { size: bigint; notional: bigint };
export type Exposure = { asset: number; buys: Side; sells: Side };

export function noExposure(asset: number): Exposure {
  return { asset, buys: { size: 0n, notional: 0n }, sells: { size: 0n, notional: 0n } };
}

export function addExposure(exposure: Exposure, isBuy: boolean, size: bigint, price: bigint): void {
  const side = isBuy ? exposure.buys : exposure.sells;
  side.size += size;
  side.notional += times(size, price);
}

function reserves(order: Order): boolean {
  return order.phase === "resting" && !order.reduceOnly;
}

/** Resting exposure of the account in one market. */
export function exposureIn(venue: Venue, account: Account, asset: number): Exposure {
  const exposure = noExposure(asset);
  for (const oid of account.openOids) {
    const order = venue.orders.get(oid);
    if (order === undefined || order.asset !== asset || !reserves(order)) continue;
    addExposure(exposure, order.isBuy, order.size, order.limitPrice);
  }
  return exposure;
}

export type Beside = { positionSize: bigint; leverage: number };

/** What one market's resting exposure reserves beside a position of `positionSize` at this leverage. */
export function reserved(venue: Venue, exposure: Exposure, { positionSize, leverage }: Beside): bigint {
  const buys = increasing(exposure.buys, positionSize < 0n ? magnitude(positionSize) : 0n);
  const sells = increasing(exposure.sells, positionSize > 0n ? positionSize : 0n);
  const notional = venue.options.openOrderMargin === "sum" ? buys + sells : most(buys, sells);
  return notional / BigInt(leverage);
}

/** Notional of the part of a side that is left after it has closed `reducible`. */
function increasing(side: Side, reducible: bigint): bigint {
  if (side.size === 0n) return 0n;
  return share(side.notional, most(0n, side.size - reducible), side.size);
}

/** Reserved by all resting orders that draw on the collateral of `dex`. */
export function openOrderMargin(venue: Venue, account: Account, dex: number): bigint {
  const byAsset = new Map<number, Exposure>();
  const token = collateralOf(venue, dex);
  for (const oid of account.openOids) {
    const order = venue.orders.get(oid);
    if (order === undefined || !reserves(order)) continue;
    const market = marketOf(venue, order.asset);
    if (market.kind !== "perp" || !sharesPool(venue, account, market, { dex, token })) continue;
    const exposure = byAsset.get(order.asset) ?? noExposure(order.asset);
    addExposure(exposure, order.isBuy, order.size, order.limitPrice);
    byAsset.set(order.asset, exposure);
  }
  let sum = 0n;
  for (const [asset, exposure] of byAsset) {
    const { leverage } = leverageSetting(account, perpOf(venue, asset));
    sum += reserved(venue, exposure, { positionSize: positionSize(account, asset), leverage });
  }
  return sum;
}

function sharesPool(venue: Venue, account: Account, market: PerpMarket, pool: { dex: number; token: number }): boolean {
  return isUnified(account) ? dexOf(venue, market.dex).collateralToken === pool.token : market.dex === pool.dex;
}

export function positionSize(account: Account, asset: number): bigint {
  return account.positions.get(asset)?.size ?? 0n;
}
