import { findMarket, isSpot } from "../core/market.ts";
import type { With } from "../deps.ts";
import { listAccounts } from "../store/accounts.ts";
import { listApiKeys } from "../store/api-keys.ts";

/** Between two questions, milliseconds: a market for which nobody asks is let go a minute later. */
export const SPOT_INTERVAL_MS = 20_000;

/** Keeps the spot markets followed that bots are granted: their price of ten minutes has to be there when it is asked for. */
export async function followGrantedSpot(
  deps: With<"clock" | "marketView" | "markets" | "store">,
  isStopped: () => boolean,
): Promise<void> {
  const universe = deps.markets.current();
  if (universe === null || isStopped()) return;
  const nowMs = deps.clock.nowMs();
  const keys = listAccounts(deps.store).flatMap(({ id }) => listApiKeys(deps.store, id));
  const standing = keys.filter(({ state }) => state === "active");
  const names = standing.flatMap(({ limited }) =>
    limited === null || limited.expiresAtMs <= nowMs ? [] : (limited.rails.markets ?? []).filter(isSpot),
  );
  const markets = [...new Set(names)].flatMap((name) => findMarket(universe, name) ?? []);
  for (const market of markets) await deps.marketView.mark(market, "order");
}
