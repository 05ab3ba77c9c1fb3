/** What it takes to tell the end of an order of which one record says that it is over. */
import { expect, test } from "bun:test";
import { isRefusalBorneOut, judgeEnd, type ListWord, listWord, type RefusalWord } from "../../src/core/end-evidence.ts";

const ORDER = { oid: "7", placedAtMs: 1_000, endedAtMs: 5_000 };
const OWN = { oid: "7", timestampMs: 1_000 };
const [AT_ONCE, AFTER_ALL] = [5_001, 165_000];

function other(timestampMs: number) {
  return { oid: "8", timestampMs };
}

test.each<[string, { oid: string; timestampMs: number }[], number, ListWord]>([
  ["an empty one", [], AT_ONCE, "may_be_before"],
  ["one of orders that are older", [other(999)], AT_ONCE, "may_be_before"],
  ["one that holds another of the same moment", [other(1_000)], AT_ONCE, "may_be_before"],
  ["one that holds what was placed after it", [other(1_001)], AT_ONCE, "lacks"],
  ["an empty one of when every server shows its placing", [], 161_000, "lacks"],
  ["an empty one of a moment before that", [], 160_999, "may_be_before"],
  ["one that holds it", [OWN], AT_ONCE, "holds"],
  ["one that holds it and what was placed before its end", [OWN, other(5_000)], AT_ONCE, "holds"],
  ["one that holds it and what was placed after its end", [OWN, other(5_001)], AT_ONCE, "holds_since"],
  ["one that holds it when every server shows its end", [OWN], AFTER_ALL, "holds_since"],
  ["one that holds it a moment before that", [OWN], AFTER_ALL - 1, "holds"],
])("%s", (_what, orders, askedAtMs, word) => {
  expect(listWord({ orders, askedAtMs }, ORDER)).toBe(word);
});

test("an end is told by two stores, and by no record alone", () => {
  const words: (ListWord | null)[] = [null, "lacks", "may_be_before", "holds", "holds_since"];
  const verdicts = words.flatMap((list) =>
    [false, true].map((isInHistory) => judgeEnd({ isToldOtherwise: false, list, isInHistory })),
  );
  expect(verdicts.join(" ")).toBe("open open told told open told open open refuted refuted");
  for (const list of words) expect(judgeEnd({ isToldOtherwise: true, list, isInHistory: false })).toBe("told");
});

test.each<[RefusalWord, number, boolean]>([
  ["refused", 0, true],
  ["another_end", 0, false],
  ["another_end", 1_000_000, false],
  ["silent", 159_999, false],
  ["silent", 160_000, true],
])(
  "that it was refused, where another store is %s of it %d ms after its placing: %p",
  (word, sincePlacingMs, isTold) => {
    expect(isRefusalBorneOut(word, sincePlacingMs)).toBe(isTold);
  },
);
