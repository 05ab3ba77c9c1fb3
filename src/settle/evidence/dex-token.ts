/** In which token a dex of perpetuals pays: one for all its markets, which the market list does not name. */
import { dexOf } from "../../core/market.ts";
import type { Store } from "../../store/open.ts";
import { listNewestFillsByMarket } from "../../store/position-fills.ts";

/** Collateral of the native dex. */
export const CASH = "USDC";

/** Of another dex its fills say; null where the account has none there among its newest. */
export function tokenOfDex(store: Store, accountId: string, dex: string): string | null {
  if (dex === "") return CASH;
  const filled = [...listNewestFillsByMarket(store, accountId)].find(([market]) => dexOf(market) === dex);
  return filled?.[1][0]?.feeToken ?? null;
}
