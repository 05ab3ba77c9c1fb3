import { expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { type Marks, medianOf, noteMark } from "../../../src/core/rails/median.ts";

/** One mark each `everyMs` up to `forMs`. */
function marked(prices: (atMs: number) => string, { everyMs = 10_000, forMs = 600_000 } = {}): Marks {
  const marks: Marks = [];
  for (let atMs = 0; atMs <= forMs; atMs += everyMs) noteMark(marks, { atMs, mark: decimal(prices(atMs)) });
  return marks;
}

const JUMPED = marked((atMs) => (atMs > 320_000 ? "10" : "1"));

test.each<[string, Marks, number, string | null]>([
  ["of what stood still", marked(() => "2"), 600_000, "2"],
  ["between two", marked((atMs) => (atMs < 300_000 ? "1" : "2"), { forMs: 590_000 }), 590_000, "1.5"],
  ["of what has jumped for less than half of it", JUMPED, 600_000, "1"],
  ["of what jumped long ago", marked((atMs) => (atMs > 320_000 ? "10" : "1"), { forMs: 900_000 }), 900_000, "10"],
  ["of less than five minutes", marked(() => "2", { forMs: 290_000 }), 290_000, null],
  ["of five minutes", marked(() => "2", { forMs: 300_000 }), 300_000, "2"],
  ["of few marks", marked(() => "2", { everyMs: 100_000 }), 600_000, null],
  ["of what nobody has followed since", marked(() => "2"), 1_300_000, null],
  ["of nothing", [], 0, null],
])("the median %s", (_title, marks, nowMs, median) => {
  expect(medianOf(marks, nowMs)).toBe(median === null ? null : decimal(median));
});

test("a burst of marks is one, and what is old is let go", () => {
  const marks = marked((atMs) => (atMs % 10_000 === 0 ? "1" : "9"), { everyMs: 100, forMs: 1_200_000 });
  expect(marks.length).toBeLessThanOrEqual(121);
});
