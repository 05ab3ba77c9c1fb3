import { getBook, getMarket } from "../actions/get-market.ts";
import { listCandles, listTrades } from "../actions/list-candles.ts";
import { listMarkets } from "../actions/list-markets.ts";
import { ApiError } from "../core/errors.ts";
import { EXAMPLE_BOOK, EXAMPLE_MARKET, EXAMPLE_MARKET_DETAILS } from "./examples.ts";
import { type Query, readLimit, readTime } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { CursorParameter, LimitParameter, listOf, SinceParameter, UntilParameter } from "./schema/list.ts";
import {
  BookResource,
  CandleResource,
  IntervalParameter,
  LevelsParameter,
  MarketDetails,
  MarketResource,
  MarketTradeResource,
} from "./schema/market.ts";

/** What was traded in a market. */

const EXAMPLE_CANDLE = {
  object: "candle",
  market: "BTC",
  interval: "1h",
  opened_at: "2026-11-21T09:00:00.000Z",
  closes_at: "2026-11-21T10:00:00.000Z",
  complete: false,
  open: "64180",
  high: "64320",
  low: "64111.5",
  close: "64250.5",
  volume: "312.40517",
  trades: 8_112,
};

const EXAMPLE_MARKET_TRADE = {
  object: "market_trade",
  market: "BTC",
  id: "118906512037719",
  side: "buy",
  price: "64250.5",
  size: "0.02",
  transaction_hash: "0x2222222222222222222222222222222222222222222222222222222222222222",
  created_at: "2026-11-21T09:30:00.125Z",
};

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

const SHARED = "The exchange is asked at most once a second for the same; `X-Data-As-Of` is when it answered.";

const candles = readRoute(
  {
    name: "list_candles",
    method: "GET",
    path: "/v1/markets/{market}/candles",
    tag: TAG,
    summary: "Candles of a market",
    description: `Newest first; the newest is still growing while \`complete\` is false. Times without a trade may have none, so a page may hold fewer than \`limit\` though more follow. The exchange keeps 5,000 of an interval. ${SHARED}`,
    access: "trading:read",
    id: MARKET_IN_PATH,
    query: {
      interval: IntervalParameter,
      since: SinceParameter,
      until: UntilParameter,
      cursor: CursorParameter,
      limit: LimitParameter,
    },
    answers: [
      {
        status: 200,
        description: "A page of candles, by when they opened.",
        schema: listOf(CandleResource, "CandleList"),
        example: { object: "list", data: [EXAMPLE_CANDLE], has_more: false, next_cursor: null },
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: [...LOOK_ERRORS, "invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { id, query }) =>
    listCandles(deps, caller, {
      name: id,
      interval: query.get("interval") ?? "1h",
      sinceMs: readTime(query, "since"),
      untilMs: readTime(query, "until"),
      cursor: query.get("cursor"),
      limit: readLimit(query),
    }),
);

const trades = readRoute(
  {
    name: "list_market_trades",
    method: "GET",
    path: "/v1/markets/{market}/trades",
    tag: TAG,
    summary: "The newest trades of a market",
    description: `Everybody's, newest first: as many as the exchange tells at once, about ten. ${SHARED}`,
    access: "trading:read",
    id: MARKET_IN_PATH,
    answers: [
      {
        status: 200,
        description: "The newest trades.",
        schema: listOf(MarketTradeResource, "MarketTradeList"),
        example: { object: "list", data: [EXAMPLE_MARKET_TRADE], has_more: false, next_cursor: null },
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: LOOK_ERRORS,
  },
  (deps, caller, { id }) => listTrades(deps, caller, id),
);

export function marketRoutes(): Route[] {
  return [list, get, book, candles, trades];
}
