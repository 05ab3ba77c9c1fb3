/** Lines of a long table: those that are there are used again, each for one row. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Slots, slotsFor } from "../../src/console/parts/row-slots.ts";

const NONE: Slots = new Map();

test("rows that stay keep their lines, and those that come take what others have left", () => {
  const first = slotsFor(NONE, ["a", "b", "c", "d"], null);
  expect([...first]).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["d", 3],
  ]);
  const second = slotsFor(first, ["c", "d", "e", "f"], null);
  expect([...second]).toEqual([
    ["c", 2],
    ["d", 3],
    ["e", 0],
    ["f", 1],
  ]);
});

test("the line that has the focus is given to nobody else", () => {
  const first = slotsFor(NONE, ["a", "b"], null);
  expect([...slotsFor(first, ["c", "d"], "a")]).toEqual([
    ["c", 1],
    ["d", 2],
  ]);
});

test("however it is scrolled no two rows share a line, and there are no more than most rows and the one with the focus", () => {
  const start = fc.integer({ min: 0, max: 60 });
  const window = fc.record({ start, count: fc.integer({ min: 0, max: 30 }), focused: fc.option(start) });
  fc.assert(
    fc.property(fc.array(window, { maxLength: 20 }), (windows) => {
      let slots = NONE;
      for (const { start: from, count, focused } of windows) {
        const ids = Array.from({ length: count }, (_, nth) => `row-${from + nth}`);
        const before = slots;
        slots = slotsFor(before, ids, focused === null ? null : `row-${focused}`);
        expect([...slots.keys()]).toEqual(ids);
        expect(new Set(slots.values()).size).toBe(count);
        for (const id of ids) if (before.has(id)) expect(slots.get(id)).toBe(before.get(id) ?? -1);
      }
    }),
  );
});
