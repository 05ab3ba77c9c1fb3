import { expect, test } from "bun:test";
import fc from "fast-check";
import { createActionBudget } from "../../src/exchange/action-budget.ts";
import { type Budget, createBudget, useOf } from "../../src/exchange/budget.ts";
import type { Purpose } from "../../src/exchange/exchange.ts";
import { largestWeight, weightOf, weightOfAnswer } from "../../src/exchange/weights.ts";
import { stillClock } from "./clocks.ts";
import { answering, connect } from "./connect.ts";

const LIMIT = 1_200;
const MINUTE_MS = 60_000;

const PURPOSES: readonly Purpose[] = ["cancel", "settle", "reduce", "order", "read", { reader: "a" }, { reader: "b" }];
const PURPOSE = fc.constantFrom(...PURPOSES);
const STEP = fc.record({
  purpose: PURPOSE,
  weight: fc.integer({ min: 1, max: 140 }),
  pauseMs: fc.integer({ min: 0, max: 3_000 }),
});
type Step = { purpose: Purpose; weight: number; pauseMs: number };
type Taken = { atMs: number; purpose: Purpose; weight: number };

/** Every step asks once; what was let through comes back, with the time. */
function run(budget: Budget, steps: readonly Step[]): { taken: Taken[]; nowMs: number } {
  let nowMs = 12_345;
  const taken: Taken[] = [];
  for (const { purpose, weight, pauseMs } of steps) {
    nowMs += pauseMs;
    if (budget.take(purpose, weight, nowMs) !== null) taken.push({ atMs: nowMs, purpose, weight });
  }
  return { taken, nowMs };
}

function mostInAMinute(taken: readonly Taken[]): number {
  const sums = taken.map(({ atMs }) =>
    sum(taken.filter((other) => other.atMs > atMs - MINUTE_MS && other.atMs <= atMs)),
  );
  return Math.max(0, ...sums);
}

function sum(taken: readonly Taken[]): number {
  return taken.reduce((total, { weight }) => total + weight, 0);
}

const HUNGRY = fc.array(STEP, { minLength: 50, maxLength: 400 });

test("no minute anywhere holds more than the limit", () => {
  fc.assert(
    fc.property(HUNGRY, (steps) => {
      expect(mostInAMinute(run(createBudget({ weightPerMinute: LIMIT }), steps).taken)).toBeLessThanOrEqual(LIMIT);
    }),
  );
});

test("reads never have more than a third of a minute, and leave two thirds to orders", () => {
  fc.assert(
    fc.property(HUNGRY, (steps) => {
      const { taken } = run(createBudget({ weightPerMinute: LIMIT }), steps);
      expect(mostInAMinute(taken.filter(({ purpose }) => useOf(purpose) === "read"))).toBeLessThanOrEqual(LIMIT / 3);
    }),
  );
});

test("whatever others spent, a tenth is left to cancels, a fifth more to settling, and a twentieth more to reductions", () => {
  fc.assert(
    fc.property(HUNGRY, (steps) => {
      const others = steps.filter(({ purpose }) => purpose !== "cancel");
      const budget = createBudget({ weightPerMinute: LIMIT });
      expect(budget.fits("cancel", LIMIT / 10, run(budget, others).nowMs)).toBe(true);
      const clients = others.filter(({ purpose }) => purpose !== "settle");
      const quieter = createBudget({ weightPerMinute: LIMIT });
      expect(quieter.fits("settle", LIMIT / 5, run(quieter, clients).nowMs)).toBe(true);
      const increasing = clients.filter(({ purpose }) => purpose !== "reduce");
      const bold = createBudget({ weightPerMinute: LIMIT });
      expect(bold.fits("reduce", LIMIT / 20, run(bold, increasing).nowMs)).toBe(true);
    }),
  );
});

test("after the wait that it tells, what did not fit fits, and not a second before", () => {
  fc.assert(
    fc.property(HUNGRY, PURPOSE, fc.integer({ min: 1, max: 120 }), (steps, purpose, weight) => {
      const budget = createBudget({ weightPerMinute: LIMIT });
      const { nowMs } = run(
        budget,
        steps.filter((step) => step.purpose !== "settle" && step.purpose !== "read"),
      );
      const waitMs = budget.waitMs(purpose, weight, nowMs);
      expect(budget.fits(purpose, weight, nowMs)).toBe(waitMs === 0);
      expect(budget.fits(purpose, weight, nowMs + waitMs)).toBe(true);
      if (waitMs > 1_000) expect(budget.fits(purpose, weight, nowMs + waitMs - 1_001)).toBe(false);
    }),
  );
});

test("the wait that it tells is true as well while what goes on by itself goes on", () => {
  const everyMs = fc.integer({ min: 1, max: 60 }).filter((seconds) => 60 % seconds === 0);
  const repeated = fc.constantFrom<Purpose>("settle", "read");
  fc.assert(
    fc.property(HUNGRY, everyMs, repeated, PURPOSE, (steps, everyS, by, purpose) => {
      const budget = createBudget({ weightPerMinute: LIMIT });
      const clients = steps.filter((step) => step.purpose !== "settle" && step.purpose !== "read");
      let second = 0;
      const go = (toMs: number) => {
        for (; second * 1_000 <= toMs; second += 1)
          if (second % everyS === 0) budget.take(by, Math.min(20, everyS), second * 1_000);
      };
      go(60_000);
      let nowMs = 60_000;
      for (const { purpose: other, weight, pauseMs } of clients) {
        nowMs += pauseMs;
        go(nowMs);
        budget.take(other, weight, nowMs);
      }
      const isRepeated = purpose === "settle" || purpose === "read";
      const thenMs = nowMs + budget.waitMs(purpose, 21, nowMs);
      go(thenMs);
      // At the edge of a minute one that comes every minute is in it twice.
      expect(isRepeated || budget.fits(purpose, 1, thenMs)).toBe(true);
    }),
  );
});

/** Milliseconds until a question of settling that is asked every 4 s finds room, beside one every second; null within five minutes. */
function roomAfterMs(large: { purpose: Purpose; weight: number }, small: { purpose: Purpose; weight: number }) {
  const budget = createBudget({ weightPerMinute: LIMIT });
  for (let nowMs = 0; nowMs < 5 * MINUTE_MS; nowMs += 1_000) {
    budget.take(small.purpose, small.weight, nowMs);
    const isAsked = nowMs >= MINUTE_MS && nowMs % 4_000 === 0;
    if (isAsked && budget.take(large.purpose, large.weight, nowMs) !== null) return nowMs - MINUTE_MS;
  }
  return null;
}

test("a large question of settling finds room beside small ones that would eat all of it; nobody else's does", () => {
  const settle = { purpose: "settle", weight: 21 } as const;
  expect(roomAfterMs({ purpose: "settle", weight: 280 }, settle)).toBeLessThanOrEqual(MINUTE_MS);
  expect(roomAfterMs({ purpose: "settle", weight: 280 }, { purpose: "cancel", weight: 21 })).toBeNull();
  expect(roomAfterMs({ purpose: "read", weight: 280 }, settle)).toBeNull();
  // More than settling may ever have keeps nobody from anything.
  expect(roomAfterMs({ purpose: "settle", weight: LIMIT }, settle)).toBeNull();
});

test("room is kept from what is smaller, for fifteen seconds, and only from settling", () => {
  const claimed = (): Budget => {
    const budget = createBudget({ weightPerMinute: LIMIT });
    budget.take("cancel", 900, 0);
    expect(budget.take("settle", 280, 0)).toBeNull();
    return budget;
  };
  expect(claimed().fits("settle", 21, 0)).toBe(false);
  expect(claimed().fits("settle", 21, 14_999)).toBe(false);
  expect(claimed().fits("settle", 21, 15_000)).toBe(true);
  expect(claimed().fits("cancel", 300, 0)).toBe(true);
  // A smaller one that does not fit either asks in vain, and takes nothing from the larger one.
  const patient = claimed();
  expect(patient.take("settle", 21, 0)).toBeNull();
  expect(patient.take("settle", 280, 61_000)).not.toBeNull();
  expect(patient.fits("settle", 21, 61_000)).toBe(true);
  const quiet = createBudget({ weightPerMinute: LIMIT });
  quiet.take("cancel", 750, 0);
  expect(quiet.take("settle", 400, 0)).toBeNull();
  expect([quiet.fits("order", 30, 0), quiet.fits("read", 30, 0), quiet.fits("settle", 30, 0)]).toEqual([
    true,
    true,
    false,
  ]);
  const slowed = createBudget({ weightPerMinute: LIMIT });
  slowed.slowDown(0, "too_fast");
  expect(slowed.take("settle", 280, 0)).toBeNull();
  slowed.take("cancel", 900, 0);
  expect(slowed.fits("settle", 21, 5_000)).toBe(true);
});

test("what a charge did not come to is given back once, and never to a later minute", () => {
  const budget = createBudget({ weightPerMinute: LIMIT });
  const charge = budget.take("settle", 1_000, 0);
  expect(budget.fits("settle", 200, 0)).toBe(false);
  if (charge === null) throw new Error("did not fit");
  budget.settle(charge, 20);
  budget.settle(charge, 20);
  budget.settle(charge, 5_000);
  expect(budget.take("settle", 1_060, 0)).not.toBeNull();
  expect(budget.fits("settle", 1, 0)).toBe(false);
  const later = createBudget({ weightPerMinute: LIMIT });
  const old = later.take("settle", 1_000, 0);
  later.take("settle", 1_080, 100_000);
  if (old !== null) later.settle(old, 0);
  expect(later.fits("settle", 1, 100_000)).toBe(false);
});

const READS = LIMIT / 3;

/** Ten readers at most, of whom some are hungry. */
const ASKED = fc.record({
  reader: fc.integer({ min: 0, max: 9 }).map((nth): Purpose => ({ reader: `reader ${nth}` })),
  weight: fc.constantFrom(2, 20, 21, 40),
  pauseMs: fc.integer({ min: 0, max: 2_000 }),
});

test("a reader that asks for no more than its part of what the others must leave is never refused", () => {
  fc.assert(
    fc.property(fc.array(ASKED, { minLength: 20, maxLength: 300 }), (asked) => {
      const others = asked.map(({ reader, weight, pauseMs }) => ({ purpose: reader, weight, pauseMs }));
      const budget = createBudget({ weightPerMinute: LIMIT });
      const { taken, nowMs } = run(budget, others);
      const others61 = taken.filter(({ atMs }) => nowMs - atMs < 61_000);
      const readers = new Set(others61.map(({ purpose }) => JSON.stringify(purpose))).size;
      // Whoever came left half as much as it took: a third of it all, a third of that when another came, and so on.
      const part = Math.floor(((READS / 3 ** readers) * 2) / 3);
      expect(part === 0 || budget.fits({ reader: "a newcomer" }, part, nowMs)).toBe(true);
    }),
  );
});

test("hungry readers come to have the same, and one alone no more than two thirds of it all", () => {
  for (const count of [1, 2, 3, 5]) {
    const budget = createBudget({ weightPerMinute: LIMIT });
    const had = new Map<number, number>();
    // Each asks ten times a second, the first of them alone for the first minute.
    for (let atMs = 0; atMs < 600_000; atMs += 100) {
      for (let reader = 0; reader < (atMs < 60_000 ? 1 : count); reader += 1) {
        if (budget.take({ reader: `${reader}` }, 2, atMs) === null) continue;
        if (atMs >= 300_000) had.set(reader, (had.get(reader) ?? 0) + 2);
      }
    }
    const fair = ((2 * READS) / (2 * count + 1)) * 5;
    for (let reader = 0; reader < count; reader += 1) {
      expect(had.get(reader)).toBeGreaterThan(fair * 0.8);
      expect(had.get(reader)).toBeLessThanOrEqual(fair * 1.25);
    }
  }
});

test("who has read less gets the next, and what nobody else wants is there for whoever does", () => {
  const budget = createBudget({ weightPerMinute: LIMIT });
  const [hungry, modest] = [{ reader: "hungry" }, { reader: "modest" }] as const;
  for (let nth = 0; nth < 100; nth += 1) budget.take(hungry, 20, 0);
  expect(budget.left(hungry, 0)).toBeLessThan(20);
  // Two thirds of it all were there for one alone, less than was too little for its next; of the rest they are for another.
  const rest = READS - 260;
  expect(budget.left(modest, 0)).toBe(Math.floor((rest * 2) / 3));
  expect(budget.left("read", 0)).toBe(Math.floor((rest * 2) / 3));
  expect(budget.fits(hungry, 20, 0)).toBe(false);
  expect(budget.take(modest, 20, 0)).not.toBeNull();
  // Settling's own weight, orders and cancels are none of it.
  expect(budget.left("order", 0)).toBe(LIMIT * 0.65 - 260 - 20);
});

test("one question is answered whatever it weighs, when nothing has been read", () => {
  const small = createBudget({ weightPerMinute: 66 });
  expect(small.take({ reader: "a" }, 20, 0)).not.toBeNull();
  expect(small.take({ reader: "b" }, 20, 0)).toBeNull();
  expect(small.take({ reader: "b" }, 20, 61_000)).not.toBeNull();
});

test("what is told to be left fits, and one more does not", () => {
  fc.assert(
    fc.property(HUNGRY, PURPOSE, (steps, purpose) => {
      const budget = createBudget({ weightPerMinute: LIMIT });
      const { taken, nowMs } = run(budget, steps);
      const left = budget.left(purpose, nowMs) ?? Number.NaN;
      expect(left === 0 || budget.fits(purpose, left, nowMs)).toBe(true);
      const hasRead = taken.some(({ atMs, purpose: other }) => useOf(other) === "read" && nowMs - atMs < 60_000);
      if (hasRead || useOf(purpose) !== "read") expect(budget.fits(purpose, left + 1, nowMs)).toBe(false);
    }),
  );
});

test("told that we are too fast, orders and reads stop for 10 s, settling for 2 s, cancels not at all", () => {
  const rows: readonly [Purpose, number][] = [
    ["cancel", 0],
    ["settle", 2_000],
    ["reduce", 10_000],
    ["order", 10_000],
    ["read", 10_000],
    [{ reader: "a key" }, 10_000],
  ];
  for (const weightPerMinute of [LIMIT, 0]) {
    for (const [purpose, pauseMs] of rows) {
      const budget = createBudget({ weightPerMinute });
      budget.slowDown(5_000, "too_fast");
      expect(budget.slowedDown(purpose, 5_000)).toBe(pauseMs === 0 ? null : "too_fast");
      expect(budget.slowedDown(purpose, 5_000 + pauseMs)).toBeNull();
      expect(budget.waitMs(purpose, 1, 5_000)).toBe(pauseMs);
      expect(budget.fits(purpose, 1, 5_000)).toBe(pauseMs === 0);
      expect(budget.fits(purpose, 1, 5_000 + pauseMs)).toBe(true);
    }
  }
});

test("with the limit off everything fits", () => {
  const budget = createBudget({ weightPerMinute: 0 });
  for (let nth = 0; nth < 100; nth += 1) expect(budget.take("read", 1_000, 0)).not.toBeNull();
  expect(budget.waitMs("read", 1_000, 0)).toBe(0);
});

test("reads weigh what the exchange's page says, with 1 for each started 20 rows", () => {
  const rows: readonly [type: string, rowCount: number, weight: number][] = [
    ["orderStatus", 1, 2],
    ["clearinghouseState", 1, 2],
    ["spotClearinghouseState", 1, 2],
    ["exchangeStatus", 1, 2],
    ["userRole", 1, 60],
    ["meta", 1, 20],
    ["frontendOpenOrders", 5_000, 20],
    ["historicalOrders", 0, 20],
    ["historicalOrders", 1, 21],
    ["historicalOrders", 40, 22],
    ["userFillsByTime", 2_000, 120],
    ["userFillsByTime", 9_999, 120],
  ];
  for (const [type, rowCount, weight] of rows) {
    expect([type, weightOfAnswer(weightOf({ type }), Array(rowCount).fill({}))]).toEqual([type, weight]);
  }
  expect(largestWeight(weightOf({ type: "userFillsByTime" }))).toBe(120);
  expect(weightOfAnswer(weightOf({ type: "userFills" }), null)).toBe(20);
});

test("a read sets aside its most and pays what it came to", async () => {
  const { transport, inits } = answering(() => new Response("[{},{}]"));
  const exchange = connect("http://exchange.test", { transport });
  const request = { type: "historicalOrders", user: "0x1" };
  const first = await Promise.all(Array.from({ length: 4 }, () => exchange.info(request, { purpose: "read" })));
  expect(first.filter(({ kind }) => kind === "ok")).toHaveLength(3);
  expect(first[3]).toMatchObject({ kind: "failed", isOurBudget: true, httpStatus: null });
  expect(inits).toHaveLength(3);
  // 63 are paid, and two thirds of the third, 266, are for one reader.
  for (let nth = 0; nth < 12; nth += 1) await exchange.info(request, { purpose: "read" });
  expect(inits).toHaveLength(12);
  // 252 are paid; of what is left another has room for its most twice.
  for (let nth = 0; nth < 3; nth += 1) await exchange.info(request, { purpose: { reader: "another" } });
  expect(inits).toHaveLength(14);
});

test("a read with a full answer pays for every row", async () => {
  const exchange = connect(
    "http://exchange.test",
    answering(() => new Response(JSON.stringify(Array(2_000).fill({})))),
  );
  const kinds = [];
  for (let nth = 0; nth < 4; nth += 1)
    kinds.push((await exchange.info({ type: "userFills", user: "0x1" }, { purpose: "read" })).kind);
  expect(kinds).toEqual(["ok", "ok", "ok", "failed"]);
});

test("what was proven not to have been sent costs nothing", async () => {
  const refused = () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  const exchange = connect("http://exchange.test", { transport: refused, weightPerMinute: 40 });
  for (let nth = 0; nth < 100; nth += 1) {
    expect(await exchange.send("{}", "order")).toEqual({ kind: "not_sent", reason: "ECONNREFUSED" });
    expect(await exchange.info({ type: "meta" }, { purpose: "order" })).toMatchObject({ isOurBudget: false });
  }
  expect(exchange.hasBudgetFor("read")).toBe(true);
});

test("an HTTP 429 slows all down but cancels, whether it answered a read or an action", async () => {
  const clock = stillClock();
  for (const isAction of [true, false]) {
    const exchange = connect("http://exchange.test", {
      clock,
      ...answering(() => new Response("null", { status: 429 })),
    });
    expect(exchange.hasBudgetFor("order")).toBe(true);
    expect(exchange.budgetWaitS("order")).toBe(0);
    if (isAction)
      expect(await exchange.send("{}", "order")).toEqual({ kind: "answered", httpStatus: 429, body: "null" });
    else
      expect(await exchange.info({ type: "meta" }, { purpose: "order" })).toMatchObject({
        kind: "failed",
        httpStatus: 429,
      });
    expect(exchange.hasBudgetFor("order")).toBe(false);
    expect(exchange.budgetWaitS("order")).toBe(10);
    expect(exchange.hasBudgetFor("cancel")).toBe(true);
  }
});

test("actions stop before our minute is over the limit, and then nothing was sent", async () => {
  const { transport, inits } = answering(() => new Response("{}"));
  const exchange = connect("http://exchange.test", { transport, weightPerMinute: 100 });
  const outcomes = await Promise.all(Array.from({ length: 101 }, () => exchange.send("{}", "order")));
  expect(outcomes.filter(({ kind }) => kind === "answered")).toHaveLength(100);
  expect(outcomes.filter(({ kind }) => kind === "not_sent")).toEqual([
    { kind: "not_sent", reason: "our weight towards the exchange is used up", waitS: 61 },
  ]);
  expect(inits).toHaveLength(100);
});

test("an account's actions leave some to settling, and cancels go on beyond the cap as the exchange lets them", () => {
  const budget = createActionBudget(true);
  expect(budget.fits("0xa", "order", 1)).toBe(true);
  expect(budget.remaining("0xa")).toBeNull();
  budget.learn("0xa", { used: 9_899, cap: 10_000 });
  expect(budget.fits("0xa", "order", 1)).toBe(true);
  budget.spend("0xa", "order", 1);
  expect(budget.fits("0xa", "order", 1)).toBe(false);
  expect(budget.fits("0xa", "settle", 100)).toBe(true);
  expect(budget.fits("0xa", "settle", 101)).toBe(false);
  budget.spend("0xa", "settle", 100);
  expect(budget.remaining("0xa")).toBe(0);
  expect(budget.fits("0xa", "cancel", 10_000)).toBe(true);
  expect(budget.fits("0xa", "cancel", 10_001)).toBe(false);
  expect(budget.fits("0xb", "order", 1)).toBe(true);
  budget.learn("0xa", { used: 0, cap: 1_000_000 });
  expect(budget.fits("0xa", "cancel", 1_100_000)).toBe(true);
  expect(budget.fits("0xa", "cancel", 1_100_001)).toBe(false);
  const off = createActionBudget(false);
  off.learn("0xa", { used: 5, cap: 5 });
  expect(off.fits("0xa", "order", 1)).toBe(true);
});

test("a request of several reads is told to wait until all of them fit", async () => {
  const clock = stillClock();
  const exchange = connect("http://exchange.test", { clock, ...answering(() => new Response("[]")) });
  const options = { purpose: { reader: "a key" } };
  const both = async () => {
    const asked = ["", "xyz"].map((dex) => exchange.info({ type: "frontendOpenOrders", user: "0x1", dex }, options));
    return Promise.all(asked);
  };
  for (let second = 0; second < 12; second += 1) {
    await exchange.info({ type: "frontendOpenOrders" }, options);
    await clock.advance(1_000);
  }
  await clock.advance(8_000);
  const [first, second] = await both();
  // The first has used the room that there was, and is asked again with the second.
  expect(first?.kind).toBe("ok");
  expect(second).toMatchObject({ kind: "failed", isOurBudget: true, waitS: 42 });
  await clock.advance(42_000);
  expect((await both()).map(({ kind }) => kind)).toEqual(["ok", "ok"]);
});

test("an action is told to wait until it fits together with a list that is read before it", async () => {
  const clock = stillClock();
  const exchange = connect("http://exchange.test", { clock, ...answering(() => new Response("[]")) });
  for (let second = 0; second < 39; second += 1) {
    await exchange.info({ type: "meta" }, { purpose: "order" });
    await clock.advance(1_000);
  }
  expect(exchange.hasBudgetFor("order")).toBe(false);
  expect(exchange.budgetWaitS("order")).toBe(23);
  await clock.advance(23_000);
  expect((await exchange.info({ type: "meta" }, { purpose: "order" })).kind).toBe("ok");
  expect(exchange.hasBudgetFor("order")).toBe(true);
});
