import { listPrices } from "../actions/list-prices.ts";
import { type Route, readRoute } from "./route.ts";
import { DexParameter, listOf } from "./schema/list.ts";
import { PriceResource } from "./schema/market.ts";

const EXAMPLE_PRICE = { object: "price", market: "BTC", mid_price: "64250.5" };

const list = readRoute(
  {
    name: "list_prices",
    method: "GET",
    path: "/v1/prices",
    tag: "Markets",
    summary: "What the markets trade at",
    description: "The middle of each book as the exchange tells it; where a book is empty, its last trade.",
    access: "trading:read",
    query: { dex: DexParameter },
    answers: [
      {
        status: 200,
        description:
          "Every market that has a price; `X-Data-As-Of` is when they were told, where that is more than 6 seconds ago.",
        schema: listOf(PriceResource, "PriceList"),
        example: { object: "list", data: [EXAMPLE_PRICE], has_more: false, next_cursor: null },
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: ["unknown_dex", "not_ready", "exchange_rate_limited", "exchange_unreachable"],
  },
  (deps, caller, { query }) => listPrices(deps, caller, query.get("dex")),
);

export function priceRoutes(): Route[] {
  return [list];
}
