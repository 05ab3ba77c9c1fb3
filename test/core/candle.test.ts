import { describe, expect, test } from "bun:test";
import { CANDLE_INTERVALS, candleWindow, intervalMs, isComplete } from "../../src/core/candle.ts";
import { parseTime } from "../../src/core/time-text.ts";

const NOW = Date.parse("2026-11-21T09:30:00.125Z");

function pagesOf(interval: "1m" | "1M", sinceMs: number | null, limit: number) {
  const pages: { startMs: number; endMs: number }[] = [];
  let untilMs: number | null = NOW;
  while (untilMs !== null && pages.length < 5_001) {
    const { asked, olderUntilMs } = candleWindow(interval, { sinceMs, untilMs, limit }, NOW);
    pages.push(asked);
    untilMs = olderUntilMs;
  }
  return pages;
}

describe("pages of candles", () => {
  test("follow one another without a gap, to the oldest that the exchange keeps", () => {
    const pages = pagesOf("1m", null, 500);
    for (const [index, page] of pages.entries()) {
      const next = pages[index + 1];
      if (next !== undefined) expect(next.endMs).toBe(page.startMs - 1);
    }
    expect(pages[0]?.endMs).toBe(Date.parse("2026-11-21T09:31:00Z") - 1);
    expect(pages.at(-1)?.startMs).toBeLessThanOrEqual(NOW - 5_000 * 60_000);
    expect(pages).toHaveLength(11);
  });

  test("end at what was asked for", () => {
    expect(pagesOf("1m", NOW - 90_000, 50)).toHaveLength(1);
    expect(pagesOf("1m", NOW - 60 * 60_000, 50)).toHaveLength(2);
  });

  test("ask for the same all through an interval", () => {
    const at = (nowMs: number) => candleWindow("1m", { sinceMs: null, untilMs: nowMs + 1, limit: 50 }, nowMs).asked;
    expect(at(NOW + 29_000)).toEqual(at(NOW));
    expect(at(NOW + 60_000)).not.toEqual(at(NOW));
  });

  test("hold no more months than were asked for", () => {
    const { asked } = candleWindow("1M", { sinceMs: null, untilMs: NOW, limit: 12 }, NOW);
    const months = Array.from({ length: 400 }, (_, month) => Date.UTC(2000, month, 1));
    expect(months.filter((ms) => ms >= asked.startMs && ms <= asked.endMs).length).toBeLessThanOrEqual(12);
  });

  test("before the year 1970 there is nothing", () => {
    expect(candleWindow("1M", { sinceMs: 0, untilMs: 0, limit: 500 }, NOW).asked.startMs).toBe(0);
  });
});

test("a candle is complete once it is over for all servers", () => {
  const lastMs = NOW;
  expect([0, 5_000, 5_001].map((after) => isComplete({ lastMs }, NOW + after))).toEqual([false, false, true]);
});

test("every interval is longer than the one before", () => {
  const lengths = CANDLE_INTERVALS.map(intervalMs);
  expect(lengths.toSorted((a, b) => a - b)).toEqual(lengths);
});

test.each([
  ["2026-11-21", "2026-11-21T00:00:00.000Z"],
  ["2026-11-21T09:30:00Z", "2026-11-21T09:30:00.000Z"],
  ["2026-11-21T09:30:00.125Z", "2026-11-21T09:30:00.125Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2026-02-29", null],
  ["2026-11-31T00:00:00Z", null],
  ["2026-13-01", null],
  ["2026-11-21T24:00:00Z", null],
  ["2026-11-21T09:60:00Z", null],
  ["2026-11-21T09:30:00+01:00", null],
  ["2026-11-21T09:30:00", null],
  ["2026-11-21 09:30:00Z", null],
  ["1795253400000", null],
  ["", null],
])("the time %s is %p", (text, iso) => {
  const ms = parseTime(text);
  expect(ms === null ? null : new Date(ms).toISOString()).toBe(iso);
});
