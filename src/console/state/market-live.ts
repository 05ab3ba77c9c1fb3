/** The market of the order form as it is now: followed while the screen that shows it is open, and let go after it. */
import type { Static } from "@sinclair/typebox";
import type { BookResource, MarketDetails } from "../../http/schema/market.ts";
import { readEvents, type StreamEvent } from "../api/event-stream.ts";
import { member } from "../api/request.ts";
import { marketNamed } from "../figures/market-name.ts";
import type { App } from "./app.ts";
import { beginCandles } from "./candles.ts";
import { isRefused } from "./read.ts";

type ToldBook = Static<typeof BookResource>;
type Details = Static<typeof MarketDetails>;

export type WatchedMarket = {
  market: string;
  stop: AbortController;
  book: Pick<ToldBook, "bids" | "asks" | "book_at"> | null;
  best: Pick<Details, "best_bid" | "best_ask" | "mid_price"> | null;
  figures: Pick<Details, "mark_price" | "oracle_price" | "funding_rate" | "next_funding_at"> | null;
  /** Channels that do not count any more. */
  stale: Set<string>;
  /** Why nothing is told; null while something is. */
  failure: string | null;
};

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** Begins, changes or ends with what the page shows; costs nothing where that is the same. */
export function watchMarket(app: App): void {
  const { state } = app;
  const { session, route, forms, markets } = state;
  const listed = marketNamed(markets.value, forms.order.draft.market);
  const wanted = session !== null && route.screen === "trade" ? (listed?.market ?? null) : null;
  if ((state.watched?.market ?? null) === wanted) return;
  state.watched?.stop.abort();
  state.watched = wanted === null ? null : emptyWatch(wanted);
  if (state.watched !== null) void follow(app, state.watched);
  beginCandles(app);
  app.changed();
}

function emptyWatch(market: string): WatchedMarket {
  return {
    market,
    stop: new AbortController(),
    book: null,
    best: null,
    figures: null,
    stale: new Set(),
    failure: null,
  };
}

async function follow(app: App, mine: WatchedMarket): Promise<void> {
  for (let failures = 0; app.state.watched === mine && !isRefused(app); failures += 1) {
    const why = await listen(app, mine);
    if (app.state.watched !== mine) return;
    if (mine.figures !== null) failures = 0;
    // What it told is not of now any more.
    Object.assign(mine, { failure: why, best: null, figures: null, book: null });
    app.changed();
    await app.sleep(Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS));
  }
}

/** One connection, until it ends; returns why it did. */
async function listen(app: App, mine: WatchedMarket): Promise<string> {
  const { session } = app.state;
  if (session === null) return "signed out";
  try {
    const response = await fetch(`/v1/stream?markets=${encodeURIComponent(mine.market)}&channels=bbo,mark,book`, {
      headers: { Authorization: `Bearer ${session.apiKey}`, Accept: "text/event-stream" },
      cache: "no-store",
      credentials: "omit",
      signal: mine.stop.signal,
    });
    return await readEvents(response, (events) => {
      for (const event of events) takeMarketEvent(mine, event);
      app.changed();
    });
  } catch {
    return "the gateway cannot be reached";
  }
}

export function takeMarketEvent(mine: WatchedMarket, { type, data }: Pick<StreamEvent, "type" | "data">): void {
  const told: unknown = JSON.parse(data);
  mine.failure = null;
  // Each is the shape that the gateway describes for its type.
  if (type === "book") mine.book = told as ToldBook;
  if (type === "bbo") mine.best = told as Details;
  if (type === "mark") mine.figures = told as Details;
  const channel = String(member(told, "channel"));
  if (type === "stale") mine.stale.add(channel);
  if (type === "live") mine.stale.delete(channel);
}
