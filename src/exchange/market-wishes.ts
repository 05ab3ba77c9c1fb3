/** Which figures of the markets somebody needs, and which of them the exchange has been asked to tell. */
import type { Clock } from "../core/clock.ts";
import type { FigureKey } from "../core/market-knowledge.ts";
import type { ChannelName } from "./subscriber.ts";

export type FigureWish = {
  key: FigureKey;
  subscription: ChannelName;
  /** Streams that need it until they end. */
  holders: number;
  neededAtMs: number;
  /** Elapsed time at which it was asked for: on a connection, or before there was one. */
  askedAtMs: number;
  /** On the present connection. */
  isAsked: boolean;
};

export type MarketWishes = {
  /** `refused`: by the exchange, lately. */
  add(key: FigureKey): FigureWish | "refused" | "no_room";
  get(key: FigureKey): FigureWish | undefined;
  isEmpty(): boolean;
  /** Those to ask for now on the present connection, as far as messages go; what is held goes first. */
  due(): FigureWish[];
  /** The connection is lost: nothing is asked for any more. */
  loseAll(): void;
  /** Lets go of what nobody has needed for a minute. */
  letGoOfOld(): void;
  /** Lets go of what the exchange says it does not have. */
  heedRefusal(text: string): void;
};

/** Subscriptions at most; the exchange allows 1,000 for an address, and the feeds of accounts need some. */
const MAX_SUBSCRIPTIONS = 800;
/** Messages that we send in a minute at most; the exchange allows 2,000. */
const MAX_MESSAGES = 1_000;
const MINUTE_MS = 60_000;
/** Nobody has needed it for this long: it is let go, milliseconds. */
const LET_GO_AFTER_MS = 60_000;
/** What the exchange refused is not asked for again within this time, milliseconds. */
const REFUSED_FOR_MS = 60_000;
const REFUSAL = "Invalid subscription ";

/** @param onLetGo called when a figure is not needed any more, or cannot be had; `maySay`: whether a message may be sent to unsubscribe */
export function openMarketWishes(clock: Clock, onLetGo: (wish: FigureWish, maySay: boolean) => void): MarketWishes {
  const wishes = new Map<string, FigureWish>();
  const refused = new Map<string, number>();
  const maySay = openMessageCount(clock);

  function letGo(wish: FigureWish): void {
    wishes.delete(nameOf(wish.key));
    onLetGo(wish, wish.isAsked && maySay());
  }

  function hasRoom(): boolean {
    if (wishes.size < MAX_SUBSCRIPTIONS) return true;
    const free = [...wishes.values()].filter(({ holders }) => holders === 0);
    const [oldest] = free.toSorted((a, b) => a.neededAtMs - b.neededAtMs);
    if (oldest !== undefined) letGo(oldest);
    return oldest !== undefined;
  }

  function isRefused(key: FigureKey): boolean {
    const atMs = refused.get(nameOf(key));
    return atMs !== undefined && clock.elapsedMs() - atMs < REFUSED_FOR_MS;
  }

  return {
    add(key) {
      const nowMs = clock.elapsedMs();
      const known = wishes.get(nameOf(key));
      if (known !== undefined) return Object.assign(known, { neededAtMs: nowMs });
      if (isRefused(key)) return "refused";
      if (!hasRoom()) return "no_room";
      const times = { neededAtMs: nowMs, askedAtMs: nowMs };
      const wish: FigureWish = { key, subscription: subscriptionOf(key), holders: 0, ...times, isAsked: false };
      wishes.set(nameOf(key), wish);
      return wish;
    },
    get: (key) => wishes.get(nameOf(key)),
    isEmpty: () => wishes.size === 0,
    due() {
      const open = [...wishes.values()].filter(({ isAsked }) => !isAsked).toSorted((a, b) => b.holders - a.holders);
      const due = open.filter(() => maySay());
      for (const wish of due) Object.assign(wish, { isAsked: true, askedAtMs: clock.elapsedMs() });
      return due;
    },
    loseAll() {
      for (const wish of wishes.values()) wish.isAsked = false;
    },
    letGoOfOld() {
      const nowMs = clock.elapsedMs();
      for (const wish of wishes.values()) {
        if (wish.holders === 0 && nowMs - wish.neededAtMs >= LET_GO_AFTER_MS) letGo(wish);
      }
      for (const [name, atMs] of refused) if (nowMs - atMs >= REFUSED_FOR_MS) refused.delete(name);
    },
    heedRefusal(text) {
      const wish = [...wishes.values()].find(({ subscription }) => isNamed(subscription, text));
      if (wish === undefined || !text.startsWith(REFUSAL)) return;
      refused.set(nameOf(wish.key), clock.elapsedMs());
      wish.isAsked = false;
      letGo(wish);
    },
  };
}

/** Counts messages: true where one more may be sent, which then counts as sent. */
function openMessageCount(clock: Clock): () => boolean {
  let sinceMs = 0;
  let count = 0;
  return () => {
    const nowMs = clock.elapsedMs();
    if (nowMs - sinceMs >= MINUTE_MS) {
      sinceMs = nowMs;
      count = 0;
    }
    if (count >= MAX_MESSAGES) return false;
    count += 1;
    return true;
  };
}

function nameOf({ kind, of }: FigureKey): string {
  return `${kind} ${of}`;
}

function subscriptionOf({ kind, of }: FigureKey): ChannelName {
  switch (kind) {
    case "best":
      return { type: "bbo", coin: of };
    case "mark":
      return { type: "activeAssetCtx", coin: of };
    case "book":
      return { type: "l2Book", coin: of };
    case "mids":
      return of === "" ? { type: "allMids" } : { type: "allMids", dex: of };
  }
}

/** Whether a refusal is about this subscription: the exchange repeats it there, perhaps with more members and with spaces. */
function isNamed(subscription: ChannelName, text: string): boolean {
  return Object.values(subscription).every((value) => text.includes(JSON.stringify(value)));
}
