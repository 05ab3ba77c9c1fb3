import { listMarkets } from "../actions/list-markets.ts";
import { type Route, readRoute } from "./route.ts";
import { listOf } from "./schema/list.ts";
import { MarketResource } from "./schema/market.ts";

const EXAMPLE_MARKET = {
  object: "market",
  market: "BTC",
  kind: "perpetual",
  dex: "",
  pair: null,
  size_decimals: 5,
  price_decimals: 1,
  price_significant_figures: 5,
  max_leverage: 40,
  margin_mode: "any",
};

const list = readRoute(
  {
    name: "list_markets",
    method: "GET",
    path: "/v1/markets",
    tag: "Markets",
    summary: "Markets and their rules for sizes and prices",
    access: "trading:read",
    answers: [
      {
        status: 200,
        description: "Every market that orders are taken for; `X-Data-As-Of` is when they were read.",
        schema: listOf(MarketResource, "MarketList"),
        example: { object: "list", data: [EXAMPLE_MARKET], has_more: false, next_cursor: null },
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: ["not_ready"],
  },
  (deps) => listMarkets(deps),
);

export function marketRoutes(): Route[] {
  return [list];
}
