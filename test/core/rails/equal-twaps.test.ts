import { expect, test } from "bun:test";
import { type LostTwap, namesInBooks } from "../../../src/core/rails/equal-twaps.ts";

function lost(operationId: string, some: Partial<LostTwap> = {}): LostTwap {
  return { operationId, bot: "grid-1", isTaken: true, ids: ["7", "8"], ...some };
}

test.each<[string, LostTwap[], [string, string][]]>([
  [
    "as many are shown as were sent",
    [lost("a"), lost("b")],
    [
      ["a", "7"],
      ["b", "8"],
    ],
  ],
  ["one of them is another bot's", [lost("a"), lost("b", { bot: "other" })], []],
  ["one of them is of a key without rails", [lost("a"), lost("b", { bot: null })], []],
  ["the number of one is not known to be taken", [lost("a"), lost("b", { isTaken: false })], []],
  ["more are shown than were sent", [lost("a", { ids: ["7", "8", "9"] }), lost("b", { ids: ["7", "8", "9"] })], []],
  ["fewer are shown than were sent", [lost("a"), lost("b"), lost("c")], []],
  ["one may be the other's alone", [lost("a"), lost("b", { ids: ["8"] })], []],
  ["nothing is shown", [lost("a", { ids: [] }), lost("b", { ids: [] })], []],
  [
    "two others are of another time",
    [lost("a"), lost("b"), lost("c", { ids: ["1", "2"], isTaken: false }), lost("d", { ids: ["1", "2"] })],
    [
      ["a", "7"],
      ["b", "8"],
    ],
  ],
])("equal TWAPs stand in their bot's books where %s", (_where, all, names) => {
  expect([...namesInBooks(all)]).toEqual(names);
});
