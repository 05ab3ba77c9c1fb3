/** The leverage and margin mode of a user in one market, position or not. */
import type { PerpMarket, VenueAccount, VenueLeverage } from "./state.ts";

/** Leverage of a user who never set one, where the market allows as much. */
const DEFAULT_LEVERAGE = 20;

export function isCrossAllowed(market: PerpMarket): boolean {
  return !market.onlyIsolated && market.marginMode === null;
}

export function leverageSetting(account: VenueAccount, market: PerpMarket): VenueLeverage {
  const own = account.leverages.get(market.asset);
  if (own !== undefined) return own;
  return { isCross: isCrossAllowed(market), leverage: Math.min(DEFAULT_LEVERAGE, market.maxLeverage) };
}
