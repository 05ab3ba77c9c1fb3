import { expect, test } from "bun:test";
import { KEYS, type Meaning, meaningOf } from "../../src/console/figures/keyboard.ts";

const ROWS: [key: string, isAfterG: boolean, meaning: Partial<Meaning> | null][] = [
  ["/", false, { kind: "search" }],
  ["?", false, { kind: "help" }],
  ["b", false, { kind: "side", side: "buy" }],
  ["s", false, { kind: "side", side: "sell" }],
  ["g", false, { kind: "wait" }],
  ["o", true, { kind: "screen", hash: "#/trade" }],
  ["b", true, { kind: "screen", hash: "#/bots" }],
  // Neither half of a pair does anything by itself.
  ["o", false, null],
  ["s", true, null],
  ["Enter", false, null],
];

test.each(ROWS)("%p, after g: %p", (key, isAfterG, meaning) => {
  const found = meaningOf(key, isAfterG);
  if (meaning === null) expect(found).toBeNull();
  else expect(found).toMatchObject(meaning);
});

test("every key that is told means something", () => {
  for (const [keys] of KEYS) {
    const [first = "", second] = keys.split(" ");
    expect([keys, meaningOf(second ?? first, second !== undefined)]).not.toEqual([keys, null]);
  }
});
