import { expect, test } from "bun:test";
import fc from "fast-check";
import { createExchangeTime } from "../../src/exchange/clock.ts";
import { stillClock } from "./clocks.ts";
import { connect } from "./connect.ts";

const START_MS = 1_700_000_000_000;

test("before the first reading there is no time, and nothing but our own clock to go by", () => {
  expect(createExchangeTime().atMs(5)).toBeNull();
  const exchange = connect("http://exchange.test", { clock: stillClock(START_MS) });
  expect(exchange.nowMs()).toBe(START_MS);
  expect(exchange.clockOffsetMs()).toBeNull();
});

test("half of the round trip is added", () => {
  const time = createExchangeTime();
  time.add({ sentAtMs: 1_000, receivedAtMs: 1_200, exchangeMs: START_MS });
  expect(time.atMs(1_200)).toBe(START_MS + 100);
  expect(time.atMs(2_200)).toBe(START_MS + 1_100);
});

test("the true time is never missed by more than half of the shortest round trip", () => {
  const sample = fc.record({ pauseMs: fc.integer({ min: 0, max: 10_000 }), thereMs: fc.nat(900), backMs: fc.nat(900) });
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 8 }), fc.nat(1_000_000), (samples, offsetMs) => {
      const time = createExchangeTime();
      let nowMs = 0;
      for (const { pauseMs, thereMs, backMs } of samples) {
        const sentAtMs = nowMs + pauseMs;
        nowMs = sentAtMs + thereMs + backMs;
        time.add({ sentAtMs, receivedAtMs: nowMs, exchangeMs: sentAtMs + thereMs + offsetMs });
      }
      const shortest = Math.min(...samples.map(({ thereMs, backMs }) => thereMs + backMs));
      const errorMs = Math.abs((time.atMs(nowMs) ?? 0) - (nowMs + offsetMs));
      expect(errorMs).toBeLessThanOrEqual(shortest / 2 + 1);
    }),
  );
});

test("a node that is stuck in the past does not take us there, however quickly it answers", () => {
  const time = createExchangeTime();
  time.add({ sentAtMs: 0, receivedAtMs: 100, exchangeMs: START_MS + 50 });
  time.add({ sentAtMs: 10_000, receivedAtMs: 10_002, exchangeMs: START_MS + 4_000 });
  time.add({ sentAtMs: 20_000, receivedAtMs: 20_002, exchangeMs: START_MS + 4_000 });
  expect(time.atMs(20_002)).toBe(START_MS + 20_002);
});

test("after eight readings the oldest is forgotten", () => {
  const time = createExchangeTime();
  time.add({ sentAtMs: 0, receivedAtMs: 0, exchangeMs: START_MS + 500_000 });
  for (let nth = 1; nth <= 8; nth += 1)
    time.add({ sentAtMs: nth * 1_000, receivedAtMs: nth * 1_000 + 10, exchangeMs: START_MS + nth * 1_000 + 5 });
  expect(time.atMs(9_000)).toBe(START_MS + 9_000);
});

test("a step of the host's clock moves the offset and not the exchange's time", async () => {
  const clock = stillClock(START_MS);
  let failing = false;
  const exchange = connect("http://exchange.test", {
    clock,
    transport: async () =>
      failing ? new Response("null", { status: 500 }) : new Response(`{"time":${START_MS + 250}}`),
  });
  expect(await exchange.measureClock()).toBe(true);
  expect(exchange.nowMs()).toBe(START_MS + 250);
  expect(exchange.clockOffsetMs()).toBe(250);
  clock.stepWall(600_000);
  await clock.advance(1_000);
  expect(exchange.nowMs()).toBe(START_MS + 1_250);
  expect(exchange.clockOffsetMs()).toBe(250 - 600_000);
  failing = true;
  expect(await exchange.measureClock()).toBe(false);
  expect(exchange.nowMs()).toBe(START_MS + 1_250);
});

test("an answer without a time is no reading", async () => {
  for (const body of ["null", "{}", `{"time":"now"}`, `{"time":1.5}`, "[]"]) {
    const exchange = connect("http://exchange.test", { transport: async () => new Response(body) });
    expect(await exchange.measureClock()).toBe(false);
    expect(exchange.clockOffsetMs()).toBeNull();
  }
});
