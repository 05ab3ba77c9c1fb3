import { expect, test } from "bun:test";
import { settled } from "./clocks.ts";
import {
  ADDRESS,
  accept,
  kinds,
  lineOf,
  live,
  nextLine,
  pass,
  STATE_SUBSCRIPTIONS,
  SUBSCRIPTIONS,
  scene,
} from "./feed-stage.ts";

test("one connection subscribes to orders, fills and TWAPs of one address, and is live when all is confirmed", async () => {
  const stage = scene();
  expect(stage.feeds.follow(ADDRESS)).toBe(true);
  await settled();
  const line = lineOf(stage);
  expect(line.url).toBe("wss://exchange.test/ws");
  expect(line.said).toEqual([]);
  line.events.onOpen();
  expect(line.said.map((text) => JSON.parse(text))).toEqual(
    [...SUBSCRIPTIONS, ...STATE_SUBSCRIPTIONS].map((subscription) => ({ method: "subscribe", subscription })),
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
