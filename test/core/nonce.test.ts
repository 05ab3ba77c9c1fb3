import { expect, test } from "bun:test";
import fc from "fast-check";
import { nextNonce } from "../../src/core/nonce.ts";

const HALF_A_DAY_MS = 12 * 60 * 60 * 1_000;

test("nonces strictly increase whatever the clock does", () => {
  const readings = fc.array(fc.integer({ min: 1_600_000_000_000, max: 1_600_000_100_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(readings, (trace) => {
      let last: number | null = null;
      for (const nowMs of trace) {
        const nonce = nextNonce(last, nowMs);
        expect(nonce).not.toBeNull();
        if (nonce === null) return;
        if (last !== null) expect(nonce).toBeGreaterThan(last);
        expect(nonce).toBeGreaterThanOrEqual(nowMs);
        last = nonce;
      }
    }),
  );
});

test("a clock that stands still gives each action a number of its own", () => {
  let last: number | null = null;
  const seen = new Set<number>();
  for (let action = 0; action < 1_000; action += 1) {
    last = nextNonce(last, 5_000_000);
    if (last !== null) seen.add(last);
  }
  expect(seen.size).toBe(1_000);
});

test("a last nonce half a day ahead of the clock stops signing, one millisecond less does not", () => {
  const nowMs = 1_700_000_000_000;
  expect(nextNonce(nowMs + HALF_A_DAY_MS - 1, nowMs)).toBe(nowMs + HALF_A_DAY_MS);
  expect(nextNonce(nowMs + HALF_A_DAY_MS, nowMs)).toBeNull();
});
