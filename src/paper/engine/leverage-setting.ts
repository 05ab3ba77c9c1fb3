/** The leverage and margin mode of a user in one market, position or not. */
import type { Account, LeverageSetting, PerpMarket } from "./state.ts";

/** Leverage of a user who never set one, where the market allows as much. */
const DEFAULT_LEVERAGE = 20;

export function isCrossAllowed(market: PerpMarket): boolean {
  return !market.onlyIsolated && market.marginMode === null;
}

export function leverageSetting(account: Account, market: PerpMarket): LeverageSetting {
  const own = account.leverages.get(market.asset);
  if (own !== undefined) return own;
  return { isCross: isCrossAllowed(market), leverage: Math.min(DEFAULT_LEVERAGE, market.maxLeverage) };
}
