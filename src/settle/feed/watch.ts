import { isLive } from "../../core/order.ts";
import type { LookResult, Settling, With } from "../../deps.ts";
import { listLegs } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import { openTurns } from "../turns.ts";
import { within } from "../within.ts";
import { isAwaited } from "./early-words.ts";

/**
 * What is known of an order that has to be looked at: `changed`, something happened to it; `unlisted`, a list of open
 * orders did not hold it; `closed`, the exchange said that it is over.
 */
export type News = "changed" | "unlisted" | "closed";

/**
 * Looks at orders of which there is news until the news is seen. A feed tells a close once, and a look can fail, meet
 * a node that is behind, or find no weight left in this minute: one that did not see the close is no end.
 */
export type Watch = {
  begin(orderId: string, news: News): void;
  /**
   * Begins a moment later, for news of a feed: the other frames of that moment, and the answer to the placing, may say
   * it all. `whenUnread` is called after each look that could not be had: what the news said is all that is known then.
   */
  beginSoon(orderId: string, news: News, whenUnread?: () => void): void;
  /** Somebody's look has found it over, and not its size: it is looked at until that is known, by who does so already or anew. */
  goOn(orderId: string): void;
  stop(): void;
};

/** A feed tells of an order and of its fills in frames of their own, milliseconds: both together are the end of it. */
const FRAMES_WITHIN_MS = 25;
/** Between two looks at whether the answer to a placing has come, and the longest wait for one, milliseconds. */
const ANSWER_PAUSE_MS = 100;
const MAX_ANSWER_WAIT_MS = 1_500;
/** Pauses between two looks, milliseconds; the last one repeats. Short fills take two readings, 3 s after the close. */
const PAUSES_MS = [1_100, 3_000, 3_000, 10_000, 30_000] as const;
/** Looks at one order: about a quarter of an hour. The next reading of the open orders begins anew. */
const MAX_LOOKS = 34;
/**
 * Times that the pauses of an order begin anew: one that was shown and is missing now may soon be gone from the history as well,
 * and of one that was read as closed for the first time the second reading tells all.
 */
const MAX_HASTENED = 3;
/**
 * Looks that went wrong after which a look may use the weight of settling: sooner where two stores lack the order, and at once where it
 * is told as open and the exchange has said that it is over.
 */
const PATIENT_LOOKS: Record<News, number> = { changed: 4, unlisted: 2, closed: 1 };
/** Times that an order has to be shown open to be believed so, against the news. A close that was told is not recalled. */
const TIMES_OPEN: Record<News, number> = { changed: 2, unlisted: 6, closed: Number.POSITIVE_INFINITY };
/** Orders that are watched at once. */
const MAX_WATCHED = 10_000;
/** Looks at the exchange at once. */
const MAX_LOOKS_AT_ONCE = 8;

type ToldNews = { told: News; whenUnread?: (() => void) | undefined };

type WatchedOrder = {
  news: News;
  looks: number;
  /** Looks since the pauses began anew. */
  pace: number;
  hastened: number;
  wasShown: boolean;
  wasUnfinished: boolean;
  timesOpen: number;
  timesMissed: number;
  whenUnread: (() => void) | undefined;
  wake(): void;
};

export function openWatch(world: With<"clock" | "log" | "store">, settling: Pick<Settling, "look">): Watch {
  const watched = new Map<string, WatchedOrder>();
  const turns = openTurns(MAX_LOOKS_AT_ONCE);
  let isStopped = false;

  /** A look costs weight, and of most orders the feed and the answer to their placing tell the whole. */
  async function letItBeTold(orderId: string): Promise<void> {
    await world.clock.sleep(FRAMES_WITHIN_MS);
    for (let waitedMs = 0; waitedMs < MAX_ANSWER_WAIT_MS && !isStopped; waitedMs += ANSWER_PAUSE_MS) {
      const leg = listLegs(world.store, orderId).at(-1);
      if (leg === undefined || !isAwaited(world, leg)) return;
      await world.clock.sleep(ANSWER_PAUSE_MS);
    }
  }

  async function followSoon(orderId: string, entry: WatchedOrder): Promise<void> {
    await letItBeTold(orderId);
    if (!isStopped && isStillLive(world, orderId, entry.news)) await follow(orderId, entry);
  }

  async function follow(orderId: string, entry: WatchedOrder): Promise<void> {
    while (!isStopped && entry.looks < MAX_LOOKS) {
      const purpose = entry.timesMissed >= PATIENT_LOOKS[entry.news] ? "settle" : "read";
      const result = await turns.take(() => settling.look(orderId, purpose));
      note(entry, result);
      if (result === "failed" && !isStopped) entry.whenUnread?.();
      if (isStopped || !isStillLive(world, orderId, entry.news) || entry.timesOpen >= TIMES_OPEN[entry.news]) return;
      await within(world.clock, pauseMs(entry), news(entry));
    }
  }

  function begin(orderId: string, run: typeof follow, { told, whenUnread }: ToldNews): void {
    const known = watched.get(orderId);
    if (known !== undefined) addNews(known, { told, whenUnread });
    if (known !== undefined || isStopped || watched.size >= MAX_WATCHED) return;
    const counts = { looks: 0, pace: 0, hastened: 0, timesOpen: 0, timesMissed: 0 };
    const seen = { wasShown: false, wasUnfinished: false };
    const entry: WatchedOrder = { news: told, ...counts, ...seen, whenUnread, wake: () => undefined };
    watched.set(orderId, entry);
    run(orderId, entry)
      .catch((error: unknown) => {
        if (!isStopped)
          world.log.error({ order_id: orderId, error: String(error) }, "news of an order could not be followed");
      })
      .finally(() => watched.delete(orderId));
  }

  return {
    begin: (orderId, told) => begin(orderId, follow, { told }),
    beginSoon: (orderId, told, whenUnread) => begin(orderId, followSoon, { told, whenUnread }),
    goOn(orderId) {
      if (!watched.has(orderId)) begin(orderId, follow, { told: "closed" });
    },
    stop() {
      isStopped = true;
    },
  };
}

/** News that comes while an order is watched starts its round anew; that it is still not listed is no news. */
function addNews(entry: WatchedOrder, { told, whenUnread }: ToldNews): void {
  if (told === "unlisted") {
    if (entry.news === "changed") entry.news = told;
    return;
  }
  if (told === "closed") entry.news = told;
  entry.whenUnread = whenUnread ?? entry.whenUnread;
  entry.looks = 0;
  entry.pace = 0;
  entry.timesOpen = 0;
  entry.wake();
}

function news(entry: WatchedOrder): Promise<void> {
  return new Promise((resolve) => {
    entry.wake = resolve;
  });
}

function note(entry: WatchedOrder, result: LookResult): void {
  entry.looks += 1;
  entry.pace += 1;
  if (result === "not_found" && entry.wasShown) hasten(entry, 1);
  // Two readings that count as two are seconds apart.
  if (result === "unfinished" && !entry.wasUnfinished) hasten(entry, 2);
  if (result !== "failed") entry.wasShown = result !== "not_found";
  entry.wasUnfinished = result === "unfinished";
  entry.timesOpen = result === "open" ? entry.timesOpen + 1 : entry.timesOpen;
  entry.timesMissed = result === "open" ? 0 : entry.timesMissed + 1;
  // The exchange shows it closed, and its fills not to the end.
  if (result === "unfinished" || result === "unclear") entry.news = "closed";
}

function hasten(entry: WatchedOrder, pace: number): void {
  if (entry.pace <= pace || entry.hastened >= MAX_HASTENED) return;
  entry.pace = pace;
  entry.hastened += 1;
}

function pauseMs({ pace }: WatchedOrder): number {
  return PAUSES_MS[Math.min(pace, PAUSES_MS.length) - 1] ?? PAUSES_MS[0];
}

/** One that was given up is looked at for news alone. */
function isStillLive(world: With<"store">, orderId: string, news: News): boolean {
  const order = findOrder(world.store, orderId);
  if (order === null || !isLive(order.status)) return false;
  return order.releasedAtMs === null || news !== "unlisted";
}
