import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createExchangeTime, type DatedSample, type TimeSample } from "../../src/exchange/clock.ts";
import { stillClock } from "./clocks.ts";
import { connect } from "./connect.ts";

const START_MS = 1_700_000_000_000;

test("before the first reading there is no time, and nothing but our own clock to go by", () => {
  expect(createExchangeTime().atMs(5)).toBeNull();
  const exchange = connect("http://exchange.test", { clock: stillClock(START_MS) });
  expect(exchange.nowMs()).toBe(START_MS);
  expect(exchange.clockOffsetMs()).toBeNull();
});

/** The wall clock of the machine is right unless a row says otherwise: elapsed time counts from the start. */
function reading(
  sentAtMs: number,
  receivedAtMs: number,
  exchangeMs: number,
  wallMs = START_MS + receivedAtMs,
): TimeSample {
  return { sentAtMs, receivedAtMs, exchangeMs, wallMs };
}

/** Dated there, received at that time; the wall clock of the machine is right unless a row says otherwise. */
function dated(exchangeMs: number, receivedAtMs: number, wallMs = START_MS + receivedAtMs): DatedSample {
  return { exchangeMs, receivedAtMs, wallMs };
}

test("half of the round trip is added", () => {
  const time = createExchangeTime();
  time.add(reading(1_000, 1_200, START_MS + 1_100));
  expect(time.atMs(1_200)).toBe(START_MS + 1_200);
  expect(time.atMs(2_200)).toBe(START_MS + 2_200);
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
        time.add(reading(sentAtMs, nowMs, sentAtMs + thereMs + offsetMs, nowMs + offsetMs));
      }
      const shortest = Math.min(...samples.map(({ thereMs, backMs }) => thereMs + backMs));
      const errorMs = Math.abs((time.atMs(nowMs) ?? 0) - (nowMs + offsetMs));
      expect(errorMs).toBeLessThanOrEqual(shortest / 2 + 1);
    }),
  );
});

test("a node that is stuck in the past does not take us there, however quickly it answers", () => {
  const time = createExchangeTime();
  time.add(reading(0, 100, START_MS + 50));
  for (let nth = 1; nth <= 20; nth += 1) time.add(reading(nth * 10_000, nth * 10_000 + 2, START_MS + 4_000));
  expect(time.atMs(200_002)).toBe(START_MS + 200_002);
});

test.each([
  ["proves that it is no earlier there", 4_000, 4_000],
  ["is no news when it is earlier", -4_000, 0],
  ["is one server's wrong clock when it is more than five seconds ahead", 5_001, 0],
])("what the exchange has dated %s", (_what, aheadMs, movedMs) => {
  const time = createExchangeTime();
  time.prove(dated(START_MS + 9_000, 50));
  expect(time.atMs(50)).toBeNull();
  time.add(reading(0, 100, START_MS + 50));
  time.prove(dated(START_MS + 1_000 + aheadMs, 1_000));
  expect(time.atMs(1_000)).toBe(START_MS + 1_000 + movedMs);
  expect(time.atMs(3_000)).toBe(START_MS + 3_000 + movedMs);
  // It moves no further by being told again and again.
  for (let nth = 1; nth <= 10; nth += 1) time.prove(dated(START_MS + 3_000 + aheadMs + nth * 1_000, 3_000));
  expect(time.atMs(3_000)).toBeLessThanOrEqual(START_MS + 8_000);
});

test("a reading that is proven to be behind may be behind by more; one that proves nothing wrong is believed", () => {
  const time = createExchangeTime();
  expect(time.mayBeAheadMs(0)).toBe(0);
  time.add(reading(0, 100, START_MS - 2_950));
  expect(time.mayBeAheadMs(100)).toBe(0);
  // As much as the halves of its round trip leave open.
  time.prove(dated(START_MS - 1_950, 1_000));
  expect(time.mayBeAheadMs(1_000)).toBe(0);
  time.prove(dated(START_MS + 900, 1_000));
  expect(time.atMs(1_000)).toBe(START_MS + 900);
  expect(time.mayBeAheadMs(1_000)).toBe(2_000 - 900 + 1_000);
  time.add(reading(5_000, 5_100, START_MS + 5_050));
  expect(time.mayBeAheadMs(5_100)).toBe(0);
});

test("what was proven against a clock that others have contradicted is forgotten with them", () => {
  const time = createExchangeTime();
  time.add(reading(0, 50, START_MS + 1_025));
  time.prove(dated(START_MS + 1_000 + 4_900, 1_000));
  expect(time.atMs(1_000)).toBe(START_MS + 1_000 + 4_900);
  for (const atMs of [2_000, 7_000, 12_500]) time.add(reading(atMs, atMs + 50, START_MS + atMs - 9_000));
  expect(time.atMs(12_550)).toBeLessThan(START_MS + 12_550 - 8_000);
  time.prove(dated(START_MS + 13_000, 13_000));
  expect(time.atMs(13_000)).toBe(START_MS + 13_000);
});

describe("readings of a server that is 8.5 s behind, as our own clock is at first, are the only ones", () => {
  const STILL_MS = START_MS - 8_500;
  function stoodStill() {
    const time = createExchangeTime();
    for (const atMs of [0, 100, 200]) time.add(reading(atMs, atMs + 50, STILL_MS, STILL_MS + atMs + 50));
    expect(time.atMs(250)).toBe(STILL_MS + 225);
    return time;
  }

  test("what is dated later, and borne out by our own clock, outweighs them", () => {
    const time = stoodStill();
    time.prove(dated(START_MS + 900, 1_000));
    expect(time.atMs(1_000)).toBe(START_MS + 900);
    expect(time.mayBeAheadMs(1_000)).toBe(5_000);
    // It stands still there as before: that counts for nothing now, however often it is read.
    for (const atMs of [6_000, 11_000, 16_000, 21_000])
      expect(time.add(reading(atMs, atMs + 50, STILL_MS))).toBe("doubted");
    expect(time.atMs(22_000)).toBe(START_MS + 21_900);
    // A true one takes its place, a long way off as it may be.
    expect(time.add(reading(25_000, 25_900, START_MS + 25_450))).toBe("taken");
    expect(time.atMs(25_900)).toBe(START_MS + 25_900);
    expect(time.mayBeAheadMs(25_900)).toBe(0);
  });

  test.each([
    ["that our own clock does not bear out", START_MS + 900, START_MS + 7_000],
    ["that is ahead of our own clock by more than five seconds", START_MS + 7_000, START_MS + 1_000],
  ])("a date %s does not", (_what, exchangeMs, wallMs) => {
    const time = stoodStill();
    time.prove(dated(exchangeMs, 1_000, wallMs));
    expect(time.atMs(1_000)).toBe(STILL_MS + 975);
  });
});

test("what a wrong clock dated counts no more once readings have moved the time", () => {
  const time = createExchangeTime();
  time.add(reading(0, 100, START_MS + 50));
  time.prove(dated(START_MS + 5_900, 1_000));
  expect(time.atMs(1_000)).toBe(START_MS + 5_900);
  // Both readings are of a machine that slept, and agree with its wall clock.
  time.add(reading(2_000, 2_100, START_MS + 60_050, START_MS + 60_100));
  expect(time.atMs(2_100)).toBe(START_MS + 60_100);
});

test("of what is dated there the one that proves most counts, whatever is dated after it", () => {
  const time = createExchangeTime();
  time.add(reading(0, 100, START_MS + 50));
  time.prove(dated(START_MS + 3_100, 100));
  time.prove(dated(START_MS + 1_200, 200));
  expect(time.atMs(200)).toBe(START_MS + 3_200);
});

/** Three words over ten seconds that it is eight seconds earlier. */
function sayEarlier(time: ReturnType<typeof createExchangeTime>): void {
  for (const atMs of [2_000, 7_000, 12_500]) time.add(reading(atMs, atMs + 100, START_MS + atMs + 50 - 8_000));
}

test("what was dated by a clock that three words have contradicted since proves nothing", () => {
  const time = createExchangeTime();
  time.add(reading(0, 100, START_MS + 50));
  time.prove(dated(START_MS + 4_100, 100));
  sayEarlier(time);
  expect(time.atMs(12_600)).toBe(START_MS + 12_600 - 8_000);
});

test("a reading that agrees with none of three words is not believed with them", () => {
  const time = createExchangeTime();
  time.add(reading(0, 100, START_MS + 50));
  expect(time.add(reading(1_000, 1_100, START_MS + 61_050))).toBe("doubted");
  sayEarlier(time);
  expect(time.atMs(12_600)).toBe(START_MS + 12_600 - 8_000);
});

const HOUR_MS = 3_600_000;

test.each([
  ["an hour ahead", HOUR_MS],
  ["a day ahead", 24 * HOUR_MS],
  ["an hour behind", -HOUR_MS],
])("one server whose clock is %s is not believed alone, nor twice", (_name, wrongMs) => {
  const time = createExchangeTime();
  time.add(reading(0, 10, START_MS + 5));
  expect(time.add(reading(5_000, 5_010, START_MS + 5_005 + wrongMs))).toBe("doubted");
  expect(time.add(reading(5_010, 5_020, START_MS + 5_015 + wrongMs))).toBe("doubted");
  expect(time.atMs(5_020)).toBe(START_MS + 5_020);
  // A true one in between, and the two words before it are forgotten.
  expect(time.add(reading(10_000, 10_010, START_MS + 10_005))).toBe("taken");
  expect(time.add(reading(15_000, 15_010, START_MS + 15_005 + wrongMs))).toBe("doubted");
  expect(time.atMs(15_010)).toBe(START_MS + 15_010);
});

test("at the start a reading that is far from the wall clock needs a second and a third word, of different moments", () => {
  const time = createExchangeTime();
  const wrongWall = (nowMs: number) => START_MS + nowMs - 8 * HOUR_MS;
  expect(time.add(reading(0, 10, START_MS + 5, wrongWall(10)))).toBe("doubted");
  expect(time.atMs(10)).toBeNull();
  expect(time.add(reading(10, 20, START_MS + 15, wrongWall(20)))).toBe("doubted");
  expect(time.add(reading(20, 30, START_MS + 25, wrongWall(30)))).toBe("taken");
  expect(time.atMs(30)).toBe(START_MS + 30);
});

test("at the start a server that stands still is one word, however often it is read, and takes nothing from others", () => {
  const time = createExchangeTime();
  const wrongWall = (nowMs: number) => START_MS + nowMs - 8 * HOUR_MS;
  const still = (atMs: number) => time.add(reading(atMs, atMs + 10, START_MS - 8_000, wrongWall(atMs + 10)));
  const live = (atMs: number) => time.add(reading(atMs, atMs + 10, START_MS + atMs + 5, wrongWall(atMs + 10)));
  for (const atMs of [0, 20, 40, 60]) expect(still(atMs)).toBe("doubted");
  expect(time.atMs(70)).toBeNull();
  expect([live(100), still(120), live(140), still(160), live(180)]).toEqual([
    "doubted",
    "doubted",
    "doubted",
    "doubted",
    "taken",
  ]);
  expect(time.atMs(190)).toBe(START_MS + 190);
});

describe("three servers that lag agree by chance, against our own clock (a stranger's seed 33)", () => {
  function outvoted(behindMs = 15_000, atMs = 0) {
    const time = createExchangeTime();
    const words = [1_000, 0, 500].map((byMs, nth) => lagging(atMs + nth * 20, behindMs + byMs));
    expect(words.map((word) => time.add(word))).toEqual(["doubted", "doubted", "taken"]);
    return time;
  }
  const lagging = (atMs: number, behindMs: number) => reading(atMs, atMs + 10, START_MS + atMs + 5 - behindMs);

  test("the exchange may be as far ahead as our own clock is", () => {
    const time = outvoted();
    const believedMs = time.atMs(1_000) ?? 0;
    expect(believedMs).toBeLessThan(START_MS - 13_000);
    expect(believedMs + time.mayBeAheadMs(1_000)).toBe(START_MS + 1_000);
  });

  test("one reading that is near our own clock says that it is right", () => {
    const time = outvoted();
    expect(time.add(lagging(5_000, 0))).toBe("taken");
    expect([time.atMs(6_000), time.mayBeAheadMs(6_000)]).toEqual([START_MS + 6_000, 0]);
  });

  test("readings that agree closely for ten seconds say that it is wrong", () => {
    const time = outvoted();
    const aheadMs = () => time.mayBeAheadMs(30_000);
    for (const atMs of [5_040, 7_500, 10_000]) {
      time.add(lagging(atMs, 15_000));
      expect(aheadMs()).toBe(15_000);
    }
    time.add(lagging(15_000, 15_000));
    expect(aheadMs()).toBe(0);
  });

  test("those that do not do so after a minute", () => {
    const time = outvoted();
    for (let atMs = 5_000; atMs <= 60_000; atMs += 5_000) {
      time.add(lagging(atMs, 15_000 + (atMs % 10_000 === 0 ? 12_000 : 2_000)));
      expect(time.mayBeAheadMs(atMs + 10)).toBeGreaterThan(12_000);
    }
    time.add(lagging(65_000, 15_000));
    expect(time.mayBeAheadMs(65_010)).toBe(0);
  });

  test.each([
    ["behind them", -15_000],
    ["ahead by more than a minute", HOUR_MS],
  ])("our own clock that is %s says nothing", (_what, behindMs) => {
    expect(outvoted(behindMs).mayBeAheadMs(1_000)).toBe(0);
  });
});

test("three words over ten seconds that agree are believed: it was the earlier ones that were wrong", () => {
  const time = createExchangeTime();
  time.add(reading(0, 10, START_MS + 5 + HOUR_MS, START_MS + 10 + HOUR_MS));
  const behind = (atMs: number) => time.add(reading(atMs, atMs + 10, START_MS + atMs + 5, START_MS + atMs + HOUR_MS));
  expect([behind(5_000), behind(10_000), behind(15_000)]).toEqual(["doubted", "doubted", "taken"]);
  expect(time.atMs(15_010)).toBe(START_MS + 15_010);
});

test("three words within ten seconds are one server's, whatever it says: others have said otherwise", () => {
  const time = createExchangeTime();
  time.add(reading(0, 10, START_MS + 5));
  const ahead = (atMs: number) => time.add(reading(atMs, atMs + 10, START_MS + atMs + 5 + HOUR_MS));
  expect([1_000, 4_000, 7_000, 10_000].map(ahead)).toEqual(["doubted", "doubted", "doubted", "doubted"]);
  expect(time.atMs(10_010)).toBe(START_MS + 10_010);
  expect(ahead(11_000)).toBe("taken");
});

test("three words that contradict one another are not three words", () => {
  const time = createExchangeTime();
  time.add(reading(0, 10, START_MS + 5));
  for (let nth = 1; nth <= 9; nth += 1)
    expect(time.add(reading(nth * 1_000, nth * 1_000 + 10, START_MS + nth * HOUR_MS))).toBe("doubted");
  expect(time.atMs(10_000)).toBe(START_MS + 10_000);
});

test("a machine that slept is told the time by one reading: its wall clock agrees", () => {
  const time = createExchangeTime();
  time.add(reading(0, 10, START_MS + 5));
  expect(time.add(reading(5_000, 5_010, START_MS + 5_005 + HOUR_MS, START_MS + 5_010 + HOUR_MS))).toBe("taken");
  expect(time.atMs(5_010)).toBe(START_MS + 5_010 + HOUR_MS);
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

test.each([
  ["clearinghouseState", 700],
  ["l2Book", 700],
  ["meta", 0],
])("what %s is dated moves a time that was behind by %i ms (seed 2200784)", async (type, movedMs) => {
  const clock = stillClock(START_MS);
  let timeMs = START_MS;
  const exchange = connect("http://exchange.test", {
    clock,
    transport: async () => new Response(JSON.stringify({ time: timeMs })),
  });
  expect(await exchange.measureClock()).toBe(true);
  timeMs += 700;
  expect(await exchange.info({ type, user: "0x1", coin: "BTC" }, { purpose: "settle" })).toMatchObject({ kind: "ok" });
  expect(exchange.nowMs()).toBe(START_MS + movedMs);
});
