/** Two readings are two words only where they say the same, and of the same time. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import { finalInMs, judgeSize, READING_SPACING_MS, type SizeReading } from "../../src/core/evidence.ts";

function unmoved(elapsedMs: number, agreement: SizeReading["agreement"]): SizeReading {
  const plain = { elapsedMs, sinceCloseMs: elapsedMs, isWitnessed: false, position: "unmoved" } as const;
  return { agreement, filled: decimal("0.4"), ...plain };
}

test("a record that left room for less and one that ends short are no two words on a size", () => {
  expect(judgeSize([unmoved(0, "over"), unmoved(3_000, "short"), unmoved(5_000, "short")])).toBe("final");
  expect(judgeSize([unmoved(0, "missing"), unmoved(3_000, "over"), unmoved(5_000, "short")])).toBe("open");
});

test.each<[string, readings: readonly SizeReading[], inMs: number | null]>([
  ["nothing", [], null],
  ["a first one of after the close", [unmoved(0, "untouched")], 1_000],
  ["one of before the close, and one of after it", [behind(0), unmoved(500, "untouched")], 1_000],
  ["two of after the close, too near", [unmoved(0, "untouched"), unmoved(400, "untouched")], 600],
  ["two of after the close, apart", [unmoved(0, "untouched"), unmoved(1_000, "untouched")], null],
  ["one of before the close", [behind(0)], null],
  ["one that others contradict", [{ ...unmoved(0, "untouched"), position: "moved" }], null],
  ["one that may have ended with a part", [unmoved(0, "short")], null],
  ["fills that are missing by its record", [unmoved(0, "missing")], null],
])("of %s, in how long another would be the second word", (_name, readings, inMs) => {
  expect(finalInMs(readings)).toBe(inMs);
});

function behind(elapsedMs: number): SizeReading {
  return { ...unmoved(elapsedMs, "untouched"), position: "behind" };
}

test("another reading like the newest makes a size final when it is said to, and is waited for a second at most", () => {
  const readings = fc.array(
    fc.record({
      agreement: fc.constantFrom("untouched", "short", "over", "missing", "silent", "agreed"),
      filled: fc.constantFrom("0", "0.4").map(decimal),
      pauseMs: fc.nat(2_000),
      sinceCloseMs: fc.nat(60_000),
      isWitnessed: fc.boolean(),
      position: fc.constantFrom("unmoved", "behind", "moved", "unknown"),
    } as const),
    { maxLength: 12 },
  );
  const inOrder = readings.map((all) => {
    const elapsedMs = (nth: number) => all.slice(0, nth + 1).reduce((sum, { pauseMs }) => sum + pauseMs, 0);
    return all.map(({ pauseMs: _pauseMs, ...reading }, nth) => ({ ...reading, elapsedMs: elapsedMs(nth) }));
  });
  fc.assert(
    fc.property(inOrder, (all) => {
      const inMs = finalInMs(all);
      const last = all.at(-1);
      if (inMs === null || last === undefined) return;
      expect(inMs).toBeGreaterThan(0);
      expect(inMs).toBeLessThanOrEqual(READING_SPACING_MS);
      const again = { ...last, elapsedMs: last.elapsedMs + inMs, sinceCloseMs: last.sinceCloseMs + inMs };
      expect([judgeSize(all) === "final", judgeSize([...all, again])]).toEqual([false, "final"]);
    }),
    { numRuns: 2_000 },
  );
});
