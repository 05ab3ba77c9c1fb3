import type { MarketReader, ToldMarket } from "../actions/follow-markets.ts";
import { followMarkets, MARKET_CHANNELS, type MarketChannel, namedMarkets } from "../actions/follow-markets.ts";
import { ApiError } from "../core/errors.ts";
import { EXAMPLE_BEST_PRICES } from "./examples.ts";
import type { StreamSource } from "./open-streams.ts";
import type { Query } from "./query.ts";
import type { Route } from "./route.ts";
import { FollowParameter } from "./schema/event.ts";
import { ChannelsParameter, MarketStream, MarketsParameter } from "./schema/market.ts";
import { openingOf } from "./stream-route.ts";

const CONTRACT = {
  name: "stream_markets",
  method: "GET",
  path: "/v1/stream",
  tag: "Markets",
  summary: "Follow what markets do",
  description: [
    "Server-sent events of market data: the newest figure of each market and channel, whole each time. They are not in the log of `GET /v1/events` and carry no id: what was missed is not told again, and who comes back begins with what is so then.",
    "The first event is `ready`. Whoever reads slowly is told the newest of each figure and nothing in between.",
    "`stale` says of which markets what was told does not count any more, and since when: the exchange's feed is lost, or has told nothing new for 10 seconds. `live` says that it is told again, and the figures follow.",
    "A comment comes every 15 seconds in which nothing happens. A key may have 8 streams of both kinds. The stream ends when the key is revoked, when the gateway stops, and for a reader that takes nothing for 30 seconds.",
  ].join(" "),
  access: "trading:read",
  query: { markets: MarketsParameter, channels: ChannelsParameter, follow: FollowParameter },
  requiredQuery: ["markets"],
  answers: [
    {
      status: 200,
      description: "The stream.",
      schema: MarketStream,
      example: `event: bbo\ndata: ${JSON.stringify(EXAMPLE_BEST_PRICES)}\n\n`,
      contentType: "text/event-stream",
    },
  ],
  errors: ["missing_parameter", "unknown_market", "exchange_unreachable", "draining"],
} as const;

const stream: Route = {
  contract: CONTRACT,
  async answer(deps, visit) {
    const { query, follows, listener, charge, answer } = openingOf(deps, visit, CONTRACT);
    const names = namesOf(query);
    const channels = channelsOf(query);
    charge();
    const markets = await namedMarkets(deps, names);
    return answer(() => marketSource(followMarkets(deps, listener, { markets, channels, follows })));
  },
};

const MAX_MARKETS = 50;

function namesOf(query: Query): string[] {
  const text = query.get("markets");
  if (text === null || text === "")
    throw new ApiError("missing_parameter", "markets is required: BTC,ETH for example.");
  const names = text.split(",");
  if (names.length > MAX_MARKETS || names.includes(""))
    throw new ApiError("invalid_parameter", `markets are 1 to ${MAX_MARKETS} names with commas between.`);
  return names;
}

function channelsOf(query: Query): MarketChannel[] {
  const wanted = new Set((query.get("channels") ?? "bbo,mark").split(","));
  const channels = MARKET_CHANNELS.filter((channel) => wanted.has(channel));
  if (channels.length === wanted.size) return channels;
  throw new ApiError("invalid_parameter", "channels are `bbo`, `mark` and `book`, with commas between.");
}

export function streamRoutes(): Route[] {
  return [stream];
}

/** Milliseconds that a client waits before it comes back. */
const GREETING = [
  ": Postern",
  ": market data: the newest figures only, not in the log of events; what was missed is not told again",
  "retry: 1000",
].join("\n");

/** Streams of market data: what has changed is looked up when the reader takes it. */
export function marketSource(reader: MarketReader): StreamSource {
  return {
    greeting: `${GREETING}\n\n`,
    next: () => reader.next()?.map(frame).join("") ?? null,
    listen: reader.listen,
  };
}

/** JSON has no line breaks, so one line holds all of it. */
function frame({ type, text }: ToldMarket): string {
  return `event: ${type}\ndata: ${text}\n\n`;
}
