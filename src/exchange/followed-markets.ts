/** What is known of the markets: as the connection tells it, and filled up with what was asked for. It follows what is needed. */
import type { Clock, Moment } from "../core/clock.ts";
import type { Decimal } from "../core/decimal.ts";
import { isSpot } from "../core/market.ts";
import {
  connected,
  disconnected,
  type FigureKey,
  type FigureKind,
  fill,
  forget,
  isLive,
  type MarketKnowledge,
  newestAgeMs,
  newKnowledge,
  type Seen,
  STALE_AFTER_MS,
  seen,
  type Told,
  tell,
} from "../core/market-knowledge.ts";
import { type Marks, medianOf, noteMark } from "../core/rails/median.ts";
import { FIRST_FRAME_MS, type MarketFeed, type MarketFeedOptions, openMarketFeed } from "./market-feed.ts";
import { toldBy } from "./told-figures.ts";

export type OnNews = (key: FigureKey | null) => void;

export type FollowedMarkets = {
  /** Somebody needs it now. */
  need(key: FigureKey): void;
  /** The newest that is known, however old. */
  seen<Kind extends FigureKind>(kind: Kind, of: string): Seen<Kind> | null;
  /** Whether its first frame may be on its way. */
  isExpected(key: FigureKey): boolean;
  /** Resolves with the next word about it, or when none is to be expected any more. */
  next(key: FigureKey): Promise<void>;
  /** What an answer has shown that is this old, milliseconds. */
  fill(told: Told, ageMs: number): void;
  follow(keys: readonly FigureKey[], onNews: OnNews): (() => void) | null;
  median(market: string): Decimal | null;
  isLive(key: FigureKey): boolean;
  isTelling(): boolean | null;
  close(): void;
};

export type FollowedMarketsOptions = Pick<MarketFeedOptions, "url" | "transport" | "clock"> & {
  /** The exchange's time as we know it, unix milliseconds. */
  exchangeNowMs(): number;
};

/** A connection of which all is stale for this long is given up, milliseconds. */
const GIVEN_UP_AFTER_MS = 5_000;
/** Who follows is woken this often to see what has grown old, milliseconds. */
const LOOK_MS = 1_000;

export function openFollowedMarkets({ exchangeNowMs, ...connecting }: FollowedMarketsOptions): FollowedMarkets {
  const { clock } = connecting;
  const knowledge = newKnowledge();
  const followers = new Set<OnNews>();
  const firsts = openFirsts(clock);
  const spotMarks = openSpotMarks(clock);
  const now = (): Moment => ({ elapsedMs: clock.elapsedMs(), exchangeMs: exchangeNowMs() });

  function announce(key: FigureKey | null): void {
    for (const onNews of followers) onNews(key);
  }

  const feed = openMarketFeed({
    ...connecting,
    onLive(afterMs) {
      connected(knowledge, now(), afterMs);
      announce(null);
      void lookAfterConnection();
    },
    onFrame(frame) {
      const told = toldBy(frame);
      // What still comes after it was let go would never be told again.
      if (told === null || !feed.isFollowed(told)) return;
      if (tell(knowledge, spotMarks.noted(told, 0), now())) announce(told);
      firsts.tell(told);
    },
    onEnd() {
      disconnected(knowledge);
      announce(null);
    },
    onLetGo: (key) => forget(knowledge, key),
  });
  const lookAfterConnection = openLookingAfter({ clock, knowledge, feed, now, announce });

  return {
    need(key) {
      for (const needed of neededFor(key)) feed.need(needed);
    },
    seen: (kind, of) => seen(knowledge, kind, of, now()),
    isExpected: feed.isExpected,
    next: firsts.next,
    fill: (told, ageMs) => fill(knowledge, spotMarks.noted(told, ageMs), { ageMs, now: now() }),
    follow(keys, onNews) {
      const release = feed.hold(keys.flatMap(neededFor));
      if (release === null) return null;
      followers.add(onNews);
      return () => {
        followers.delete(onNews);
        release();
      };
    },
    median: spotMarks.median,
    isLive: (key) => isLive(knowledge, key, now()),
    isTelling: () => (feed.isNeeded() ? (newestAgeMs(knowledge, now()) ?? Infinity) <= STALE_AFTER_MS : null),
    close: feed.close,
  };
}

type LookingAfter = {
  clock: Clock;
  knowledge: MarketKnowledge;
  feed: Pick<MarketFeed, "end">;
  now(): Moment;
  announce(key: null): void;
};

/** One that tells nothing new is given up; and who follows is woken, to see what has grown old. */
function openLookingAfter({ clock, knowledge, feed, now, announce }: LookingAfter): () => Promise<void> {
  let isLooking = false;
  return async () => {
    if (isLooking) return;
    isLooking = true;
    let goodAtMs = clock.elapsedMs();
    while (knowledge.line !== null) {
      await clock.sleep(LOOK_MS);
      if ((newestAgeMs(knowledge, now()) ?? 0) <= STALE_AFTER_MS) goodAtMs = clock.elapsedMs();
      if (clock.elapsedMs() - goodAtMs >= GIVEN_UP_AFTER_MS) feed.end("nothing new was told");
      announce(null);
    }
    isLooking = false;
  };
}

/** What spot markets were marked at, for as long as they are followed. */
function openSpotMarks(clock: Clock) {
  const byMarket = new Map<string, Marks>();
  return {
    /** Gives back what it was handed. */
    noted(told: Told, ageMs: number): Told {
      if (told.kind !== "mark" || !isSpot(told.of)) return told;
      const marks = byMarket.get(told.of) ?? [];
      byMarket.set(told.of, marks);
      noteMark(marks, { atMs: clock.elapsedMs() - ageMs, mark: told.value.mark });
      return told;
    },
    median: (market: string) => medianOf(byMarket.get(market) ?? [], clock.elapsedMs()),
  };
}

/** Best prices are told only when they change: what comes every few seconds shows that their connection is alive. */
function neededFor(key: FigureKey): FigureKey[] {
  return key.kind === "best" ? [key, { kind: "mark", of: key.of }] : [key];
}

/** Who waits for the first word about a figure. */
function openFirsts(clock: Clock) {
  const waiting = new Map<string, Set<() => void>>();
  const nameOf = ({ kind, of }: FigureKey) => `${kind} ${of}`;
  return {
    tell(key: FigureKey): void {
      for (const wake of waiting.get(nameOf(key)) ?? []) wake();
    },
    /** Resolves with the next word, or when none is to be expected any more. */
    async next(key: FigureKey): Promise<void> {
      const wakes = waiting.get(nameOf(key)) ?? new Set();
      waiting.set(nameOf(key), wakes);
      const { promise, resolve } = Promise.withResolvers<void>();
      wakes.add(resolve);
      const timer = clock.timer(FIRST_FRAME_MS);
      await Promise.race([promise, timer.up]);
      timer.cancel();
      wakes.delete(resolve);
      if (wakes.size === 0) waiting.delete(nameOf(key));
    },
  };
}
