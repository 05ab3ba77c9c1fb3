import type { Clock } from "../core/clock.ts";
import { type Frame, parseFrame } from "../wire/answer/stream.ts";
import type { Socket, SocketTransport } from "./socket.ts";

/** In the exchange's own words: `{ type: "bbo", coin: "BTC" }`. */
export type ChannelName = Readonly<Record<string, string>>;

export type SubscriberOptions = {
  /** `wss://…/ws` */
  url: string;
  transport: SocketTransport;
  clock: Clock;
  /** Asked when a connection has opened. */
  subscriptions(): readonly ChannelName[];
  /** Types of those without which the connection is not live; null where one of whatever type is enough. */
  awaited: ReadonlySet<string> | null;
  /**
   * Live from here on. What was told before is not told again. `afterMs`: since we asked, so that nothing which has come
   * until now is later than that. None of these may throw.
   */
  onLive(afterMs: number): void;
  onFrame(frame: Frame): void;
  onEnd(reason: string): void;
  /** Waits for its turn: the exchange counts new connections. */
  beforeConnecting(): Promise<void>;
};

export type Subscriber = {
  /** True while it is subscribed and the exchange answers our pings. */
  isLive(): boolean;
  /** Goes nowhere while no connection is open. */
  say(message: object): void;
  /** Ends the connection; another is opened after the usual pause. */
  end(because: string): void;
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
type SubscriberConnection = {
  socket: Socket | null;
  isOpen: boolean;
  /** Elapsed time at which it opened, milliseconds. */
  openedAtMs: number;
  /** Confirmations that are still missing. */
  missing: number;
  /** Elapsed time at which it was subscribed, milliseconds; null before. */
  liveSinceMs: number | null;
  awaitsPong: boolean;
  isOver: boolean;
  end(reason: string): void;
};

/** One websocket until it is closed; connects again whenever the connection is lost or goes silent. */
export function openSubscriber(options: SubscriberOptions): Subscriber {
  let current: SubscriberConnection | null = null;
  let isClosed = false;

  async function keepConnected(): Promise<void> {
    let failures = 0;
    while (!isClosed) {
      await options.beforeConnecting();
      // `close` may have been called meanwhile.
      if (isClosed) return;
      const { connection, ended } = connect(options);
      current = connection;
      options.onEnd(await ended);
      if (isClosed) return;
      if (wasGood(connection, options.clock.elapsedMs())) failures = 0;
      await options.clock.sleep(backOffMs(failures));
      failures += 1;
    }
  }

  void keepConnected();
  return {
    isLive: () => current !== null && current.liveSinceMs !== null && !current.isOver,
    say: (message) => {
      if (current?.isOpen === true && !current.isOver) say(current, message);
    },
    end: (because) => current?.end(because),
    close: () => {
      isClosed = true;
      current?.end("closed by us");
    },
  };
}

function wasGood({ liveSinceMs }: SubscriberConnection, nowMs: number): boolean {
  return liveSinceMs !== null && nowMs - liveSinceMs >= GOOD_AFTER_MS;
}

function backOffMs(failures: number): number {
  return BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 0;
}

function connect(options: SubscriberOptions): { connection: SubscriberConnection; ended: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const connection: SubscriberConnection = {
    socket: null,
    isOpen: false,
    openedAtMs: 0,
    missing: 1,
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
    onOpen: () => subscribe(options, connection),
    onText: (text) => {
      if (!connection.isOver) hear(options, connection, text);
    },
    onClose: (reason) => connection.end(reason),
  });
  void expectSubscribed(options.clock, connection);
  return { connection, ended: promise };
}

function subscribe(options: SubscriberOptions, connection: SubscriberConnection): void {
  connection.isOpen = true;
  connection.openedAtMs = options.clock.elapsedMs();
  const subscriptions = options.subscriptions();
  const { awaited } = options;
  if (awaited !== null) connection.missing = subscriptions.filter(({ type = "" }) => awaited.has(type)).length;
  for (const subscription of subscriptions) say(connection, { method: "subscribe", subscription });
}

function say(connection: SubscriberConnection, message: object): void {
  connection.socket?.send(JSON.stringify(message));
}

function hear(options: SubscriberOptions, connection: SubscriberConnection, text: string): void {
  const frame = parseFrame(text);
  if (frame.kind === "pong") connection.awaitsPong = false;
  if (frame.kind === "subscribed" && frame.method === "subscribe" && isAwaited(options, frame.type)) {
    connection.missing -= 1;
    if (connection.missing === 0) {
      connection.liveSinceMs = options.clock.elapsedMs();
      options.onLive(connection.liveSinceMs - connection.openedAtMs);
      void watch(options.clock, connection);
    }
  }
  options.onFrame(frame);
}

function isAwaited({ awaited }: SubscriberOptions, type: string): boolean {
  return awaited === null || awaited.has(type);
}

async function expectSubscribed(clock: Clock, connection: SubscriberConnection): Promise<void> {
  await clock.sleep(SUBSCRIBED_WITHIN_MS);
  if (connection.liveSinceMs === null) connection.end("not subscribed in time");
}

/** An open connection says nothing about whether anything still comes through it. Ends with the connection. */
async function watch(clock: Clock, connection: SubscriberConnection): Promise<void> {
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
