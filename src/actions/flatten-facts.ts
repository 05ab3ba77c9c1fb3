import type { Account } from "../core/account.ts";
import { type Decimal, isZero } from "../core/decimal.ts";
import { findMarket } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Prices } from "../core/worst-price.ts";
import type { With } from "../deps.ts";
import type { RunningRowWorker } from "../settle/row-worker.ts";
import type { ToFlatten } from "../settle/stop/flatten-step.ts";
import { type FlattenParts, openFlattener } from "../settle/stop/flattener.ts";
import { pricesNow } from "./prices-now.ts";

type ToLookAtFacts = With<"exchange" | "marketView" | "markets" | "reads" | "settings">;

/** @param deps asked for late: it is opened before they are whole */
export function openGatewayFlattener(
  world: ToFlatten,
  settling: FlattenParts["settling"],
  deps: () => ToLookAtFacts,
): RunningRowWorker {
  return openFlattener(world, {
    settling,
    positions: (account) => positionsNow(deps(), account),
    prices: (market, side) => priceNow(deps(), market, side),
  });
}

/** What an account holds now on perpetuals, on every dex; null where one could not be read. Asked anew each time. */
async function positionsNow(
  { reads, settings }: ToLookAtFacts,
  { tradingAddress }: Account,
): Promise<ReadonlyMap<string, Decimal> | null> {
  const dexes = ["", ...settings.dexes];
  const states = await Promise.all(dexes.map((dex) => reads.clearinghouse(tradingAddress, dex, "reduce")));
  const held = new Map<string, Decimal>();
  for (const state of states) {
    if (state.kind === "failed") return null;
    for (const { coin, signedSize } of state.value.positions) if (!isZero(signedSize)) held.set(coin, signedSize);
  }
  return held;
}

/** Null where there is none, or none that is new enough. */
async function priceNow(deps: ToLookAtFacts, name: string, side: Side): Promise<Prices | null> {
  const universe = deps.markets.current();
  const market = universe === null ? null : findMarket(universe, name);
  if (market === null) return null;
  const now = await pricesNow(deps, market, { side, purpose: "reduce" });
  return now.kind === "ok" ? now.prices : null;
}
