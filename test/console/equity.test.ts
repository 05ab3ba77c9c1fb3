import { expect, test } from "bun:test";
import { join } from "node:path";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Sample = { atMs: number; equity: string };
type Steps = {
  thinned: (samples: readonly Sample[], nowMs: number) => Sample[];
  shownEquity: (state: object) => Sample[];
};
// Its own types are a browser's.
const { thinned, shownEquity } = (await import(join(CONSOLE, "state/equity.ts"))) as Steps;

const DAY_MS = 86_400_000;
const NOW_MS = 40 * DAY_MS;

/** A minute apart, over forty days. */
const MINUTES = Array.from({ length: 40 * 1_440 }, (_, minute) => ({ atMs: (minute + 1) * 60_000, equity: "1" }));

test("of the last day every minute is kept, of thirty days each half hour, and nothing older", () => {
  const kept = thinned(MINUTES, NOW_MS);
  const ages = kept.map(({ atMs }) => NOW_MS - atMs);
  expect(ages.filter((age) => age <= DAY_MS)).toHaveLength(1_441);
  expect(ages.filter((age) => age > DAY_MS)).toHaveLength(29 * 48);
  expect(Math.max(...ages)).toBeLessThanOrEqual(30 * DAY_MS);
  // A sample is thinned again and again as it ages, and stays.
  expect(thinned(kept, NOW_MS)).toEqual(kept);
});

test.each([1, 7, 30])("the chart shows %i days of them", (equityDays) => {
  const shown = shownEquity({ equity: MINUTES, forms: { equityDays }, nowMs: NOW_MS });
  expect(shown[0]?.atMs).toBe(NOW_MS - equityDays * DAY_MS);
});
