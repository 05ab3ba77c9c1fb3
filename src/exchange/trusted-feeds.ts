import type { Clock, Moment } from "../core/clock.ts";
import {
  type Accusation,
  accusationOf,
  type Debt,
  isPaid,
  newTestimony,
  nextDueMs,
  type Shown,
  show,
  type Testimony,
  tellFills,
  tellUpdates,
} from "../core/testimony.ts";
import { saysOver } from "../wire/answer/status-words.ts";
import type { OrderUpdate } from "../wire/answer/stream.ts";
import type { FeedEvent } from "./feed-event.ts";
import { type Feeds, type FeedsOptions, openFeeds } from "./feeds.ts";
import { toldFill } from "./told-fill.ts";

/**
 * Feeds that are live only while they agree with what reads show. One that left something out is connected anew, and is
 * believed again when everything since was read and it has told something as new as what it left out.
 */
export type TrustedFeeds = Pick<Feeds, "follow" | "isLive" | "close"> & {
  /** In words, null while it is live. */
  whyNotLive(address: string): string | null;
  /** Of the connection that is subscribed; null while there is none. Another number: things may have been missed. */
  connectionOf(address: string): number | null;
  /** Everything that happened before that connection was subscribed has been read. */
  caughtUp(address: string, connection: number | null): void;
  /** What a read showed of the account at that address. */
  showed(address: string, shown: readonly Shown[]): void;
  /** How often the feed was found to have left something out, since the start. */
  distrusts(address: string): number;
};

export type TrustedFeedsOptions = FeedsOptions & {
  /** The exchange's time as we know it, unix milliseconds. */
  exchangeNowMs(): number;
  /** Something happened of which only a reading of the fills can tell when. Must not throw. */
  onDoubt(address: string): void;
  /** Must not throw. */
  onDistrust(address: string, because: string): void;
};

export const NO_FEEDS: TrustedFeeds = {
  follow: () => false,
  isLive: () => false,
  whyNotLive: () => "no websocket is used",
  connectionOf: () => null,
  caughtUp: () => undefined,
  showed: () => undefined,
  distrusts: () => 0,
  close: () => undefined,
};

type FeedStanding = {
  connection: number;
  /** Null while nothing is subscribed. */
  testimony: Testimony | null;
  isCaughtUp: boolean;
  debts: Debt[];
  /** Why it was distrusted last. */
  because: string;
  distrusts: number;
  isExpecting: boolean;
};

export function openTrustedFeeds(options: TrustedFeedsOptions): TrustedFeeds {
  const { clock } = options;
  const standings = new Map<string, FeedStanding>();
  let isClosed = false;
  const now = (): Moment => ({ elapsedMs: clock.elapsedMs(), exchangeMs: options.exchangeNowMs() });

  const feeds = openFeeds({
    ...options,
    onEvent(address, event) {
      hear(standingOf(address), event, now());
      options.onEvent(address, event);
    },
  });

  function standingOf(address: string): FeedStanding {
    const standing = standings.get(address) ?? newStanding();
    standings.set(address, standing);
    return standing;
  }

  function whyNotLive(address: string): string | null {
    const standing = standings.get(address) ?? null;
    return whyNotBelieved(standing, feeds.isLive(address), now());
  }

  function distrust(address: string, standing: FeedStanding, accusation: Accusation): void {
    accuse(standing, accusation);
    feeds.distrust(address, accusation.because);
    options.onDistrust(address, accusation.because);
  }

  /** Until nothing is owed any more, or it is overdue. */
  async function expectTold(address: string, standing: FeedStanding): Promise<void> {
    if (standing.isExpecting) return;
    standing.isExpecting = true;
    while (!isClosed && standing.testimony !== null) {
      const dueMs = nextDueMs(standing.testimony);
      if (dueMs === null) break;
      await untilMs(clock, dueMs);
      const accusation = standing.testimony === null || isClosed ? null : accusationOf(standing.testimony, now());
      if (accusation !== null) distrust(address, standing, accusation);
    }
    standing.isExpecting = false;
  }

  return {
    follow: (address) => feeds.follow(address),
    isLive: (address) => whyNotLive(address) === null,
    whyNotLive,
    connectionOf: (address) => {
      const standing = standings.get(address);
      return standing === undefined || standing.testimony === null ? null : standing.connection;
    },
    caughtUp(address, connection) {
      const standing = standings.get(address);
      if (standing !== undefined && standing.connection === connection) standing.isCaughtUp = true;
    },
    showed(address, shown) {
      const standing = standings.get(address);
      if (standing === undefined || standing.testimony === null) return;
      if (show(standing.testimony, shown, now())) options.onDoubt(address);
      void expectTold(address, standing);
    },
    distrusts: (address) => standings.get(address)?.distrusts ?? 0,
    close() {
      isClosed = true;
      feeds.close();
    },
  };
}

function newStanding(): FeedStanding {
  const nothingHeard = { connection: 0, testimony: null, isCaughtUp: false, debts: [] };
  return { ...nothingHeard, because: "", distrusts: 0, isExpecting: false };
}

function whyNotBelieved(standing: FeedStanding | null, isConnected: boolean, now: Moment): string | null {
  if (standing?.debts.length) return `${standing.because}; it is believed again when it tells something as new as that`;
  if (standing?.testimony == null || !isConnected) return "it is not connected";
  if (!standing.isCaughtUp) return "what happened before it was connected is not read yet";
  return accusationOf(standing.testimony, now)?.because ?? null;
}

function accuse(standing: FeedStanding, { because, debt }: Accusation): void {
  standing.because = because;
  standing.distrusts += 1;
  standing.debts = [...standing.debts.filter(({ channel }) => channel !== debt.channel), debt];
  standing.testimony = null;
}

function hear(standing: FeedStanding, event: FeedEvent, now: Moment): void {
  // What a frame said that cannot be read is missing from all that was told.
  if (event.kind === "connected" || event.kind === "gap") {
    standing.connection += 1;
    standing.testimony = newTestimony(now.exchangeMs);
    standing.isCaughtUp = false;
  }
  if (event.kind === "disconnected") standing.testimony = null;
  const { testimony } = standing;
  if (testimony === null) return;
  if (event.kind === "fills") tellFills(testimony, event.fills.map(toldFill), now);
  if (event.kind === "order_updates") tellUpdates(testimony, event.updates.map(toldUpdate));
  standing.debts = standing.debts.filter((debt) => !isPaid(testimony, debt));
}

function toldUpdate({ order, status, statusTimestampMs }: OrderUpdate) {
  return { oid: order.oid, isOver: saysOver(status), timeMs: statusTimestampMs };
}

async function untilMs(clock: Clock, atMs: number): Promise<void> {
  const leftMs = atMs - clock.elapsedMs();
  if (leftMs > 0) await clock.sleep(leftMs);
}
