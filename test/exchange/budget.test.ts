import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Budget, createBudget } from "../../src/exchange/budget.ts";
import type { Purpose } from "../../src/exchange/exchange.ts";
import { useOf } from "../../src/exchange/shares.ts";

const LIMIT = 1_200;
const MINUTE_MS = 60_000;

const READERS: readonly Purpose[] = [{ reader: "a" }, { reader: "b" }];
const PURPOSES: readonly Purpose[] = ["cancel", "settle", "reduce", "order", "read", "catch_up", ...READERS];
/** What goes on by itself. */
const REPEATED: readonly Purpose[] = ["settle", "read", "catch_up"];
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
      // What a feed may have missed is settling's own.
      const clients = others.filter(({ purpose }) => purpose !== "settle" && purpose !== "catch_up");
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
        steps.filter((step) => !REPEATED.includes(step.purpose)),
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
  const repeated = fc.constantFrom<Purpose>(...REPEATED);
  fc.assert(
    fc.property(HUNGRY, everyMs, repeated, PURPOSE, (steps, everyS, by, purpose) => {
      const budget = createBudget({ weightPerMinute: LIMIT });
      const clients = steps.filter((step) => !REPEATED.includes(step.purpose));
      let second = 0;
      const each = Math.min(20, everyS);
      const refusedAtMs: number[] = [];
      const go = (toMs: number) => {
        for (; second * 1_000 <= toMs; second += 1) {
          if (second % everyS !== 0) continue;
          if (budget.take(by, each, second * 1_000) === null) refusedAtMs.push(second * 1_000);
        }
      };
      go(60_000);
      let nowMs = 60_000;
      for (const { purpose: other, weight, pauseMs } of clients) {
        nowMs += pauseMs;
        go(nowMs);
        budget.take(other, weight, nowMs);
      }
      const isRepeated = REPEATED.includes(purpose);
      // What found no room in the last minute may find it in the next, and then more goes on than did.
      const more = each * refusedAtMs.filter((atMs) => atMs > nowMs - MINUTE_MS).length;
      const thenMs = nowMs + budget.waitMs(purpose, 21 + more, nowMs);
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

test("two orders a second find room whatever settling needs, and reductions one more", () => {
  const budget = createBudget({ weightPerMinute: LIMIT });
  const run = (purpose: Purpose, weight: number, nowMs: number): number => {
    let taken = 0;
    while (budget.take(purpose, weight, nowMs) !== null) taken += weight;
    return taken;
  };
  expect([run("settle", 15, 0), run("settle", 15, 31_000)]).toEqual([450, 450]);
  expect([run("order", 1, 31_000), run("reduce", 1, 31_000), run("settle", 1, 31_000)]).toEqual([120, 60, 0]);
  // What was placed is none of what is kept any more, and all of it comes again when its minute is over.
  expect([budget.left("settle", 31_000), budget.left("cancel", 31_000)]).toEqual([0, 120]);
  expect([budget.left("settle", 92_000), budget.left("order", 92_000)]).toEqual([900, 780]);
});

test("settling has no more than half of its part in half a minute, but for one question that is larger", () => {
  const budget = createBudget({ weightPerMinute: LIMIT });
  for (let nowMs = 0; nowMs < 30_000; nowMs += 100) budget.take("settle", 2, nowMs);
  expect([budget.left("settle", 29_999), budget.left("cancel", 29_999)]).toEqual([0, 750]);
  expect(budget.waitMs("settle", 280, 29_999)).toBeLessThanOrEqual(MINUTE_MS / 2);
  expect(budget.take("settle", 280, MINUTE_MS)).not.toBeNull();
  const large = createBudget({ weightPerMinute: LIMIT });
  expect(large.take("settle", 880, 0)).not.toBeNull();
  // A smaller limit is not spread: a reading of all that an account shows would never fit.
  const small = createBudget({ weightPerMinute: 400 });
  small.take("settle", 20, 0);
  expect(small.take("settle", 280, 0)).not.toBeNull();
});

test("what is read again after a start or a reconnect is none of settling's pace, and leaves it what others do", () => {
  const budget = createBudget({ weightPerMinute: LIMIT });
  budget.take("settle", 100, 0);
  let taken = 0;
  while (budget.take("catch_up", 90, 0) !== null) taken += 90;
  expect([taken, budget.left("settle", 0)]).toEqual([540, LIMIT - 120 - 180 - 640]);
  const started = createBudget({ weightPerMinute: LIMIT });
  started.take("catch_up", 270, 0);
  expect(started.left("settle", 0)).toBe(LIMIT - 120 - 180 - 270);
  started.take("settle", 100, 0);
  expect(started.left("settle", 0)).toBe(350);
});

test("what orders have used of it is not kept any more, and whatever they have used, reductions have a part of their own", () => {
  const leftAfter = (orders: number, reductions: number) => {
    const budget = createBudget({ weightPerMinute: LIMIT });
    if (orders > 0) budget.take("order", orders, 0);
    if (reductions > 0) budget.take("reduce", reductions, 0);
    const settling = budget.left("settle", 0) ?? 0;
    budget.take("settle", settling, 0);
    return [settling, budget.left("order", 0), budget.left("reduce", 0), budget.left("cancel", 0)];
  };
  expect(leftAfter(120, 60)).toEqual([900, 0, 0, 120]);
  expect(leftAfter(150, 30)).toEqual([870, 0, 30, 150]);
  expect(leftAfter(700, 0)).toEqual([320, 0, 60, 180]);
  // They go on into what is kept for orders.
  expect(leftAfter(0, 100)).toEqual([900, 80, 80, 200]);
  expect(leftAfter(0, 180)).toEqual([900, 0, 0, 120]);
});

test("room is kept from what is smaller, for fifteen seconds, and only from settling", () => {
  const claimed = (): Budget => {
    const budget = createBudget({ weightPerMinute: LIMIT });
    budget.take("cancel", 720, 0);
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
  slowed.take("cancel", 720, 0);
  expect(slowed.fits("settle", 21, 5_000)).toBe(true);
});

test("what a list may come to keeps nobody waiting who has room for what it is likely to come to, and takes nothing from cancels", () => {
  const list = { most: 300, likely: 120, least: 100 };
  const spent = (weight: number): Budget => {
    const budget = createBudget({ weightPerMinute: LIMIT });
    budget.take("cancel", weight, 0);
    return budget;
  };
  expect([700, 780, 781].map((weight) => spent(weight).fits("settle", list, 0))).toEqual([true, true, false]);
  expect(spent(700).fits("settle", list.most, 0)).toBe(false);
  // All of it is set aside until the answer has shown what it came to.
  const asking = spent(700);
  asking.take("settle", list, 0);
  expect([asking.left("cancel", 0), asking.fits("settle", list, 0)]).toEqual([200, false]);
  const reading = createBudget({ weightPerMinute: LIMIT });
  for (const reader of ["a", "b", "c"]) reading.take({ reader }, 100, 0);
  const fills = { most: 120, likely: 30, least: 20 };
  expect([reading.fits("read", fills, 0), reading.fits("read", fills.most, 0)]).toEqual([true, false]);
  reading.take("cancel", 361, 0);
  expect(reading.fits("read", fills, 0)).toBe(false);
  // Room for the most of it is kept as well.
  const claimed = spent(610);
  claimed.take("reduce", 180, 0);
  expect(claimed.take("settle", list, 0)).toBeNull();
  expect([claimed.fits("settle", 21, 0), claimed.fits("settle", 21, 15_000)]).toEqual([false, true]);
});

test("what a charge did not come to is given back once, and never to a later minute; what it came to beyond is paid", () => {
  const budget = createBudget({ weightPerMinute: LIMIT });
  const charge = budget.take("settle", 820, 0);
  expect(budget.fits("settle", 200, 0)).toBe(false);
  if (charge === null) throw new Error("did not fit");
  budget.settle(charge, 20);
  budget.settle(charge, 20);
  expect(budget.left("cancel", 0)).toBe(1_180);
  budget.settle(charge, 900);
  expect([budget.left("cancel", 0), budget.fits("settle", 1, 0)]).toEqual([300, false]);
  const later = createBudget({ weightPerMinute: LIMIT });
  const old = later.take("settle", 820, 0);
  later.take("settle", 900, 100_000);
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
    ["catch_up", 10_000],
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
