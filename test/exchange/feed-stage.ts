import { afterEach } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { type Feeds, openFeeds } from "../../src/exchange/feeds.ts";
import type { SocketEvents } from "../../src/exchange/socket.ts";
import { type StillClock, settled, stillClock } from "./clocks.ts";

export const ADDRESS = "0x00000000000000000000000000000000000000aa";
export const SUBSCRIPTIONS = [
  { type: "orderUpdates", user: ADDRESS },
  { type: "userFills", user: ADDRESS },
  { type: "userTwapHistory", user: ADDRESS },
  { type: "twapStates", user: ADDRESS, dex: "" },
  { type: "twapStates", user: ADDRESS, dex: "xyz" },
];
/** Asked for as well; without them a feed is live all the same. */
export const STATE_SUBSCRIPTIONS = [
  { type: "webData3", user: ADDRESS },
  { type: "clearinghouseState", user: ADDRESS, dex: "" },
  { type: "clearinghouseState", user: ADDRESS, dex: "xyz" },
  { type: "spotState", user: ADDRESS },
  { type: "openOrders", user: ADDRESS, dex: "" },
  { type: "openOrders", user: ADDRESS, dex: "xyz" },
];

/** The exchange's end of one websocket, in the test's hands. */
export type Line = { url: string; said: string[]; events: SocketEvents; isClosed: boolean };

export type Scene = { clock: StillClock; feeds: Feeds; lines: Line[]; told: [address: string, event: FeedEvent][] };

const opened: Feeds[] = [];
afterEach(() => {
  for (const feeds of opened.splice(0)) feeds.close();
});

export function scene(): Scene {
  const clock = stillClock();
  const lines: Line[] = [];
  const told: Scene["told"] = [];
  const feeds = openFeeds({
    url: "wss://exchange.test/ws",
    clock,
    dexes: ["xyz"],
    maxFeeds: 10,
    onEvent: (address, event) => told.push([address, event]),
    transport: (url, events) => {
      const line: Line = { url, said: [], events, isClosed: false };
      lines.push(line);
      return {
        send: (text) => line.said.push(text),
        close: () => {
          line.isClosed = true;
        },
      };
    },
  });
  opened.push(feeds);
  return { clock, feeds, lines, told };
}

export function lineOf({ lines }: Scene, at = -1): Line {
  const line = lines.at(at);
  if (line === undefined) throw new Error("no connection");
  return line;
}

/** Opens the newest line and confirms every subscription asked for. */
export function accept(line: Line): void {
  line.events.onOpen();
  line.events.onText("Websocket connection established.");
  for (const text of line.said) {
    const data: unknown = JSON.parse(text);
    line.events.onText(JSON.stringify({ channel: "subscriptionResponse", data }));
  }
}

export async function live(): Promise<Scene> {
  const stage = scene();
  stage.feeds.follow(ADDRESS);
  await settled();
  accept(lineOf(stage));
  return stage;
}

export function kinds({ told }: Scene): string[] {
  return told.map(([, event]) => event.kind);
}

/** The still clock wakes sleepers whose time has come, so time passes in steps no longer than their sleeps. */
export async function pass(clock: StillClock, durationMs: number, onEach: () => void = () => {}): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 500) {
    await clock.advance(500);
    onEach();
    await settled();
  }
}

export async function nextLine({ clock, lines }: Scene): Promise<void> {
  const count = lines.length;
  while (lines.length === count) await pass(clock, 500);
}
