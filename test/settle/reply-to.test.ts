/** What an answer to an action of several orders says of each of them. */
import { expect, test } from "bun:test";
import { replyTo } from "../../src/settle/place/reply-to.ts";
import type { Reply, StatusEntry } from "../../src/wire/answer/reply.ts";

function rests(oid: string, cloid: string | null = null): StatusEntry {
  return { kind: "resting", oid, cloid };
}

/** Of the orders of an action, in their order. */
const CLOIDS = ["0xa", "0xb", "0xc"];

const error: StatusEntry = { kind: "error", text: "Order has invalid size." };

const unmatched: StatusEntry = {
  kind: "error",
  text: "Order could not immediately match against any resting orders. asset=0",
};

function answered(statuses: StatusEntry[]): Reply {
  return { kind: "accepted", type: "order", statuses };
}

/** The first word that is left for each of so many orders; null where it has to be looked up. */
function words(reply: Reply, count: number): (StatusEntry | null)[] {
  return Array.from({ length: count }, (_none, index) => {
    const own = replyTo(reply, { index, cloids: CLOIDS.slice(0, count) });
    return own.kind === "accepted" ? (own.statuses[0] ?? null) : null;
  });
}

test.each<[string, StatusEntry[], number, (StatusEntry | null)[]]>([
  ["a word for each", [rests("1"), error, rests("2")], 3, [rests("1"), error, rests("2")]],
  ["one error for all", [error], 3, [error, error, error]],
  ["one error for all that is about one of them", [unmatched], 2, [null, null]],
  ["one good word for several", [rests("1")], 2, [null, null]],
  ["a word too few", [rests("1"), error], 3, [null, null, null]],
  ["a word too many", [rests("1"), rests("2"), error], 2, [null, null]],
  ["no word", [], 2, [null, null]],
  [
    "a word that names its own order",
    [rests("1", "0xa"), error, rests("2", "0xc")],
    3,
    [rests("1", "0xa"), error, rests("2", "0xc")],
  ],
  ["out of order", [rests("1", "0xc"), error, rests("2")], 3, [rests("1", "0xc"), null, null]],
  [
    "out of order beside a word in its place",
    [error, rests("1", "0xb"), rests("2", "0xa")],
    3,
    [null, rests("1", "0xb"), rests("2", "0xa")],
  ],
  ["two orders under one native id", [rests("1"), rests("1"), error], 3, [null, null, error]],
])("%s is told so", (_what, statuses, count, expected) => {
  expect(words(answered(statuses), count)).toEqual(expected);
});

// Each has a record of its own at the exchange (`badTriggerPxRejected`, `oracleRejected`), or is about one market.
test.each(["Invalid TP/SL price. asset=0", "Price too far from oracle", "Trading is halted."])(
  "one error that says %s is about one order",
  (text) => {
    expect(words(answered([{ kind: "error", text }]), 2)).toEqual([null, null]);
  },
);

test("what is said of the action as a whole is said of each", () => {
  const refused: Reply = { kind: "refused", text: "no", bug: false };
  const lost: Reply = { kind: "ambiguous", reason: "no_answer", text: null };
  for (const reply of [refused, lost]) expect(replyTo(reply, { index: 1, cloids: CLOIDS.slice(0, 2) })).toEqual(reply);
});
