import { expect, test } from "bun:test";
import fc from "fast-check";
import { nextNonce } from "../../src/core/nonce.ts";

test("nonces strictly increase whatever the clock does", () => {
  const readings = fc.array(fc.integer({ min: 1_600_000_000_000, max: 1_600_000_100_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(readings, (trace) => {
      let last: number | null = null;
      for (const nowMs of trace) {
        const nonce: number = nextNonce(last, nowMs);
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
    seen.add(last);
  }
  expect(seen.size).toBe(1_000);
});
