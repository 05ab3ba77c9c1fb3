import { Type } from "@sinclair/typebox";
import { CANDLE_INTERVALS } from "../../core/candle.ts";
import { closed, described, Figure, MarketName, nullable, Side, Timestamp, words } from "./common.ts";

const RULES = {
  object: Type.Literal("market", { description: "Always `market`." }),
  market: MarketName,
  kind: words(["perpetual", "spot"], { description: "What is traded." }),
  dex: Type.String({ description: "Perpetuals dex; empty for the native one and for spot." }),
  pair: nullable(Type.String(), "`BASE/QUOTE` of a spot pair; null for perpetuals."),
  size_decimals: Type.Integer({ minimum: 0, description: "Most decimals of a size." }),
  price_decimals: Type.Integer({ minimum: 0, description: "Most decimals of a price; whole numbers always pass." }),
  price_significant_figures: Type.Integer({ description: "Most significant figures of a price with decimals." }),
  max_leverage: nullable(Type.Integer(), "Largest whole leverage; null for spot."),
  margin_mode: words(["any", "isolated_only", "strict_isolated"], {
    description: "Which margin a position may have; from `strict_isolated` none can be taken out again.",
  }),
};

export const MarketResource = closed(RULES, { title: "Market" });

const Level = closed(
  {
    price: described(Figure, "In quote units."),
    size: described(Figure, "Of all orders at this price, in base units."),
  },
  { title: "PriceLevel" },
);

const BEST = {
  best_bid: nullable(Level, "Highest price that somebody would pay; null where nobody does."),
  best_ask: nullable(Level, "Lowest price that somebody asks; null where nobody does."),
  mid_price: nullable(Figure, "Middle of the two; null where one is missing."),
  best_at: described(Timestamp, "When the exchange saw these best prices, by the exchange's clock."),
};

const MARK = {
  mark_price: described(Figure, "What positions are valued at, in quote units."),
  oracle_price: nullable(Figure, "Price elsewhere, which the mark follows; null for spot."),
  previous_day_price: described(Figure, "Price 24 hours ago."),
  day_volume: described(Figure, "Traded in the last 24 hours, in quote units."),
  open_interest: nullable(Figure, "Size of all positions of one side, in base units; null for spot."),
  prices_at: described(
    Timestamp,
    "When these figures, from the mark on, came from the exchange, by the exchange's clock.",
  ),
  funding_rate: nullable(
    Figure,
    "What one hour costs as a fraction of the position's value, as it stands: where it is positive, long pays short. Null for spot.",
  ),
  next_funding_at: nullable(Timestamp, "When funding is paid next, by the exchange's clock; null for spot."),
  funding_at: nullable(
    Timestamp,
    "When the funding rate came from the exchange, by the exchange's clock; null for spot.",
  ),
};

/** A market as the list has it, and what it does now. */
export const MarketDetails = closed({ ...RULES, ...MARK, ...BEST }, { title: "MarketDetails" });

const BookLevel = closed(
  { ...Level.properties, orders: Type.Integer({ minimum: 0, description: "Orders at this price." }) },
  { title: "BookLevel" },
);

export const BookResource = closed(
  {
    object: Type.Literal("book", { description: "Always `book`." }),
    market: MarketName,
    bids: Type.Array(BookLevel, { description: "Best, that is highest, first." }),
    asks: Type.Array(BookLevel, { description: "Best, that is lowest, first." }),
    book_at: described(Timestamp, "When the exchange saw this book, by the exchange's clock."),
  },
  { title: "Book" },
);

/** Kept as text, as every parameter. */
export const LevelsParameter = Type.Integer({
  minimum: 1,
  maximum: 20,
  default: 20,
  description: "Levels of each side, 1 to 20.",
});

const Channel = words(["bbo", "mark", "book"], {
  description: "What of the markets: best bid and offer, mark and what stands beside it, book.",
});

const BestPrices = closed(
  { object: Type.Literal("best_prices", { description: "Always `best_prices`." }), market: MarketName, ...BEST },
  { title: "BestPrices", description: "Data of `bbo`." },
);

const MarketFigures = closed(
  { object: Type.Literal("market_figures", { description: "Always `market_figures`." }), market: MarketName, ...MARK },
  { title: "MarketFigures", description: "Data of `mark`." },
);

const Markets = Type.Array(MarketName, { description: "Canonical names." });

const MarketStreamReady = closed(
  {
    object: Type.Literal("market_stream", { description: "Always `market_stream`." }),
    markets: Markets,
    channels: Type.Array(Channel, { description: "What is told of them." }),
  },
  { title: "MarketStreamReady", description: "Data of `ready`, the first event." },
);

const MarketStreamState = closed(
  {
    object: Type.Literal("market_stream_state", { description: "Always `market_stream_state`." }),
    state: words(["stale", "live"], { description: "Whether what was told still counts." }),
    channel: Channel,
    markets: Markets,
    since: nullable(
      Timestamp,
      "Up to when it is known, at the latest, by the exchange's clock; null when it is told again.",
    ),
  },
  { title: "MarketStreamState", description: "Data of `stale` and `live`." },
);

export const MarketStream = Type.String({
  title: "MarketStream",
  description:
    "Server-sent events: `event` (the type) and `data` (one line of JSON). Comments keep the connection alive.",
  contentMediaType: "text/event-stream",
  contentSchema: Type.Union([MarketStreamReady, BestPrices, MarketFigures, BookResource, MarketStreamState], {
    description: "By the type of the event: `ready`, `bbo`, `mark`, `book`, or `stale` and `live`.",
  }),
});

const NAME = "[A-Za-z0-9@][A-Za-z0-9@:_./-]*";

export const MarketsParameter = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: `^${NAME}(,${NAME})*$`,
  examples: ["BTC,ETH"],
  description: "Markets, by their names as the exchange spells them, with commas between: 1 to 50.",
});

export const ChannelsParameter = Type.String({
  pattern: "^(bbo|mark|book)(,(bbo|mark|book))*$",
  default: "bbo,mark",
  examples: ["bbo,mark"],
  description: "What of them, with commas between: `bbo`, `mark`, `book`.",
});

export const PriceResource = closed(
  {
    object: Type.Literal("price", { description: "Always `price`." }),
    market: MarketName,
    mid_price: described(Figure, "Middle of the book, in quote units."),
  },
  { title: "Price" },
);

const INTERVAL = { description: "Length of a candle; a month is the calendar's (`1M`)." };

export const IntervalParameter = words(CANDLE_INTERVALS, { ...INTERVAL, default: "1h" });

export const CandleResource = closed(
  {
    object: Type.Literal("candle", { description: "Always `candle`." }),
    market: MarketName,
    interval: words(CANDLE_INTERVALS, INTERVAL),
    opened_at: described(Timestamp, "Its first moment, by the exchange's clock."),
    closes_at: described(Timestamp, "The first moment after it, by the exchange's clock."),
    complete: Type.Boolean({ description: "Whether it was over, for five seconds at the least, when it was read." }),
    open: described(Figure, "Price of its first trade, in quote units."),
    high: described(Figure, "Highest price."),
    low: described(Figure, "Lowest price."),
    close: described(Figure, "Price of its last trade so far."),
    volume: described(Figure, "Traded in it, in base units."),
    trades: Type.Integer({ minimum: 0, description: "How many trades." }),
  },
  { title: "Candle" },
);

export const MarketTradeResource = closed(
  {
    object: Type.Literal("market_trade", { description: "Always `market_trade`." }),
    market: MarketName,
    id: Type.String({ description: "The exchange's id of the trade (digits)." }),
    side: described(Side, "What the one did who took the price."),
    price: described(Figure, "In quote units."),
    size: described(Figure, "In base units."),
    transaction_hash: Type.String({ description: "Hash of the transaction on the exchange's chain." }),
    created_at: described(Timestamp, "When it was made, by the exchange's clock."),
  },
  { title: "MarketTrade" },
);
