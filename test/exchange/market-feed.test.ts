import { afterEach, describe, expect, test } from "bun:test";
import type { FigureKey } from "../../src/core/market-knowledge.ts";
import { type MarketFeed, openMarketFeed } from "../../src/exchange/market-feed.ts";
import type { SocketEvents } from "../../src/exchange/socket.ts";
import { type StillClock, settled, stillClock } from "./clocks.ts";

type Line = { said: string[]; events: SocketEvents; isClosed: boolean };
type Scene = { clock: StillClock; feed: MarketFeed; lines: Line[]; told: string[] };

const opened: MarketFeed[] = [];
afterEach(() => {
  for (const feed of opened.splice(0)) feed.close();
});

function scene(): Scene {
  const clock = stillClock();
  const lines: Line[] = [];
  const told: string[] = [];
  const feed = openMarketFeed({
    url: "wss://exchange.test/ws",
    clock,
    transport: (_url, events) => {
      const line: Line = { said: [], events, isClosed: false };
      lines.push(line);
      return {
        send: (text) => line.said.push(text),
        close: () => {
          line.isClosed = true;
        },
      };
    },
    onLive: () => told.push("live"),
    onFrame: () => undefined,
    onEnd: () => told.push("end"),
    onLetGo: ({ of }) => told.push(`let go ${of}`),
  });
  opened.push(feed);
  return { clock, feed, lines, told };
}

function best(of: string): FigureKey {
  return { kind: "best", of };
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `M${at}`);
}

function lineOf({ lines }: Scene): Line {
  const line = lines.at(-1);
  if (line === undefined) throw new Error("no connection");
  return line;
}

function saidOf(line: Line, method: string): string[] {
  return line.said.flatMap((text) => {
    const message = JSON.parse(text) as { method: string; subscription?: { coin: string } };
    return message.method === method ? [message.subscription?.coin ?? ""] : [];
  });
}

function accept(line: Line): void {
  line.events.onOpen();
  const [first = ""] = line.said;
  line.events.onText(JSON.stringify({ channel: "subscriptionResponse", data: JSON.parse(first) }));
}

/** Pings are answered. */
async function pass({ clock, lines }: Scene, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 500) {
    await clock.advance(500);
    for (const { events } of lines) events.onText(`{"channel":"pong"}`);
    await settled();
  }
}

async function live(keys: readonly FigureKey[]): Promise<Scene> {
  const stage = scene();
  for (const key of keys) stage.feed.need(key);
  await settled();
  accept(lineOf(stage));
  return stage;
}

describe("subscriptions", () => {
  test("are asked for in one connection, each once, and what comes later at once", async () => {
    const stage = await live([best("BTC"), best("BTC"), { kind: "book", of: "BTC" }]);
    stage.feed.need({ kind: "mids", of: "xyz" });
    stage.feed.need({ kind: "mids", of: "" });
    stage.feed.need({ kind: "mark", of: "ETH" });
    expect(lineOf(stage).said.map((text) => JSON.parse(text).subscription)).toEqual([
      { type: "bbo", coin: "BTC" },
      { type: "l2Book", coin: "BTC" },
      { type: "allMids", dex: "xyz" },
      { type: "allMids" },
      { type: "activeAssetCtx", coin: "ETH" },
    ]);
    expect(stage.lines).toHaveLength(1);
    expect(stage.told).toEqual(["live"]);
  });

  test("are 800 at most: a new one takes the place of what was needed longest ago, and of nothing that is held", async () => {
    const stage = await live(names(400).map(best));
    const release = stage.feed.hold(names(200).map(best));
    await pass(stage, 1_000);
    for (const name of names(1_000).slice(400, 800)) stage.feed.need(best(name));
    expect(saidOf(lineOf(stage), "unsubscribe")).toEqual([]);
    await pass(stage, 1_000);
    stage.feed.need(best("NEW"));
    expect(saidOf(lineOf(stage), "unsubscribe")).toEqual(["M200"]);
    expect([stage.feed.isFollowed(best("M200")), stage.feed.isFollowed(best("NEW"))]).toEqual([false, true]);
    expect(stage.feed.hold(names(601).map((_name, at) => best(`H${at}`)))).toBeNull();
    expect(stage.feed.isFollowed(best("M0"))).toBe(true);
    release?.();
    const all = stage.feed.hold(names(800).map((_name, at) => best(`H${at}`)));
    expect(all).not.toBeNull();
    expect(stage.feed.isFollowed(best("M0"))).toBe(false);
  });

  test("take at most 1,000 messages a minute, held ones first, and the rest as soon as there is room", async () => {
    const stage = await live(names(700).map(best));
    stage.feed.hold([best("M699")]);
    lineOf(stage).events.onClose("cut");
    await settled();
    await pass(stage, 3_000);
    accept(lineOf(stage));
    const said = saidOf(lineOf(stage), "subscribe");
    expect([said.length, said[0]]).toEqual([300, "M699"]);
    for (const name of names(700)) stage.feed.need(best(name));
    await pass(stage, 58_000);
    for (const name of names(700)) stage.feed.need(best(name));
    await pass(stage, 5_000);
    expect(new Set(saidOf(lineOf(stage), "subscribe")).size).toBe(700);
    expect(saidOf(lineOf(stage), "subscribe")).toHaveLength(700);
  });

  test("that nobody has needed for a minute are let go, and the connection with the last of them", async () => {
    const stage = await live([best("BTC"), best("ETH")]);
    await pass(stage, 30_000);
    stage.feed.need(best("ETH"));
    await pass(stage, 35_000);
    expect(saidOf(lineOf(stage), "unsubscribe")).toEqual(["BTC"]);
    expect(lineOf(stage).isClosed).toBe(false);
    await pass(stage, 30_000);
    expect(lineOf(stage).isClosed).toBe(true);
    expect(stage.told).toEqual(["live", "let go BTC", "let go ETH", "end"]);
    await pass(stage, 120_000);
    expect(stage.lines).toHaveLength(1);
    stage.feed.need(best("SOL"));
    await pass(stage, 500);
    accept(lineOf(stage));
    expect([stage.lines.length, saidOf(lineOf(stage), "subscribe")]).toEqual([2, ["SOL"]]);
  });

  test("that are held are never let go", async () => {
    const stage = scene();
    const release = stage.feed.hold([best("BTC")]);
    await settled();
    accept(lineOf(stage));
    await pass(stage, 300_000);
    expect(stage.feed.isFollowed(best("BTC"))).toBe(true);
    release?.();
    await pass(stage, 66_000);
    expect([stage.feed.isFollowed(best("BTC")), lineOf(stage).isClosed]).toEqual([false, true]);
  });

  test("that the exchange refuses are let go, and asked for again after a minute, while the others go on", async () => {
    const stage = await live([best("BTC"), best("GONE")]);
    const data = `Invalid subscription {"type":"bbo","coin":"GONE"}`;
    lineOf(stage).events.onText(JSON.stringify({ channel: "error", data }));
    expect([stage.feed.isFollowed(best("GONE")), stage.feed.isFollowed(best("BTC"))]).toEqual([false, true]);
    stage.feed.need(best("GONE"));
    stage.feed.hold([best("GONE")]);
    expect(stage.feed.isFollowed(best("GONE"))).toBe(false);
    expect(saidOf(lineOf(stage), "unsubscribe")).toEqual([]);
    await pass(stage, 40_000);
    stage.feed.need(best("BTC"));
    await pass(stage, 30_000);
    stage.feed.need(best("GONE"));
    expect(saidOf(lineOf(stage), "subscribe")).toEqual(["BTC", "GONE", "GONE"]);
  });

  test("another error takes nothing away", async () => {
    const stage = await live([best("BTC")]);
    const data = `Already subscribed: {"type":"bbo","coin":"BTC"}`;
    lineOf(stage).events.onText(JSON.stringify({ channel: "error", data }));
    expect(stage.feed.isFollowed(best("BTC"))).toBe(true);
  });
});

describe("a first frame is expected", () => {
  test("for a second and a half after it was asked for, and not while the connection is lost", async () => {
    const stage = scene();
    expect(stage.feed.isExpected(best("BTC"))).toBe(false);
    stage.feed.need(best("BTC"));
    expect(stage.feed.isExpected(best("BTC"))).toBe(true);
    await settled();
    accept(lineOf(stage));
    await pass(stage, 1_000);
    expect(stage.feed.isExpected(best("BTC"))).toBe(true);
    await pass(stage, 500);
    expect(stage.feed.isExpected(best("BTC"))).toBe(false);
    lineOf(stage).events.onClose("cut");
    await settled();
    stage.feed.need(best("ETH"));
    expect(stage.feed.isExpected(best("ETH"))).toBe(false);
    await pass(stage, 3_000);
    accept(lineOf(stage));
    expect(stage.feed.isExpected(best("ETH"))).toBe(true);
    expect(stage.told).toEqual(["live", "end", "live"]);
  });
});

test("a connection that is closed while it opens is not taken for the next one", async () => {
  const stage = scene();
  stage.feed.need(best("BTC"));
  await settled();
  await pass(stage, 66_000);
  expect(stage.feed.isFollowed(best("BTC"))).toBe(false);
  stage.feed.need(best("ETH"));
  await pass(stage, 3_000);
  const [, ...later] = stage.lines;
  const newest = later.at(-1);
  if (newest === undefined) throw new Error("no second connection");
  accept(newest);
  stage.lines[0]?.events.onClose("late");
  await settled();
  stage.feed.need(best("SOL"));
  expect(saidOf(newest, "subscribe")).toEqual(["ETH", "SOL"]);
});

test("a feed that is closed asks for nothing more", async () => {
  const stage = await live([best("BTC")]);
  stage.feed.close();
  expect(lineOf(stage).isClosed).toBe(true);
  stage.feed.need(best("ETH"));
  await pass(stage, 10_000);
  expect([stage.lines.length, stage.feed.isFollowed(best("ETH"))]).toEqual([1, false]);
});
