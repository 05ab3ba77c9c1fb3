import { afterEach, expect, test } from "bun:test";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { type Feeds, openFeeds } from "../../src/exchange/feeds.ts";
import { openSocket, type SocketEvents, socketUrl } from "../../src/exchange/socket.ts";
import { type StillClock, settled, stillClock } from "./clocks.ts";

const ADDRESS = "0x00000000000000000000000000000000000000aa";
const SUBSCRIPTIONS = [
  { type: "orderUpdates", user: ADDRESS },
  { type: "userFills", user: ADDRESS },
  { type: "userTwapHistory", user: ADDRESS },
  { type: "twapStates", user: ADDRESS, dex: "" },
  { type: "twapStates", user: ADDRESS, dex: "xyz" },
];

/** The exchange's end of one websocket, in the test's hands. */
type Line = { url: string; said: string[]; events: SocketEvents; isClosed: boolean };

type Scene = { clock: StillClock; feeds: Feeds; lines: Line[]; told: [address: string, event: FeedEvent][] };

const opened: Feeds[] = [];
afterEach(() => {
  for (const feeds of opened.splice(0)) feeds.close();
});

function scene(): Scene {
  const clock = stillClock();
  const lines: Line[] = [];
  const told: Scene["told"] = [];
  const feeds = openFeeds({
    url: "wss://exchange.test/ws",
    clock,
    dexes: ["xyz"],
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

function lineOf({ lines }: Scene, at = -1): Line {
  const line = lines.at(at);
  if (line === undefined) throw new Error("no connection");
  return line;
}

/** Opens the newest line and confirms every subscription asked for. */
function accept(line: Line): void {
  line.events.onOpen();
  line.events.onText("Websocket connection established.");
  for (const text of line.said) {
    const data: unknown = JSON.parse(text);
    line.events.onText(JSON.stringify({ channel: "subscriptionResponse", data }));
  }
}

async function live(): Promise<Scene> {
  const stage = scene();
  stage.feeds.follow(ADDRESS);
  await settled();
  accept(lineOf(stage));
  return stage;
}

function kinds({ told }: Scene): string[] {
  return told.map(([, event]) => event.kind);
}

/** The still clock wakes sleepers whose time has come, so time passes in steps no longer than their sleeps. */
async function pass(clock: StillClock, durationMs: number, onEach: () => void = () => {}): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 500) {
    await clock.advance(500);
    onEach();
    await settled();
  }
}

async function nextLine({ clock, lines }: Scene): Promise<void> {
  const count = lines.length;
  while (lines.length === count) await pass(clock, 500);
}

test("one connection subscribes to orders, fills and TWAPs of one address, and is live when all is confirmed", async () => {
  const stage = scene();
  expect(stage.feeds.follow(ADDRESS)).toBe(true);
  await settled();
  const line = lineOf(stage);
  expect(line.url).toBe("wss://exchange.test/ws");
  expect(line.said).toEqual([]);
  line.events.onOpen();
  expect(line.said.map((text) => JSON.parse(text))).toEqual(
    SUBSCRIPTIONS.map((subscription) => ({ method: "subscribe", subscription })),
  );
  for (const subscription of SUBSCRIPTIONS) {
    expect(stage.feeds.isLive(ADDRESS)).toBe(false);
    line.events.onText(
      JSON.stringify({ channel: "subscriptionResponse", data: { method: "subscribe", subscription } }),
    );
  }
  expect(stage.feeds.isLive(ADDRESS)).toBe(true);
  expect(stage.told).toEqual([[ADDRESS, { kind: "connected" }]]);
});

test("frames become what they say", async () => {
  const stage = await live();
  const order = { coin: "BTC", side: "B", limitPx: "95000.0", sz: "0.0", oid: 77, timestamp: 5, origSz: "0.01" };
  const fill = {
    coin: "BTC",
    px: "95000.0",
    sz: "0.01",
    side: "B",
    time: 6,
    startPosition: "0.0",
    dir: "Open Long",
    closedPnl: "0.0",
    hash: "0x00",
    oid: 77,
    crossed: true,
    fee: "0.1",
    tid: 9,
    feeToken: "USDC",
    twapId: null,
  };
  const state = {
    coin: "BTC",
    user: ADDRESS,
    side: "B",
    sz: "0.5",
    executedSz: "0.1",
    executedNtl: "9500.0",
    minutes: 30,
    reduceOnly: false,
    randomize: true,
    timestamp: 5,
  };
  const frames: readonly [frame: unknown, event: object][] = [
    [
      { channel: "orderUpdates", data: [{ order, status: "filled", statusTimestamp: 6 }] },
      {
        kind: "order_updates",
        updates: [{ order: { oid: "77", limitPrice: "95000" }, status: "filled", statusTimestampMs: 6 }],
      },
    ],
    [
      {
        channel: "userFills",
        data: { user: ADDRESS.toUpperCase().replace("0X", "0x"), fills: [fill], isSnapshot: true },
      },
      { kind: "fills", isSnapshot: true, fills: [{ oid: "77", size: "0.01" }] },
    ],
    [
      { channel: "userFills", data: { user: ADDRESS, fills: [] } },
      { kind: "fills", isSnapshot: false, fills: [] },
    ],
    [
      { channel: "twapStates", data: { user: ADDRESS, dex: "xyz", states: [[5, state]] } },
      { kind: "running_twaps", dex: "xyz", twaps: [{ twapId: "5", state: { executedSize: "0.1" } }] },
    ],
    [
      {
        channel: "userTwapHistory",
        data: { user: ADDRESS, history: [{ time: 1, state, status: { status: "activated" }, twapId: 5 }] },
      },
      { kind: "twap_records", isSnapshot: false, records: [{ status: "activated", twapId: "5" }] },
    ],
    [
      { channel: "error", data: "Cannot track more than 15 total users." },
      { kind: "refused", text: "Cannot track more than 15 total users." },
    ],
    [{ channel: "userFills", data: { user: "0xbb", fills: [] } }, { kind: "gap" }],
    [{ channel: "orderUpdates", data: [{ order: { coin: "BTC" }, status: "open" }] }, { kind: "gap" }],
    ["", { kind: "gap" }],
  ];
  for (const [frame, event] of frames) {
    stage.told.length = 0;
    lineOf(stage).events.onText(typeof frame === "string" ? frame : JSON.stringify(frame));
    expect(stage.told).toMatchObject([[ADDRESS, event]]);
  }
  stage.told.length = 0;
  for (const text of [
    `{"channel":"pong"}`,
    `{"channel":"allMids","data":{"mids":{}}}`,
    "Websocket connection established.",
  ])
    lineOf(stage).events.onText(text);
  expect(stage.told).toEqual([]);
});

test("a connection whose pings are answered stays, whether or not anything else comes", async () => {
  const stage = await live();
  const line = lineOf(stage);
  await pass(stage.clock, 600_000, () => {
    if (line.said.at(-1) === `{"method":"ping"}`) line.events.onText(`{"channel":"pong"}`);
  });
  expect(line.said.filter((text) => text === `{"method":"ping"}`)).toHaveLength(40);
  expect(stage.lines).toHaveLength(1);
  expect(stage.feeds.isLive(ADDRESS)).toBe(true);
});

test("a connection that goes silent is noticed within 35 s, whatever else still comes over it", async () => {
  const stage = await live();
  const line = lineOf(stage);
  await pass(stage.clock, 14_500);
  expect(line.said.at(-1)).toBe(`{"method":"ping"}`);
  line.events.onText(`{"channel":"pong"}`);
  await pass(stage.clock, 35_500, () => line.events.onText(JSON.stringify({ channel: "orderUpdates", data: [] })));
  expect(stage.feeds.isLive(ADDRESS)).toBe(false);
  expect(line.isClosed).toBe(true);
  expect(stage.told).toContainEqual([ADDRESS, { kind: "disconnected", reason: "two pings without an answer" }]);
  await pass(stage.clock, 2_000);
  expect(stage.lines).toHaveLength(2);
});

test("one lost pong is no reason to connect again", async () => {
  const stage = await live();
  const line = lineOf(stage);
  let pings = 0;
  await pass(stage.clock, 300_000, () => {
    const seen = line.said.filter((text) => text === `{"method":"ping"}`).length;
    if (seen > pings && seen % 2 === 0) line.events.onText(`{"channel":"pong"}`);
    pings = seen;
  });
  expect(stage.lines).toHaveLength(1);
});

test("a lost connection is made again with growing pauses, and every success is told", async () => {
  const stage = await live();
  const startedAtMs: number[] = [];
  lineOf(stage).events.onClose("Inactive");
  await settled();
  await pass(stage.clock, 200_000, () => {
    if (stage.lines.length <= startedAtMs.length + 1) return;
    startedAtMs.push(stage.clock.elapsedMs());
    lineOf(stage).events.onClose("code 1006");
  });
  const pauses = startedAtMs.map((atMs, nth) => atMs - (startedAtMs[nth - 1] ?? 0));
  expect(pauses.slice(0, 6)).toEqual([2_500, 2_500, 5_000, 15_000, 30_000, 60_000]);
  expect(kinds(stage).slice(0, 3)).toEqual(["connected", "disconnected", "disconnected"]);
  await nextLine(stage);
  accept(lineOf(stage));
  expect(stage.told.at(-1)).toEqual([ADDRESS, { kind: "connected" }]);
  expect(stage.feeds.isLive(ADDRESS)).toBe(true);
});

test("connections that are lost soon after each success have growing pauses too", async () => {
  const stage = await live();
  const pauses: number[] = [];
  for (let nth = 0; nth < 4; nth += 1) {
    await pass(stage.clock, 5_000);
    lineOf(stage).events.onClose("Inactive");
    await settled();
    const lostAtMs = stage.clock.elapsedMs();
    await nextLine(stage);
    pauses.push(stage.clock.elapsedMs() - lostAtMs);
    accept(lineOf(stage));
  }
  expect(pauses).toEqual([1_000, 2_000, 5_000, 15_000]);
});

test("a connection that was good for a minute starts with short pauses again", async () => {
  const stage = scene();
  stage.feeds.follow(ADDRESS);
  await settled();
  for (let nth = 0; nth < 5; nth += 1) {
    lineOf(stage).events.onClose("code 1006");
    await nextLine(stage);
  }
  const line = lineOf(stage);
  accept(line);
  await pass(stage.clock, 61_000, () => line.events.onText(`{"channel":"pong"}`));
  const before = stage.lines.length;
  line.events.onClose("Inactive");
  await settled();
  await pass(stage.clock, 1_000);
  expect(stage.lines).toHaveLength(before + 1);
});

test("a connection that never opens, or is never confirmed whole, is given up after 15 s", async () => {
  for (const opens of [false, true]) {
    const stage = scene();
    stage.feeds.follow(ADDRESS);
    await settled();
    const line = lineOf(stage);
    if (opens) {
      line.events.onOpen();
      const [first = ""] = line.said;
      line.events.onText(JSON.stringify({ channel: "subscriptionResponse", data: JSON.parse(first) }));
    }
    await pass(stage.clock, 14_500);
    expect(line.isClosed).toBe(false);
    await pass(stage.clock, 500);
    expect(line.isClosed).toBe(true);
    expect(stage.told).toEqual([[ADDRESS, { kind: "disconnected", reason: "not subscribed in time" }]]);
  }
});

test("what still comes from a connection that was given up is not heard", async () => {
  const stage = await live();
  const line = lineOf(stage);
  line.events.onClose("Inactive");
  await settled();
  stage.told.length = 0;
  line.events.onText(JSON.stringify({ channel: "orderUpdates", data: [] }));
  line.events.onClose("again");
  await settled();
  expect(stage.told).toEqual([]);
});

test("each address has its own connection, ten at most, and at most 30 new ones a minute", async () => {
  const stage = scene();
  const addresses = Array.from({ length: 11 }, (_, at) => `0x${at.toString(16).padStart(40, "0")}`);
  expect(addresses.map((address) => stage.feeds.follow(address))).toEqual([...Array(10).fill(true), false]);
  expect(stage.feeds.follow(addresses[0] ?? "")).toBe(true);
  const startedAtMs: number[] = [];
  await pass(stage.clock, 600_000, () => {
    while (startedAtMs.length < stage.lines.length) {
      lineOf(stage, startedAtMs.length).events.onClose("code 1006");
      startedAtMs.push(stage.clock.elapsedMs());
    }
  });
  for (const atMs of startedAtMs)
    expect(startedAtMs.filter((other) => other > atMs - 60_000 && other <= atMs).length).toBeLessThanOrEqual(30);
  expect(startedAtMs.length).toBeGreaterThan(60);
});

test("closed feeds connect no more", async () => {
  const stage = await live();
  stage.feeds.close();
  await settled();
  expect(lineOf(stage).isClosed).toBe(true);
  await pass(stage.clock, 120_000);
  expect(stage.lines).toHaveLength(1);
  expect(stage.feeds.isLive(ADDRESS)).toBe(false);
});

test("the websocket is at /ws of the base URL", () => {
  expect(socketUrl("https://api.hyperliquid.xyz")).toBe("wss://api.hyperliquid.xyz/ws");
  expect(socketUrl("http://127.0.0.1:9797/")).toBe("ws://127.0.0.1:9797/ws");
});

test("over a real websocket: subscribed, told, and told of its end", async () => {
  const events: FeedEvent["kind"][] = [];
  const finished = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response(null, { status: 400 })),
    websocket: {
      open: (socket) => {
        socket.sendText("Websocket connection established.");
      },
      message: (socket, text) => {
        const data: unknown = JSON.parse(String(text));
        socket.sendText(JSON.stringify({ channel: "subscriptionResponse", data }));
        if (!String(text).includes("twapStates")) return;
        socket.sendText(JSON.stringify({ channel: "orderUpdates", data: [] }));
        socket.close(1000, "Inactive");
      },
    },
  });
  const feeds = openFeeds({
    url: socketUrl(server.url.href),
    clock: stillClock(),
    dexes: [],
    transport: openSocket,
    onEvent: (_address, event) => {
      events.push(event.kind);
      if (event.kind === "disconnected") finished.resolve();
    },
  });
  opened.push(feeds);
  feeds.follow(ADDRESS);
  await finished.promise;
  expect(events).toEqual(["connected", "order_updates", "disconnected"]);
  await server.stop(true);
});

test("a websocket that cannot be opened says so once", async () => {
  const reasons: string[] = [];
  const closed = Promise.withResolvers<void>();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status: 400 }) });
  openSocket(socketUrl(server.url.href), {
    onOpen: () => reasons.push("opened"),
    onText: () => reasons.push("text"),
    onClose: (reason) => {
      reasons.push(reason);
      closed.resolve();
    },
  });
  await closed.promise;
  await settled();
  expect(reasons).toHaveLength(1);
  expect(reasons[0]).not.toBe("opened");
  await server.stop(true);
});
