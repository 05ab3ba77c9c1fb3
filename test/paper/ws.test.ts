/** Rules of the connection itself, without a socket: idling, limits, and faults of frames. */
import { describe, expect, test } from "bun:test";
import type { FaultFile, FrameFault } from "../../src/paper/faults.ts";
import type { PaperSocket } from "../../src/paper/paper-exchange.ts";
import { type Bench, bench } from "./support.ts";

type Line = { readonly frames: string[]; closed: [number, string] | null; readonly socket: PaperSocket };

function open(started: Bench): Line {
  const frames: string[] = [];
  const line: { frames: string[]; closed: [number, string] | null; socket: PaperSocket | null } = {
    frames,
    closed: null,
    socket: null,
  };
  line.socket = started.paper.connect({
    send: (text) => frames.push(text),
    close: (code, reason) => {
      line.closed = [code, reason];
    },
  });
  if (line.socket === null) throw new Error("not connected");
  // The hello is not what these tests are about.
  frames.length = 0;
  return line as Line;
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

  test("may follow fifteen users and no more, all connections together", async () => {
    const started = bench({ hasMarketMaker: false });
    const lines = [open(started), open(started)];
    for (let user = 1; user <= 15; user += 1) await lines[user % 2]?.socket.receive(subscription(user));
    await lines[0]?.socket.receive(subscription(16));
    expect(lines[0]?.frames.at(-1)).toBe('{"channel":"error","data":"Cannot track more than 15 total users."}');
    await lines[0]?.socket.receive(subscription(15));
    expect(lines[0]?.frames.at(-1)).toContain("subscriptionResponse");
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
