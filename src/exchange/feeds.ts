import type { Clock } from "../core/clock.ts";
import { openConnectTurns } from "./connect-turns.ts";
import { type Feed, openFeed } from "./feed.ts";
import type { FeedEvent } from "./feed-event.ts";
import type { SocketTransport } from "./socket.ts";

export type FeedsOptions = {
  url: string;
  transport: SocketTransport;
  clock: Clock;
  /** Perpetuals dexes besides the native one. */
  dexes: readonly string[];
  /** Connections at once; the exchange allows 10 an IP address in all, and as many users. */
  maxFeeds: number;
  /** Must not throw. */
  onEvent(address: string, event: FeedEvent): void;
};

/** A feed for each trading address. */
export type Feeds = {
  /** False when there are as many as there may be: that address is followed by reads alone. */
  follow(address: string): boolean;
  isLive(address: string): boolean;
  /** Ends the connection of a feed that left something out; another is opened. */
  distrust(address: string, because: string): void;
  close(): void;
};

export function openFeeds({ url, transport, clock, dexes, maxFeeds, onEvent }: FeedsOptions): Feeds {
  const feeds = new Map<string, Feed>();
  const beforeConnecting = openConnectTurns(clock);

  return {
    follow: (address) => {
      if (feeds.has(address)) return true;
      if (feeds.size >= maxFeeds) return false;
      const feed = openFeed({
        url,
        transport,
        clock,
        address,
        dexes: ["", ...dexes],
        onEvent: (event) => onEvent(address, event),
        beforeConnecting,
      });
      feeds.set(address, feed);
      return true;
    },
    isLive: (address) => feeds.get(address)?.isLive() ?? false,
    distrust: (address, because) => feeds.get(address)?.distrust(because),
    close: () => {
      for (const feed of feeds.values()) feed.close();
    },
  };
}
