import { expect, test } from "bun:test";
import { pageLooked, pageOf, parseLimit } from "../../src/core/page.ts";

test.each([
  ["1", 1],
  ["50", 50],
  ["500", 500],
  ["0", null],
  ["501", null],
  ["999", null],
  ["1000", null],
  ["050", null],
  ["5.0", null],
  ["-5", null],
  [" 5", null],
  ["", null],
])("reads limit %p as %p", (text, limit) => {
  expect(parseLimit(text)).toBe(limit);
});

test("a page has a cursor exactly when a row follows it", () => {
  const cursorOf = (row: number) => `row ${row}`;
  expect(pageOf([1, 2, 3], 2, cursorOf)).toEqual({ rows: [1, 2], nextCursor: "row 2" });
  expect(pageOf([1, 2], 2, cursorOf)).toEqual({ rows: [1, 2], nextCursor: null });
  expect(pageOf([], 2, cursorOf)).toEqual({ rows: [], nextCursor: null });
});

test("a page that was looked for so far goes on from there, though it is not full, or empty", () => {
  const cursorOf = (row: string) => row;
  const lookedTo = { id: "looked-to" };
  expect(pageLooked({ rows: ["a"], lookedTo }, 2, cursorOf)).toEqual({ rows: ["a"], nextCursor: "looked-to" });
  expect(pageLooked({ rows: [], lookedTo }, 2, cursorOf)).toEqual({ rows: [], nextCursor: "looked-to" });
  expect(pageLooked({ rows: ["a", "b", "c"], lookedTo }, 2, cursorOf)).toEqual({ rows: ["a", "b"], nextCursor: "b" });
  expect(pageLooked({ rows: ["a"], lookedTo: null }, 2, cursorOf)).toEqual({ rows: ["a"], nextCursor: null });
});
