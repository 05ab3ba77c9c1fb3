import { expect, test } from "bun:test";
import fc from "fast-check";
import { type BucketLevel, draw, isOff } from "../../src/core/rate.ts";

const RATE = { perSecond: 10, burst: 20 };

test("lets a burst through, refuses the next and says when to come back", () => {
  let level: BucketLevel | null = null;
  for (let count = 0; count < RATE.burst; count += 1) {
    const drawn = draw(RATE, level, 0);
    expect(drawn).toMatchObject({ isAllowed: true, remaining: RATE.burst - 1 - count, retryAfterS: 0 });
    level = drawn.level;
  }
  expect(draw(RATE, level, 0)).toMatchObject({ isAllowed: false, remaining: 0, resetS: 2, retryAfterS: 1 });
  expect(draw(RATE, level, 99).isAllowed).toBe(false);
  expect(draw(RATE, level, 100).isAllowed).toBe(true);
});

test("a refused draw costs nothing", () => {
  const empty = { tokens: 0, atMs: 0 };
  const refused = draw(RATE, empty, 50);
  expect(refused.isAllowed).toBe(false);
  expect(draw(RATE, refused.level, 100).isAllowed).toBe(true);
});

test("never lets more through than burst plus what came back, whatever the clock does", () => {
  const steps = fc.array(fc.integer({ min: -500, max: 2_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (jumps, perSecond, burst) => {
      let level: BucketLevel | null = null;
      let nowMs = 0;
      let highestMs = 0;
      let allowed = 0;
      for (const jump of jumps) {
        nowMs = Math.max(0, nowMs + jump);
        highestMs = Math.max(highestMs, nowMs);
        const drawn = draw({ perSecond, burst }, level, nowMs);
        level = drawn.level;
        if (drawn.isAllowed) allowed += 1;
        expect(drawn.remaining).toBeGreaterThanOrEqual(0);
        expect(drawn.isAllowed || drawn.retryAfterS >= 1).toBe(true);
      }
      expect(allowed).toBeLessThanOrEqual(burst + (highestMs * perSecond) / 1_000 + 1e-6);
    }),
  );
});

test("saves up no more than the burst, however long nobody asks", () => {
  let level: BucketLevel | null = draw(RATE, null, 0).level;
  let allowed = 0;
  for (let count = 0; count < 2 * RATE.burst; count += 1) {
    const drawn = draw(RATE, level, 3_600_000);
    level = drawn.level;
    if (drawn.isAllowed) allowed += 1;
  }
  expect(allowed).toBe(RATE.burst);
});

test("a clock that goes back and forth gives nothing twice", () => {
  const empty = { tokens: 0, atMs: 1_000 };
  const back = draw(RATE, empty, 0);
  expect(back.isAllowed).toBe(false);
  expect(draw(RATE, back.level, 1_000).isAllowed).toBe(false);
  expect(draw(RATE, back.level, 1_100).isAllowed).toBe(true);
});

test("waiting for Retry-After is always enough", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: 1, max: 100 }),
      (tokens, perMinute) => {
        const rate = { perSecond: perMinute / 60, burst: perMinute };
        const { retryAfterS } = draw(rate, { tokens, atMs: 0 }, 0);
        expect(draw(rate, { tokens, atMs: 0 }, retryAfterS * 1_000 + 1).isAllowed).toBe(true);
      },
    ),
  );
});

test("0 turns a limit off", () => {
  expect(isOff({ perSecond: 0, burst: 0 })).toBe(true);
  expect(isOff(RATE)).toBe(false);
});
