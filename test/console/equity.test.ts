import { expect, test } from "bun:test";
import { join } from "node:path";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Sample = { atMs: number; equity: string };
type Steps = {
  samplesOf: (newestFirst: readonly object[]) => Sample[];
  shownEquity: (state: object) => Sample[];
};
// Its own types are a browser's.
const { samplesOf, shownEquity } = (await import(join(CONSOLE, "state/equity.ts"))) as Steps;

const DAY_MS = 86_400_000;
const NOW_MS = 40 * DAY_MS;

const HOURS = Array.from({ length: 40 * 24 }, (_, hour) => ({ atMs: (hour + 1) * 3_600_000, equity: "1" }));

function at(atMs: number): string {
  return new Date(atMs).toISOString();
}

test("rows are drawn oldest first, from where the first begins", () => {
  const rows = [
    { from: at(2_000), to: at(3_000), open: "11", close: "12" },
    { from: at(1_000), to: at(2_000), open: "10", close: "11" },
  ];
  expect(samplesOf(rows)).toEqual([
    { atMs: 1_000, equity: "10" },
    { atMs: 2_000, equity: "11" },
    { atMs: 3_000, equity: "12" },
  ]);
  expect(samplesOf([])).toEqual([]);
});

const UNREAD = { value: null, readAtMs: null, failure: null };

function state(equityDays: number, some: object = {}) {
  const unread = { account: UNREAD, positions: UNREAD, markets: UNREAD, prices: UNREAD };
  return { ...unread, equity: { value: HOURS }, forms: { equityDays }, nowMs: NOW_MS, ...some };
}

test.each([1, 7, 30])("the chart shows %i days of them", (equityDays) => {
  const shown = shownEquity(state(equityDays));
  expect(shown[0]?.atMs).toBe(NOW_MS - equityDays * DAY_MS);
  expect(shown).toHaveLength(equityDays * 24 + 1);
});

const WORTH = { account_mode: "standard", spot: [], perpetuals: [{ equity: "5" }] };
const READ = {
  positions: { ...UNREAD, value: [] },
  markets: { ...UNREAD, value: [] },
  prices: { ...UNREAD, value: new Map() },
};

test.each([
  ["what it is worth now comes last", { value: WORTH, readAtMs: NOW_MS + 1, failure: null }, 1],
  ["an older reading is none", { value: WORTH, readAtMs: NOW_MS - 1, failure: null }, 0],
  ["nor is one that failed since", { value: WORTH, readAtMs: NOW_MS + 1, failure: "down" }, 0],
])("%s", (_what, account, more) => {
  expect(shownEquity(state(1, { ...READ, account }))).toHaveLength(25 + more);
});
