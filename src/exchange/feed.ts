import type { Clock } from "../core/clock.ts";
import { type FeedEvent, feedEvent, stateSubscriptionsOf, subscriptionsOf } from "./feed-event.ts";
import type { SocketTransport } from "./socket.ts";
import { openSubscriber } from "./subscriber.ts";

export type FeedOptions = {
  /** `wss://…/ws` */
  url: string;
  transport: SocketTransport;
  clock: Clock;
  /** Trading address, lower case. Order updates name no user, so each has a connection of its own. */
  address: string;
  /** Perpetuals dexes, `""` for the native one. */
  dexes: readonly string[];
  /** Must not throw. */
  onEvent(event: FeedEvent): void;
  /** Waits for its turn: the exchange counts new connections. */
  beforeConnecting(): Promise<void>;
};

export type Feed = {
  /** True while what happens is subscribed and the exchange answers our pings. */
  isLive(): boolean;
  /** Ends the connection: it has left something out. Another is opened after the usual pause. */
  distrust(because: string): void;
  close(): void;
};

/** Follows one address until it is closed; connects again whenever the connection is lost or goes silent. */
export function openFeed({ address, dexes, onEvent, ...connecting }: FeedOptions): Feed {
  const happenings = subscriptionsOf(address, dexes);
  const states = stateSubscriptionsOf(address, dexes);
  const { isLive, end, close } = openSubscriber({
    ...connecting,
    subscriptions: () => [...happenings, ...states],
    awaited: new Set(happenings.map(({ type = "" }) => type)),
    onLive: () => onEvent({ kind: "connected" }),
    onFrame: (frame) => {
      const event = feedEvent(frame, address);
      if (event !== null) onEvent(event);
    },
    onEnd: (reason) => onEvent({ kind: "disconnected", reason }),
  });
  return { isLive, distrust: end, close };
}
