/**
 * `GET /v1/stream`: what the markets do, as it happens. Nothing waits for a reader but which figures have changed: whoever
 * is slow gets the newest of each, and nothing twice.
 */
import { ApiError } from "../core/errors.ts";
import type { FigureKey } from "../core/market-knowledge.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findApiKey } from "../store/api-keys.ts";
import { onEvents } from "../store/events.ts";
import type { EventsReader } from "./list-events.ts";
import { bestMembers, bookResource, markMembers, requireListed } from "./market-figures.ts";

export const MARKET_CHANNELS = ["bbo", "mark", "book"] as const;
export type MarketChannel = (typeof MARKET_CHANNELS)[number];

/** `follows` false: ends once every figure has been told, or told to be stale. */
export type FollowMarkets = { markets: readonly string[]; channels: readonly MarketChannel[]; follows: boolean };

/** `text` is JSON. */
export type ToldMarket = { type: MarketChannel | "ready" | "stale" | "live"; text: string };

export type MarketReader = {
  /** What there is to tell now, maybe nothing; null at the end. */
  next(): readonly ToldMarket[] | null;
  /** Calls `wake` when there may be something; what is returned stops that, and all that was followed for it. */
  listen(wake: () => void): () => void;
};

/** Seconds after which there may be room. */
const RETRY_AFTER_S = 5;
/** Levels of a book that is told as it changes. */
const STREAM_LEVELS = 20;

const KIND_OF = { bbo: "best", mark: "mark", book: "book" } as const satisfies Record<MarketChannel, FigureKey["kind"]>;

type FollowedFigure = {
  channel: MarketChannel;
  market: string;
  key: FigureKey;
  standing: "expected" | "live" | "stale";
  isChanged: boolean;
};

/** Canonical names, each once. */
export async function namedMarkets(deps: With<"exchange" | "markets">, names: readonly string[]): Promise<string[]> {
  const markets = new Set<string>();
  // One after the other: the first that there is not is the only one for which others like it are looked for.
  for (const name of names) markets.add((await requireListed(deps, name)).name);
  return [...markets];
}

/** `markets` by their canonical names. */
export function followMarkets(
  deps: With<"exchange" | "marketView" | "store">,
  listener: EventsReader,
  wanted: FollowMarkets,
): MarketReader {
  const { markets, channels, follows } = wanted;
  const figures = channels.flatMap((channel) => markets.map((market) => figureOf(channel, market)));
  const byName = new Map(figures.map((figure) => [nameOf(figure.key), figure]));
  let wakeReader = () => {};
  const stopFollowing = deps.marketView.follow(
    figures.map(({ key }) => key),
    (key) => {
      const figure = key === null ? null : byName.get(nameOf(key));
      if (figure === undefined) return;
      if (figure !== null) figure.isChanged = true;
      wakeReader();
    },
  );
  if (stopFollowing === null)
    throw new ApiError("too_many_connections", "Too many markets are followed at this moment.", RETRY_AFTER_S);
  const ready = { object: "market_stream", markets, channels };
  let first: ToldMarket[] = [{ type: "ready", text: JSON.stringify(ready) }];
  let hasEnded = false;

  return {
    next() {
      if (hasEnded || !isKeyGood(deps, listener)) return null;
      const told = [...first, ...turnedBy(deps, figures), ...changedOf(deps, figures)];
      first = [];
      hasEnded = !follows && figures.every(({ standing }) => standing !== "expected");
      return told;
    },
    listen(wake) {
      wakeReader = wake;
      const stopHearing = onEvents(deps.store, (accountIds) => {
        if (accountIds.has(listener.accountId)) wake();
      });
      return () => {
        stopHearing();
        stopFollowing();
      };
    },
  };
}

function figureOf(channel: MarketChannel, market: string): FollowedFigure {
  return { channel, market, key: { kind: KIND_OF[channel], of: market }, standing: "expected", isChanged: false };
}

function nameOf({ kind, of }: FigureKey): string {
  return `${kind} ${of}`;
}

function isKeyGood({ store }: With<"store">, { keyHash }: EventsReader): boolean {
  const key = findApiKey(store, keyHash);
  return key?.state === "active" && key.fault === null;
}

/** What has gone stale, and what is told again, by channel. */
function turnedBy(deps: With<"exchange" | "marketView">, figures: readonly FollowedFigure[]): ToldMarket[] {
  const turned = figures.flatMap((figure) => {
    const before = figure.standing;
    figure.standing = standingOf(deps, figure);
    if (figure.standing === "live" && before !== "live") figure.isChanged = true;
    const isTold = figure.standing !== before && (figure.standing === "stale" || before === "stale");
    return isTold ? [figure] : [];
  });
  const byTurn = Map.groupBy(turned, ({ standing, channel }) => `${standing} ${channel}`);
  return [...byTurn.values()].flatMap((group) => turnOf(deps, group));
}

function standingOf({ marketView }: With<"marketView">, { key, standing }: FollowedFigure): FollowedFigure["standing"] {
  if (marketView.isLive(key)) return "live";
  return standing === "expected" && marketView.isExpected(key) ? "expected" : "stale";
}

function turnOf(deps: With<"exchange" | "marketView">, group: readonly FollowedFigure[]): ToldMarket[] {
  const [first] = group;
  if (first === undefined || first.standing === "expected") return [];
  const { channel, standing } = first;
  const about = { object: "market_stream_state", state: standing, channel, markets: group.map(({ market }) => market) };
  const since = standing === "live" ? null : isoTime(Math.min(...group.map((figure) => lastGoodMs(deps, figure))));
  return [{ type: standing, text: JSON.stringify({ ...about, since }) }];
}

/** Up to when it is known; now, where it never was. Unix milliseconds of the exchange. */
function lastGoodMs(
  { marketView, exchange }: With<"exchange" | "marketView">,
  { key: { kind, of } }: FollowedFigure,
): number {
  return exchange.nowMs() - (marketView.peek(kind, of)?.ageMs ?? 0);
}

function changedOf(deps: With<"exchange" | "marketView">, figures: readonly FollowedFigure[]): ToldMarket[] {
  return figures.flatMap((figure) => {
    if (!figure.isChanged || figure.standing !== "live") return [];
    figure.isChanged = false;
    const resource = resourceOf(deps, figure);
    return resource === null ? [] : [{ type: figure.channel, text: JSON.stringify(resource) }];
  });
}

function resourceOf(
  { marketView, exchange }: With<"exchange" | "marketView">,
  { channel, market }: FollowedFigure,
): object | null {
  switch (channel) {
    case "bbo": {
      const best = marketView.peek("best", market);
      return best === null ? null : { object: "best_prices", market, ...bestMembers(best) };
    }
    case "mark": {
      const mark = marketView.peek("mark", market);
      return mark === null ? null : { object: "market_figures", market, ...markMembers(mark, exchange.nowMs()) };
    }
    case "book": {
      const book = marketView.peek("book", market);
      return book === null ? null : bookResource(market, book, STREAM_LEVELS);
    }
  }
}
