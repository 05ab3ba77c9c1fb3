/**
 * One websocket for all markets, whoever asks. A figure is subscribed to when somebody needs it and let go some time
 * after; without any there is no connection.
 */
import type { Clock } from "../core/clock.ts";
import type { FigureKey } from "../core/market-knowledge.ts";
import type { Frame } from "../wire/answer/stream.ts";
import { openConnectTurns } from "./connect-turns.ts";
import { type FigureWish, type MarketWishes, openMarketWishes } from "./market-wishes.ts";
import type { SocketTransport } from "./socket.ts";
import { openSubscriber, type Subscriber } from "./subscriber.ts";

export type MarketFeedOptions = {
  url: string;
  /** Null: nothing is ever subscribed. */
  transport: SocketTransport | null;
  clock: Clock;
  /** None of these may throw. */
  onLive(afterMs: number): void;
  onFrame(frame: Frame): void;
  onEnd(): void;
  /** Nothing more is told of it. */
  onLetGo(key: FigureKey): void;
};

export type MarketFeed = {
  /** Somebody needs it now. Where it cannot be followed it has to be asked for. */
  need(key: FigureKey): void;
  /** Follows all of these until what is returned is called; null where there is no room for all of them. */
  hold(keys: readonly FigureKey[]): (() => void) | null;
  /** True while its first frame may be on its way. */
  isExpected(key: FigureKey): boolean;
  isFollowed(key: FigureKey): boolean;
  /** False where nothing is followed, and so nothing connected. */
  isNeeded(): boolean;
  /** Ends the connection; another is opened. */
  end(because: string): void;
  close(): void;
};

/** What nobody needs any more is looked for this often, milliseconds. */
const SWEEP_MS = 5_000;
/** A first frame is waited for so long after it was asked for, milliseconds. */
export const FIRST_FRAME_MS = 1_500;

export function openMarketFeed(options: MarketFeedOptions): MarketFeed {
  const { clock, transport } = options;
  let isSweeping = false;
  let isClosed = false;
  const wishes = openMarketWishes(clock, ({ key, subscription }, maySay) => {
    options.onLetGo(key);
    if (maySay) connection.say({ method: "unsubscribe", subscription });
  });
  const connection = openConnection(options, wishes);

  function wishFor(key: FigureKey): FigureWish | "refused" | "no_room" {
    if (transport === null || isClosed) return "refused";
    const wish = wishes.add(key);
    if (typeof wish === "string" || wish.isAsked) return wish;
    connection.begin(transport);
    connection.askForDue();
    void sweep();
    return wish;
  }

  /** While anything is needed. */
  async function sweep(): Promise<void> {
    if (isSweeping) return;
    isSweeping = true;
    while (!isClosed && !wishes.isEmpty()) {
      await clock.sleep(SWEEP_MS);
      wishes.letGoOfOld();
      connection.askForDue();
    }
    isSweeping = false;
    connection.close();
  }

  return {
    need: (key) => void wishFor(key),
    hold: (keys) => holdAll(keys, wishFor, clock),
    isExpected(key) {
      const wish = wishes.get(key);
      return wish !== undefined && !connection.isDown() && clock.elapsedMs() - wish.askedAtMs < FIRST_FRAME_MS;
    },
    isFollowed: (key) => wishes.get(key) !== undefined,
    isNeeded: () => !wishes.isEmpty(),
    end: connection.end,
    close() {
      isClosed = true;
      connection.close();
    },
  };
}

/** The one connection, from the first wish until nothing is needed; then none, until the next wish. */
function openConnection(options: MarketFeedOptions, wishes: MarketWishes) {
  const beforeConnecting = openConnectTurns(options.clock);
  let subscriber: Subscriber | null = null;
  let isOpen = false;
  /** It is lost, and not subscribed again yet. */
  let isDown = false;

  function subscriberOver(transport: SocketTransport): Subscriber {
    return openSubscriber({
      url: options.url,
      transport,
      clock: options.clock,
      awaited: null,
      beforeConnecting,
      subscriptions: () => {
        isOpen = true;
        return wishes.due().map(({ subscription }) => subscription);
      },
      onLive: (afterMs) => {
        isDown = false;
        options.onLive(afterMs);
      },
      onFrame: (frame) => {
        if (frame.kind === "error") wishes.heedRefusal(frame.text);
        else options.onFrame(frame);
      },
      onEnd: () => {
        isOpen = false;
        isDown = true;
        wishes.loseAll();
        options.onEnd();
      },
    });
  }

  return {
    begin(transport: SocketTransport): void {
      if (subscriber !== null) return;
      isDown = false;
      subscriber = subscriberOver(transport);
    },
    /** What is needed and not asked for yet. */
    askForDue(): void {
      if (!isOpen) return;
      for (const { subscription } of wishes.due()) subscriber?.say({ method: "subscribe", subscription });
    },
    say: (message: object) => subscriber?.say(message),
    isDown: () => isDown,
    end: (because: string) => subscriber?.end(because),
    close(): void {
      const closing = subscriber;
      subscriber = null;
      isOpen = false;
      closing?.close();
    },
  };
}

/** All that can be followed; none where there is no room for one. */
function holdAll(
  keys: readonly FigureKey[],
  wishFor: (key: FigureKey) => FigureWish | "refused" | "no_room",
  clock: Clock,
): (() => void) | null {
  const held: FigureWish[] = [];
  const release = () => {
    for (const wish of held.splice(0)) {
      wish.holders -= 1;
      wish.neededAtMs = clock.elapsedMs();
    }
  };
  for (const key of keys) {
    const wish = wishFor(key);
    if (wish === "refused") continue;
    if (wish === "no_room") {
      release();
      return null;
    }
    // Held at once: the next must not take its room.
    wish.holders += 1;
    held.push(wish);
  }
  return release;
}
