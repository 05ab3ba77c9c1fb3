/**
 * The one view of the markets: for whoever asks for prices, for streams, for whoever decides by them. It follows what is
 * needed, and asks for what it is not told.
 */
import type { Clock } from "../core/clock.ts";
import type { Decimal } from "../core/decimal.ts";
import { isSpot, type Market } from "../core/market.ts";
import {
  connected,
  disconnected,
  type FigureKey,
  type FigureKind,
  fill,
  forget,
  isLive,
  type Moment,
  newestAgeMs,
  newKnowledge,
  type Seen,
  STALE_AFTER_MS,
  seen,
  type Told,
  tell,
} from "../core/market-knowledge.ts";
import { type Marks, medianOf, noteMark } from "../core/rails/median.ts";
import type { Purpose } from "./exchange.ts";
import { FIRST_FRAME_MS, type MarketFeedOptions, openMarketFeed } from "./market-feed.ts";
import { askForBook, askForMarks, askForMids, type MarketReads, toldBy } from "./market-told.ts";
import type { Read } from "./reads.ts";

/** `isOurBudget`: it was not asked for, to keep our weight for what matters more. */
export type Look<Kind extends FigureKind> =
  | ({ kind: "ok" } & Seen<Kind>)
  | { kind: "failed"; reason: string; isOurBudget: boolean; waitS?: number };

export type MarketView = {
  /**
   * Not older than `maxAgeMs`, or `withinMs` where that is less: as it is told, else asked for, on behalf of `purpose`. Shared by
   * all who ask.
   */
  best(market: string, purpose: Purpose): Promise<Look<"best">>;
  mark(market: Pick<Market, "name" | "kind" | "dex">, purpose: Purpose, withinMs?: number): Promise<Look<"mark">>;
  book(market: string, purpose: Purpose, withinMs?: number): Promise<Look<"book">>;
  mids(dex: string, purpose: Purpose): Promise<Look<"mids">>;
  /** Whether a mark is known already that is not older; who asks keeps the market followed, as by `mark`. */
  isMarkTold(market: string, withinMs: number): boolean;
  /**
   * Calls `onNews` with what has changed, and with null once a second and where the connection came or went; what is
   * returned stops that. Null where there is no room for all of them.
   */
  follow(keys: readonly FigureKey[], onNews: OnNews): (() => void) | null;
  /** The newest that is known, however old. */
  peek<Kind extends FigureKind>(kind: Kind, of: string): Seen<Kind> | null;
  /** Of a spot market's marks of the last ten minutes, as far as it was followed; null where that is too little. */
  median(market: string): Decimal | null;
  /** Whether it is told at this moment. */
  isLive(key: FigureKey): boolean;
  /** Whether the connection that tells of markets is there and tells something new; null while nobody needs one. */
  isTelling(): boolean | null;
  /** Whether its first frame may be on its way. */
  isExpected(key: FigureKey): boolean;
  close(): void;
};

type OnNews = (key: FigureKey | null) => void;

export type MarketViewOptions = Pick<MarketFeedOptions, "url" | "transport" | "clock"> & {
  reads: MarketReads;
  /** What is older is asked for before it is shown, milliseconds. */
  maxAgeMs: number;
  /** The exchange's time as we know it, unix milliseconds. */
  exchangeNowMs(): number;
};

type Polled<Kind> = {
  kind: Kind;
  ask(): Promise<Read<readonly Told[]>>;
  /** What is older is asked for, milliseconds; as for all where it is left out. */
  withinMs?: number | undefined;
};

/** A connection of which all is stale for this long is given up, milliseconds. */
const GIVEN_UP_AFTER_MS = 5_000;
/** Who follows is woken this often to see what has grown old, milliseconds. */
const LOOK_MS = 1_000;

export function openMarketView(options: MarketViewOptions): MarketView {
  const { clock, reads, maxAgeMs, exchangeNowMs, ...connecting } = options;
  const knowledge = newKnowledge();
  const followers = new Set<OnNews>();
  const firsts = openFirsts(clock);
  const spotMarks = openSpotMarks(clock);
  let isLooking = false;
  const now = (): Moment => ({ elapsedMs: clock.elapsedMs(), exchangeMs: exchangeNowMs() });

  const feed = openMarketFeed({
    ...connecting,
    clock,
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

  function announce(key: FigureKey | null): void {
    for (const onNews of followers) onNews(key);
  }

  async function lookAfterConnection(): Promise<void> {
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
  }

  function usable<Kind extends FigureKind>(kind: Kind, of: string, withinMs = maxAgeMs): Look<Kind> | null {
    for (const key of neededFor({ kind, of })) feed.need(key);
    const known = seen(knowledge, kind, of, now());
    return known === null || known.ageMs > withinMs ? null : { kind: "ok", ...known };
  }

  async function look<Kind extends FigureKind>(of: string, { kind, ask, withinMs }: Polled<Kind>): Promise<Look<Kind>> {
    if (usable(kind, of, withinMs) === null && feed.isExpected({ kind, of })) await firsts.next({ kind, of });
    const told = usable(kind, of, withinMs);
    if (told !== null) return told;
    const read = await ask();
    if (read.kind === "failed") return read;
    const ageMs = Math.max(0, clock.nowMs() - read.readAtMs);
    for (const one of read.value) fill(knowledge, spotMarks.noted(one, ageMs), { ageMs, now: now() });
    // An answer of the last minute stands in where our weight is used up.
    const isOurBudget = ageMs > maxAgeMs;
    return usable(kind, of) ?? { kind: "failed", reason: "what the exchange shows is too old", isOurBudget };
  }

  return {
    best: (market, purpose) => look(market, { kind: "best", ask: () => askForBook(reads, market, purpose) }),
    book: (market, purpose, withinMs) =>
      look(market, { kind: "book", ask: () => askForBook(reads, market, purpose), withinMs }),
    mark: (market, purpose, withinMs) =>
      look(market.name, { kind: "mark", ask: () => askForMarks(reads, market, purpose), withinMs }),
    mids: (dex, purpose) => look(dex, { kind: "mids", ask: () => askForMids(reads, dex, purpose) }),
    isMarkTold: (market, withinMs) => usable("mark", market, withinMs) !== null,
    follow(keys, onNews) {
      const release = feed.hold(keys.flatMap(neededFor));
      if (release === null) return null;
      followers.add(onNews);
      return () => {
        followers.delete(onNews);
        release();
      };
    },
    peek: (kind, of) => seen(knowledge, kind, of, now()),
    median: spotMarks.median,
    isLive: (key) => isLive(knowledge, key, now()),
    isTelling: () => (feed.isNeeded() ? (newestAgeMs(knowledge, now()) ?? Infinity) <= STALE_AFTER_MS : null),
    isExpected: feed.isExpected,
    close: feed.close,
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
