import { ApiError } from "../core/errors.ts";
import { MAX_SIGNIFICANT_FIGURES, type Market, priceDecimals } from "../core/market.ts";
import { listText } from "../core/resource.ts";
import type { With } from "../deps.ts";
import type { ReadAnswer } from "./answer.ts";

/** Every market that orders are taken for, by name. */
export async function listMarkets(deps: With<"exchange" | "markets">): Promise<ReadAnswer> {
  const universe = deps.markets.current() ?? (await deps.markets.refresh());
  if (universe === null) throw new ApiError("not_ready", "The markets have not been read from the exchange yet.");
  const tradable = [...universe.byName.values()].filter((market) => !market.isDelisted);
  // By the exchange's clock, as ages are told: ours may have been set since.
  const asOfMs = deps.exchange.nowMs() - Math.ceil(deps.markets.ageMs() ?? 0);
  return { body: listText(tradable.map(marketResource), null), asOfMs };
}

export function marketResource(market: Market) {
  return {
    object: "market" as const,
    market: market.name,
    kind: market.kind,
    dex: market.dex,
    pair: market.pairName,
    size_decimals: market.sizeDecimals,
    price_decimals: priceDecimals(market),
    price_significant_figures: MAX_SIGNIFICANT_FIGURES,
    max_leverage: market.maxLeverage,
    margin_mode: market.marginMode,
  };
}
