/** Which sizes and prices a market takes, by the gateway's own rules. */
import { decimal } from "../../core/decimal.ts";
import { type Market, roundPrice } from "../../core/market.ts";
import type { ApiMarket } from "../api/resources.ts";

export function marketOf(listed: ApiMarket): Market {
  return {
    name: listed.market,
    kind: listed.kind,
    dex: listed.dex,
    // Not in the interface, and no rule of a price or size asks for it.
    assetId: 0,
    sizeDecimals: listed.size_decimals,
    maxLeverage: listed.max_leverage,
    marginMode: listed.margin_mode,
    isDelisted: false,
    pairName: listed.pair,
  };
}

/** The nearest price that the market takes on that side of what was calculated. */
export function takenPrice(listed: ApiMarket, price: string, way: "up" | "down"): string {
  return roundPrice(marketOf(listed), decimal(price), way);
}
