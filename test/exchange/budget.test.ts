import { expect, test } from "bun:test";
import fc from "fast-check";
import { createActionBudget } from "../../src/exchange/action-budget.ts";
import { type Budget, createBudget } from "../../src/exchange/budget.ts";
import type { Purpose } from "../../src/exchange/exchange.ts";
import { largestWeight, weightOf, weightOfAnswer } from "../../src/exchange/weights.ts";
import { stillClock } from "./clocks.ts";
import { answering, connect } from "./connect.ts";

const LIMIT = 1_200;
const MINUTE_MS = 60_000;

const PURPOSE = fc.constantFrom<Purpose>("cancel", "settle", "order", "read");
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
      expect(mostInAMinute(taken.filter(({ purpose }) => purpose === "read"))).toBeLessThanOrEqual(LIMIT / 3);
    }),
  );
});

test("whatever others spent, a tenth is left to cancels, and a quarter more to settling", () => {
  fc.assert(
    fc.property(HUNGRY, (steps) => {
      const others = steps.filter(({ purpose }) => purpose !== "cancel");
      const budget = createBudget({ weightPerMinute: LIMIT });
      expect(budget.fits("cancel", LIMIT / 10, run(budget, others).nowMs)).toBe(true);
      const clients = others.filter(({ purpose }) => purpose !== "settle");
      const quieter = createBudget({ weightPerMinute: LIMIT });
      expect(quieter.fits("settle", LIMIT / 4, run(quieter, clients).nowMs)).toBe(true);
    }),
  );
});

test("after the wait that it tells, what did not fit fits, and not a second before", () => {
  fc.assert(
    fc.property(HUNGRY, PURPOSE, fc.integer({ min: 1, max: 120 }), (steps, purpose, weight) => {
      const budget = createBudget({ weightPerMinute: LIMIT });
      const { nowMs } = run(budget, steps);
      const waitMs = budget.waitMs(purpose, weight, nowMs);
      expect(budget.fits(purpose, weight, nowMs)).toBe(waitMs === 0);
      expect(budget.fits(purpose, weight, nowMs + waitMs)).toBe(true);
      if (waitMs > 1_000) expect(budget.fits(purpose, weight, nowMs + waitMs - 1_001)).toBe(false);
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

test("told that we are too fast, orders and reads stop for 10 s, settling for 2 s, cancels not at all", () => {
  const rows: readonly [Purpose, number][] = [
    ["cancel", 0],
    ["settle", 2_000],
    ["order", 10_000],
    ["read", 10_000],
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
  // 63 are paid; 337 are left of the third, and each of the next sets 120 aside.
  for (let nth = 0; nth < 10; nth += 1) await exchange.info(request, { purpose: "read" });
  expect(inits).toHaveLength(13);
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
  expect(outcomes.filter(({ kind }) => kind === "not_sent")).toHaveLength(1);
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
