import { getBook, getMarket } from "../actions/get-market.ts";
import { listMarkets } from "../actions/list-markets.ts";
import { ApiError } from "../core/errors.ts";
import { EXAMPLE_BOOK, EXAMPLE_MARKET, EXAMPLE_MARKET_DETAILS } from "./examples.ts";
import type { Query } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { listOf } from "./schema/list.ts";
import { BookResource, LevelsParameter, MarketDetails, MarketResource } from "./schema/market.ts";

const TAG = "Markets";

const list = readRoute(
  {
    name: "list_markets",
    method: "GET",
    path: "/v1/markets",
    tag: TAG,
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

const MARKET_IN_PATH = {
  description:
    "Name of the market as the exchange spells it, or `BASE/QUOTE` of a spot pair where one pair has it. A slash is escaped: `PURR%2FUSDC`.",
  example: "BTC",
};
const AGE =
  "Followed live from the first question on, until a minute after the last. `X-Data-As-Of` says up to when all of it is known where that is more than 6 seconds ago; what is older than 10 is never shown.";
const LOOK_ERRORS = ["unknown_market", "exchange_unreachable", "exchange_rate_limited"] as const;

const get = readRoute(
  {
    name: "get_market",
    method: "GET",
    path: "/v1/markets/{market}",
    tag: TAG,
    summary: "What a market does now",
    description: `Its rules, its mark, oracle and funding, its best prices; each group with its own time. ${AGE}`,
    access: "trading:read",
    id: MARKET_IN_PATH,
    answers: [
      {
        status: 200,
        description: "The market.",
        schema: MarketDetails,
        example: EXAMPLE_MARKET_DETAILS,
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: LOOK_ERRORS,
  },
  (deps, caller, { id }) => getMarket(deps, caller, id),
);

const book = readRoute(
  {
    name: "get_book",
    method: "GET",
    path: "/v1/markets/{market}/book",
    tag: TAG,
    summary: "The book of a market",
    description: `What is bid and asked, best first. ${AGE}`,
    access: "trading:read",
    id: MARKET_IN_PATH,
    query: { levels: LevelsParameter },
    answers: [
      {
        status: 200,
        description: "The book.",
        schema: BookResource,
        example: EXAMPLE_BOOK,
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: LOOK_ERRORS,
  },
  (deps, caller, { id, query }) => getBook(deps, caller, { name: id, levels: levelsOf(query) }),
);

const MAX_LEVELS = 20;

function levelsOf(query: Query): number {
  const text = query.get("levels") ?? String(MAX_LEVELS);
  const levels = /^[1-9][0-9]?$/.test(text) ? Number(text) : 0;
  if (levels >= 1 && levels <= MAX_LEVELS) return levels;
  throw new ApiError("invalid_parameter", `levels must be a whole number from 1 to ${MAX_LEVELS}.`);
}

export function marketRoutes(): Route[] {
  return [list, get, book];
}
