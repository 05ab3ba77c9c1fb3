import type { Clock } from "../core/clock.ts";
import { parseFrame } from "../wire/answer/stream.ts";
import { type FeedEvent, feedEvent, stateSubscriptionsOf, subscriptionsOf } from "./feed-event.ts";
import type { Socket, SocketTransport } from "./socket.ts";

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

/** A ping every 15 s, with 5 s for its pong: two without one take at most 35 s to be noticed. */
const PING_PAUSE_MS = 10_000;
const PONG_WITHIN_MS = 5_000;
const MAX_MISSED_PONGS = 2;

/** From the first attempt to connect to the last confirmed subscription, milliseconds. */
const SUBSCRIBED_WITHIN_MS = 15_000;

/** A connection that was good for this long ends a row of failures, milliseconds. */
const GOOD_AFTER_MS = 60_000;

/** Pauses before the first, second … new attempt, milliseconds; the last one goes on. */
const BACK_OFF_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000] as const;

/** One connection, from the attempt to its end. */
type Connection = {
  socket: Socket | null;
  /** Types of the subscriptions without which it is not live. */
  awaited: ReadonlySet<string>;
  openSubscriptions: number;
  /** Elapsed time at which everything was subscribed, milliseconds; null before. */
  liveSinceMs: number | null;
  awaitsPong: boolean;
  isOver: boolean;
  end(reason: string): void;
};

/** Follows one address until it is closed; connects again whenever the connection is lost or goes silent. */
export function openFeed(options: FeedOptions): Feed {
  let current: Connection | null = null;
  let isClosed = false;

  async function follow(): Promise<void> {
    let failures = 0;
    while (!isClosed) {
      await options.beforeConnecting();
      // `close` may have been called meanwhile.
      if (isClosed) return;
      const { connection, ended } = connect(options);
      current = connection;
      const reason = await ended;
      options.onEvent({ kind: "disconnected", reason });
      if (isClosed) return;
      if (wasGood(connection, options.clock.elapsedMs())) failures = 0;
      await options.clock.sleep(backOffMs(failures));
      failures += 1;
    }
  }

  void follow();
  return {
    isLive: () => current !== null && current.liveSinceMs !== null && !current.isOver,
    distrust: (because) => current?.end(because),
    close: () => {
      isClosed = true;
      current?.end("closed by us");
    },
  };
}

function wasGood({ liveSinceMs }: Connection, nowMs: number): boolean {
  return liveSinceMs !== null && nowMs - liveSinceMs >= GOOD_AFTER_MS;
}

function backOffMs(failures: number): number {
  return BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 0;
}

function connect(options: FeedOptions): { connection: Connection; ended: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const subscriptions = subscriptionsOf(options.address, options.dexes);
  const states = stateSubscriptionsOf(options.address, options.dexes);
  const connection: Connection = {
    socket: null,
    awaited: new Set(subscriptions.map(({ type }) => type)),
    openSubscriptions: subscriptions.length,
    liveSinceMs: null,
    awaitsPong: false,
    isOver: false,
    end: (reason) => {
      if (connection.isOver) return;
      connection.isOver = true;
      connection.socket?.close();
      resolve(reason);
    },
  };
  connection.socket = options.transport(options.url, {
    onOpen: () => {
      for (const subscription of [...subscriptions, ...states]) say(connection, { method: "subscribe", subscription });
    },
    onText: (text) => {
      if (!connection.isOver) hear(options, connection, text);
    },
    onClose: (reason) => connection.end(reason),
  });
  void expectSubscribed(options.clock, connection);
  return { connection, ended: promise };
}

function say(connection: Connection, message: object): void {
  connection.socket?.send(JSON.stringify(message));
}

function hear(options: FeedOptions, connection: Connection, text: string): void {
  const frame = parseFrame(text);
  if (frame.kind === "pong") connection.awaitsPong = false;
  if (frame.kind === "subscribed" && frame.method === "subscribe" && connection.awaited.has(frame.type)) {
    connection.openSubscriptions -= 1;
    if (connection.openSubscriptions === 0) {
      connection.liveSinceMs = options.clock.elapsedMs();
      options.onEvent({ kind: "connected" });
      void watch(options.clock, connection);
    }
  }
  const event = feedEvent(frame, options.address);
  if (event !== null) options.onEvent(event);
}

async function expectSubscribed(clock: Clock, connection: Connection): Promise<void> {
  await clock.sleep(SUBSCRIBED_WITHIN_MS);
  if (connection.liveSinceMs === null) connection.end("not subscribed in time");
}

/** An open connection says nothing about whether anything still comes through it. Ends with the connection. */
async function watch(clock: Clock, connection: Connection): Promise<void> {
  let missed = 0;
  while (!connection.isOver) {
    await clock.sleep(PING_PAUSE_MS);
    connection.awaitsPong = true;
    say(connection, { method: "ping" });
    await clock.sleep(PONG_WITHIN_MS);
    missed = connection.awaitsPong ? missed + 1 : 0;
    if (missed >= MAX_MISSED_PONGS) connection.end("two pings without an answer");
  }
}
