/** Rules of the connection itself, without a socket: idling, limits, and faults of frames. */
import { describe, expect, test } from "bun:test";
import type { FaultFile, FrameFault } from "../../src/paper/faults.ts";
import type { PaperSocket } from "../../src/paper/paper-exchange.ts";
import { type Bench, bench } from "./support.ts";

type Line = { readonly frames: string[]; closed: [number, string] | null; readonly socket: PaperSocket };

function open(started: Bench, address?: string): Line {
  const frames: string[] = [];
  const line: { frames: string[]; closed: [number, string] | null; socket: PaperSocket | null } = {
    frames,
    closed: null,
    socket: null,
  };
  const close = (code: number, reason: string) => {
    line.closed = [code, reason];
  };
  line.socket = started.paper.connect({ send: (text) => frames.push(text), close }, address);
  if (line.socket === null) throw new Error("not connected");
  return line as Line;
}

/** How a connection is turned away; null where it is taken. */
function turnedAway(started: Bench, address?: string): [number, string] | null {
  let closed: [number, string] | null = null;
  const close = (code: number, reason: string) => {
    closed = [code, reason];
  };
  started.paper.connect({ send: () => undefined, close }, address);
  return closed;
}

function withFrameFault(type: string, fault: FrameFault, times = 1): Bench {
  const rules: FaultFile["rules"] = [{ on: "ws", type, times, fault }];
  return bench({ faults: { rules }, hasMarketMaker: false });
}

const PING = '{"method":"ping"}';
const PONG = '{"channel":"pong"}';

function subscription(user: number): string {
  const address = `0x${user.toString(16).padStart(40, "0")}`;
  return JSON.stringify({ method: "subscribe", subscription: { type: "orderUpdates", user: address } });
}

describe("a connection", () => {
  test("is closed as inactive when nothing was sent to it for a minute", () => {
    const started = bench({ hasMarketMaker: false });
    const line = open(started);
    started.pass(59_000);
    expect(line.closed).toBeNull();
    started.pass(1_000);
    expect(line.closed).toEqual([1_000, "Inactive"]);
  });

  test("is kept by pings", async () => {
    const started = bench({ hasMarketMaker: false });
    const line = open(started);
    for (let minute = 0; minute < 3; minute += 1) {
      started.pass(50_000);
      await line.socket.receive(PING);
    }
    expect([line.closed, line.frames]).toEqual([null, [PONG, PONG, PONG]]);
  });

  test("is greeted on request alone, in a text that is no JSON; the rule counts connections", () => {
    expect(open(bench({ hasMarketMaker: false })).frames).toEqual([]);
    const rules: FaultFile["rules"] = [
      { on: "ws", skip: 1, times: 1, fault: { kind: "hello" } },
      { on: "ws", type: "pong", times: 1, fault: { kind: "drop" } },
    ];
    const greeting = bench({ faults: { rules }, hasMarketMaker: false });
    const frames = [open(greeting), open(greeting), open(greeting)].map((line) => line.frames);
    expect(frames).toEqual([[], ["Websocket connection established."], []]);
  });

  test.each([
    [undefined, 10],
    [{ users: 3 }, 3],
  ])(
    "may follow so many users and no more, all connections of an address together (%j: %d)",
    async (socketLimits, most) => {
      const started = bench({ hasMarketMaker: false, faults: { rules: [], ...(socketLimits && { socketLimits }) } });
      const lines = [open(started), open(started)];
      for (let user = 1; user <= most; user += 1) await lines[user % 2]?.socket.receive(subscription(user));
      await lines[0]?.socket.receive(subscription(most + 1));
      expect(lines[0]?.frames.at(-1)).toBe(`{"channel":"error","data":"Cannot track more than ${most} total users."}`);
      await lines[0]?.socket.receive(subscription(most === 10 ? 10 : 2));
      expect(lines[0]?.frames.at(-1)).not.toContain("total users");
      const elsewhere = open(started, "192.0.2.1");
      await elsewhere.socket.receive(subscription(most + 1));
      expect(elsewhere.frames.at(-1)).toContain("subscriptionResponse");
    },
  );

  test("is one of ten of an address at most, and of thirty new ones a minute; either can be set", () => {
    const started = bench({ hasMarketMaker: false });
    const lines = Array.from({ length: 10 }, () => open(started));
    expect(turnedAway(started)).toEqual([1_013, "Too many connections"]);
    expect(turnedAway(started, "192.0.2.1")).toBeNull();
    for (let opened = 10; opened < 30; opened += 1) {
      lines.pop()?.socket.closed();
      lines.push(open(started));
    }
    lines.pop()?.socket.closed();
    expect(turnedAway(started)).toEqual([1_013, "Too many connections"]);
    started.pass(60_000);
    expect(turnedAway(started)).toBeNull();
    const narrow = bench({ hasMarketMaker: false, faults: { rules: [], socketLimits: { connections: 1 } } });
    expect([turnedAway(narrow), turnedAway(narrow)]).toEqual([null, [1_013, "Too many connections"]]);
  });

  test("gets nothing any more once it is closed", async () => {
    const started = bench();
    const line = open(started);
    await line.socket.receive('{"method":"subscribe","subscription":{"type":"allMids"}}');
    line.socket.closed();
    line.frames.length = 0;
    started.pass(5_000);
    expect(line.frames).toEqual([]);
  });
});

describe("the best offer", () => {
  test("is told once, and again only when it has changed", async () => {
    const started = bench({ prices: { kind: "scripted" } });
    const line = open(started);
    await line.socket.receive('{"method":"subscribe","subscription":{"type":"bbo","coin":"DYDX"}}');
    const offers = () => line.frames.filter((frame) => frame.includes('"channel":"bbo"')).length;
    expect(offers()).toBe(1);
    const quotes = JSON.stringify([started.paper.venue.books.get(4)?.bids[0]?.oids]);
    started.pass(1_000);
    // The house has quoted anew at the same prices; with this seed its first trade is in another market.
    expect(JSON.stringify([started.paper.venue.books.get(4)?.bids[0]?.oids])).not.toBe(quotes);
    expect(offers()).toBe(1);
    started.paper.setPrice("DYDX", 70_000_000n);
    expect(offers()).toBe(2);
  });
});

describe("a frame", () => {
  test("may come twice", async () => {
    const line = open(withFrameFault("pong", { kind: "duplicate" }));
    await line.socket.receive(PING);
    await line.socket.receive(PING);
    expect(line.frames).toEqual([PONG, PONG, PONG]);
  });

  test("may be lost", async () => {
    const line = open(withFrameFault("pong", { kind: "drop" }));
    await line.socket.receive(PING);
    await line.socket.receive(PING);
    expect(line.frames).toEqual([PONG]);
  });

  test("may come after the one that followed it", async () => {
    const line = open(withFrameFault("error", { kind: "reorder" }));
    await line.socket.receive("rubbish");
    expect(line.frames).toEqual([]);
    await line.socket.receive(PING);
    expect(line.frames).toEqual([PONG, expect.stringContaining("rubbish")]);
  });

  test("may come late, by the tick", async () => {
    const started = withFrameFault("pong", { kind: "late", ms: 2_500 });
    const line = open(started);
    await line.socket.receive(PING);
    await line.socket.receive(PING);
    expect(line.frames).toEqual([PONG]);
    started.pass(2_000);
    expect(line.frames).toEqual([PONG]);
    started.pass(1_000);
    expect(line.frames).toEqual([PONG, PONG]);
  });

  test("may be the beginning of a silence", async () => {
    const started = withFrameFault("pong", { kind: "silent", ms: 30_000 });
    const line = open(started);
    await line.socket.receive(PING);
    started.pass(29_000);
    await line.socket.receive(PING);
    expect(line.frames).toEqual([]);
    started.pass(1_000);
    await line.socket.receive(PING);
    expect(line.frames).toEqual([PONG]);
  });

  test("may be the end of the connection", async () => {
    const line = open(withFrameFault("pong", { kind: "close", code: 1_006, reason: "gone" }));
    await line.socket.receive(PING);
    expect([line.frames, line.closed]).toEqual([[], [1_006, "gone"]]);
  });
});
