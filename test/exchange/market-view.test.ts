import { afterEach, describe, expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { type MarketView, openMarketView } from "../../src/exchange/market-view.ts";
import type { SocketEvents } from "../../src/exchange/socket.ts";
import { type StillClock, settled, stillClock } from "./clocks.ts";

const START_MS = 1_795_253_400_000;

type Line = { said: string[]; events: SocketEvents; isClosed: boolean };
type Scene = { clock: StillClock; view: MarketView; lines: Line[]; asked: string[] };

const opened: MarketView[] = [];
afterEach(() => {
  for (const view of opened.splice(0)) view.close();
});

/** Reads show a best bid of 90. */
function scene(): Scene {
  const clock = stillClock(START_MS);
  const lines: Line[] = [];
  const asked: string[] = [];
  const read = <Value>(what: string, value: Value) => {
    asked.push(what);
    return Promise.resolve({ kind: "ok" as const, value, askedAtMs: clock.nowMs(), readAtMs: clock.nowMs() });
  };
  const level = { price: decimal("90"), size: decimal("1"), orders: 1 };
  const view = openMarketView({
    url: "wss://exchange.test/ws",
    clock,
    maxAgeMs: 10_000,
    exchangeNowMs: () => clock.nowMs(),
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
    reads: {
      book: (market) => read("book", { market, timeMs: clock.nowMs(), book: { bids: [level], asks: [] } }),
      perpMarks: () => read("marks", new Map()),
      spotMarks: () => read("marks", new Map()),
      mids: () => read("mids", new Map()),
    },
  });
  opened.push(view);
  return { clock, view, lines, asked };
}

function lineOf({ lines }: Scene): Line {
  const line = lines.at(-1);
  if (line === undefined) throw new Error("no connection");
  return line;
}

function tellBest({ clock }: Scene, line: Line, price: string): void {
  const data = { coin: "BTC", time: clock.nowMs(), bbo: [{ px: price, sz: "1.0", n: 1 }, null] };
  line.events.onText(JSON.stringify({ channel: "bbo", data }));
}

function accept(line: Line): void {
  line.events.onOpen();
  const [first = ""] = line.said;
  line.events.onText(JSON.stringify({ channel: "subscriptionResponse", data: JSON.parse(first) }));
}

/** Pings are answered. */
async function pass({ clock, lines }: Scene, ms: number, onEach: () => void = () => {}): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 500) {
    await clock.advance(500);
    for (const { events } of lines) events.onText(`{"channel":"pong"}`);
    onEach();
    await settled();
  }
}

async function bidOf(stage: Scene): Promise<string | null> {
  const looked = stage.view.best("BTC", "read");
  await settled();
  await stage.clock.advance(1_500);
  const look = await looked;
  return look.kind === "ok" ? (look.value.bid?.price ?? null) : look.reason;
}

async function live(): Promise<Scene> {
  const stage = scene();
  const looked = stage.view.best("BTC", "read");
  await settled();
  accept(lineOf(stage));
  tellBest(stage, lineOf(stage), "100");
  expect(await looked).toMatchObject({ kind: "ok", value: { bid: { price: "100" } } });
  expect(stage.asked).toEqual([]);
  return stage;
}

describe("who asks first", () => {
  test("gets the first frame, without a request", async () => {
    await live();
  });

  test("waits a second and a half for it, and no longer", async () => {
    const stage = scene();
    const looked = stage.view.best("BTC", "read");
    await settled();
    await stage.clock.advance(1_000);
    expect(stage.asked).toEqual([]);
    await stage.clock.advance(500);
    expect(await looked).toMatchObject({ value: { bid: { price: "90" } } });
    expect(stage.asked).toEqual(["book"]);
  });

  test("does not wait while the connection is lost", async () => {
    const stage = await live();
    lineOf(stage).events.onClose("cut");
    await settled();
    const looked = stage.view.book("ETH", "read");
    await settled();
    expect(stage.asked).toEqual(["book"]);
    expect((await looked).kind).toBe("ok");
  });
});

test("what still comes after a market was let go is not taken: it would never be told again", async () => {
  const stage = await live();
  const line = lineOf(stage);
  stage.view.follow([{ kind: "mark", of: "ETH" }], () => {});
  const ctx = { markPx: "5.0", dayNtlVlm: "1.0", prevDayPx: "5.0" };
  const alive = JSON.stringify({ channel: "activeAssetCtx", data: { coin: "ETH", ctx } });
  await pass(stage, 66_000, () => line.events.onText(alive));
  expect(line.said.join()).toContain(`{"method":"unsubscribe","subscription":{"type":"bbo","coin":"BTC"}}`);
  expect(stage.view.isLive({ kind: "mark", of: "ETH" })).toBe(true);
  tellBest(stage, line, "101");
  expect(stage.view.peek("best", "BTC")).toBeNull();
});

test("a connection that answers pings and tells nothing new is given up after 15 s", async () => {
  const stage = await live();
  const first = lineOf(stage);
  await pass(stage, 10_000);
  expect(stage.view.isLive({ kind: "best", of: "BTC" })).toBe(true);
  await pass(stage, 500);
  expect([stage.view.isLive({ kind: "best", of: "BTC" }), first.isClosed]).toEqual([false, false]);
  await pass(stage, 5_000);
  expect(first.isClosed).toBe(true);
  await pass(stage, 1_500);
  expect(stage.lines).toHaveLength(2);
  expect(await bidOf(stage)).toBe("90");
});

test("who follows is told of every change, of the connection, and every second of the time", async () => {
  const stage = scene();
  const news: string[] = [];
  const stop = stage.view.follow([{ kind: "best", of: "BTC" }], (key) => news.push(key === null ? "time" : key.of));
  await settled();
  accept(lineOf(stage));
  tellBest(stage, lineOf(stage), "100");
  tellBest(stage, lineOf(stage), "100");
  expect(news).toEqual(["time", "BTC"]);
  await pass(stage, 2_000);
  expect(news).toEqual(["time", "BTC", "time", "time"]);
  lineOf(stage).events.onClose("cut");
  await settled();
  expect(news).toHaveLength(5);
  stop?.();
  await pass(stage, 10_000);
  expect(news).toHaveLength(5);
});
