/** Margin of perpetuals: what a position needs, what an account has left, where it is liquidated. */
import { cashOf, collateralOf, dexOf, isUnified } from "./accounts.ts";
import { openOrderMargin } from "./order-margin.ts";
import { spotHold } from "./spot-holds.ts";
import type { MarginTier, PerpMarket, Venue, VenueAccount, VenuePosition } from "./state.ts";
import { perpOf } from "./turn.ts";
import { cut, magnitude, most, over, times } from "./units.ts";

const LIQUIDATION_PRICE_DECIMALS = 10;

export function tiersOf(venue: Venue, market: PerpMarket): MarginTier[] {
  return venue.marginTables.get(market.marginTableId)?.tiers ?? [{ lowerBound: 0n, maxLeverage: market.marginTableId }];
}

/** Highest leverage that the tier of this notional allows. */
export function tierLeverage(venue: Venue, market: PerpMarket, notional: bigint): number {
  let leverage = market.maxLeverage;
  for (const tier of tiersOf(venue, market)) if (notional >= tier.lowerBound) leverage = tier.maxLeverage;
  return leverage;
}

/** Half of the initial margin at the tier's highest leverage, less the deduction that joins the tiers. */
export function maintenanceMargin(venue: Venue, market: PerpMarket, notional: bigint): bigint {
  let deduction = 0n;
  let before: MarginTier | null = null;
  let required = 0n;
  for (const tier of tiersOf(venue, market)) {
    if (before !== null) deduction += halfAt(tier.lowerBound, tier) - halfAt(tier.lowerBound, before);
    if (notional >= tier.lowerBound) required = halfAt(notional, tier) - deduction;
    before = tier;
  }
  return required;
}

function halfAt(notional: bigint, tier: MarginTier): bigint {
  return notional / BigInt(2 * tier.maxLeverage);
}

export function positionValue(market: PerpMarket, position: VenuePosition): bigint {
  return times(magnitude(position.size), market.markPrice);
}

export function unrealizedPnl(market: PerpMarket, position: VenuePosition): bigint {
  return times(position.size, market.markPrice) - position.signedEntry;
}

/** Initial margin of a cross position; equity of an isolated one. */
export function marginUsed(market: PerpMarket, position: VenuePosition): bigint {
  if (position.isCross) return positionValue(market, position) / BigInt(position.leverage);
  return position.isolatedMargin + unrealizedPnl(market, position);
}

/** Positions that share the collateral of `dex`: of all such dexes in the unified modes. */
export function pooledPositions(venue: Venue, account: VenueAccount, dex: number): [PerpMarket, VenuePosition][] {
  const isShared = isUnified(account);
  const token = collateralOf(venue, dex);
  const found: [PerpMarket, VenuePosition][] = [];
  for (const position of account.positions.values()) {
    const market = perpOf(venue, position.asset);
    const belongs = isShared ? dexOf(venue, market.dex).collateralToken === token : market.dex === dex;
    if (belongs) found.push([market, position]);
  }
  return found;
}

export type Pool = {
  /** Cross: cash plus unrealised pnl of the cross positions. */
  accountValue: bigint;
  crossNotional: bigint;
  crossMarginUsed: bigint;
  crossMaintenance: bigint;
  isolatedMarginUsed: bigint;
  isolatedNotional: bigint;
  /** Held by resting spot orders out of the same balance; unified modes only. */
  held: bigint;
};

export function poolOf(venue: Venue, account: VenueAccount, dex: number): Pool {
  const pool: Pool = {
    accountValue: cashOf(venue, account, dex),
    crossNotional: 0n,
    crossMarginUsed: 0n,
    crossMaintenance: 0n,
    isolatedMarginUsed: 0n,
    isolatedNotional: 0n,
    held: isUnified(account) ? spotHold(venue, account, collateralOf(venue, dex)) : 0n,
  };
  for (const [market, position] of pooledPositions(venue, account, dex)) {
    const value = positionValue(market, position);
    if (!position.isCross) {
      pool.isolatedMarginUsed += marginUsed(market, position);
      pool.isolatedNotional += value;
      continue;
    }
    pool.accountValue += unrealizedPnl(market, position);
    pool.crossNotional += value;
    pool.crossMarginUsed += marginUsed(market, position);
    pool.crossMaintenance += maintenanceMargin(venue, market, value);
  }
  return pool;
}

/** What a new order may reserve. */
export function availableToTrade(venue: Venue, account: VenueAccount, dex: number): bigint {
  const pool = poolOf(venue, account, dex);
  return most(0n, pool.accountValue - pool.crossMarginUsed - openOrderMargin(venue, account, dex) - pool.held);
}

/** What may leave: initial margin, or a tenth of the cross notional where that is more, stays. */
export function withdrawable(venue: Venue, account: VenueAccount, dex: number): bigint {
  const pool = poolOf(venue, account, dex);
  const stays = most(pool.crossMarginUsed + openOrderMargin(venue, account, dex), pool.crossNotional / 10n);
  return most(0n, pool.accountValue - stays - pool.held);
}

/**
 * Price at which the position is liquidated, as a count of 10^-10, or null when no price is.
 * mark - side * margin_available / size / (1 - l * side), with l of the tier at that price's own notional.
 */
export function liquidationPriceE10(venue: Venue, account: VenueAccount, position: VenuePosition): bigint | null {
  const market = perpOf(venue, position.asset);
  const value = positionValue(market, position);
  const equity = position.isCross ? poolOf(venue, account, market.dex).accountValue : marginUsed(market, position);
  let others = 0n;
  if (position.isCross) {
    others = poolOf(venue, account, market.dex).crossMaintenance - maintenanceMargin(venue, market, value);
  }
  let found: bigint | null = null;
  let deduction = 0n;
  let before: MarginTier | null = null;
  for (const tier of tiersOf(venue, market)) {
    if (before !== null) deduction += halfAt(tier.lowerBound, tier) - halfAt(tier.lowerBound, before);
    before = tier;
    const price = liquidationInTier({ market, position, tier, spare: equity - others + deduction });
    if (price !== null && times(magnitude(position.size), price / 100n) >= tier.lowerBound) found = price;
  }
  return found;
}

type TierQuestion = { market: PerpMarket; position: VenuePosition; tier: MarginTier; spare: bigint };

/** Solves equity(price) = maintenance(price) inside one tier; `spare` is the equity at mark less what others need. */
function liquidationInTier({ market, position, tier, spare }: TierQuestion): bigint | null {
  const twice = BigInt(2 * tier.maxLeverage);
  const size = magnitude(position.size);
  const side = position.size > 0n ? 1n : -1n;
  // equity + side*size*(p - mark) = size*p / twice, solved for p at 10^-10.
  const scale = 10n ** BigInt(LIQUIDATION_PRICE_DECIMALS);
  const numerator = (side * size * market.markPrice - spare * 100_000_000n) * twice * scale;
  const denominator = size * (side * twice - 1n) * 100_000_000n;
  if (denominator === 0n) return null;
  // Printed by the exchange to ten decimals, rounded to the nearest.
  const price = (2n * numerator + denominator) / (2n * denominator);
  return price <= 0n ? null : price;
}

/** Size-weighted average price of the position, cut to the decimals of the market's prices. */
export function entryPrice(market: PerpMarket, position: VenuePosition): bigint {
  return cut(magnitude(over(position.signedEntry, position.size)), Math.max(0, 6 - market.szDecimals));
}
