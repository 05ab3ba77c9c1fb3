import { expect, test } from "bun:test";
import { keptMoment } from "../../src/core/kept-moment.ts";

test.each([
  ["not noted yet, it is now", null, 1_000, 1_000],
  ["noted before, it stays", 900, 1_000, 900],
  ["of this millisecond, it stays", 1_000, 1_000, 1_000],
  ["noted by a clock that was ahead, it is now", 601_000, 1_000, 1_000],
])("of a moment %s", (_name, keptMs, nowMs, expected) => {
  expect(keptMoment(keptMs, nowMs)).toBe(expected);
});
