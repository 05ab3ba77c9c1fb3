/** Balances name no time: what they add up to, from what was shown before and all that has moved them since, says of when they are. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import {
  type BalanceMove,
  type BalanceReading,
  type BalancesWord,
  balancesWord,
} from "../../src/core/told-balances.ts";

/** Exchange time of what was shown before, and of each move after it, milliseconds. */
const T = 100_000;

function reading(total: string, leastMs = T, mostMs = T): BalanceReading {
  return { totals: new Map([["USDC", decimal(total)]]), leastMs, mostMs, parts: 0 };
}

/** The first a second after what was shown before, and each a second after the one before it. */
function moves(...amounts: (string | null)[]): BalanceMove[] {
  return amounts.map((amount, nth) => ({
    timeMs: T + (nth + 1) * 1_000,
    amounts: new Map([["USDC", amount === null ? null : decimal(amount)]]),
    parts: 1,
  }));
}

/** Each: what has moved since 100 were shown, how much is shown, what that is. */
const ROWS: [name: string, moves: BalanceMove[], total: string, word: BalancesWord][] = [
  ["nothing is new", [], "100", "holds"],
  ["nothing is new, and something else is shown", [], "77", "holds"],
  ["it holds the one move", moves("-1"), "99", "holds"],
  ["it lacks the one move", moves("-1"), "100", "before"],
  ["it is between two", moves("-1", "-2"), "99", "before"],
  ["it holds both", moves("-1", "-2"), "97", "holds"],
  ["something else has moved it", moves("-1"), "98.5", "unclear"],
  ["it stands where it stood, after a round trip", moves("-1", "1"), "100", "unclear"],
  ["nobody knows by how much it was moved, and it stands where it stood", moves(null), "100", "before"],
  ["nobody knows by how much it was moved", moves(null), "55", "unclear"],
  ["the exchange rounds what it tells", moves("-1"), "98.999998", "holds"],
  ["it is off by more than rounding", moves("-1"), "98.99999", "unclear"],
  ["of many parts each is rounded", [{ ...moves("-1")[0], parts: 10 } as BalanceMove], "98.99999", "holds"],
];

test.each(ROWS)("balances that are shown: %s", (_name, some, total, word) => {
  expect(balancesWord(reading(total, T, T + 60_000), { moves: some, readings: [reading("100")] })).toBe(word);
});

test("of what was added up to a total each part is rounded, and in what was shown before as well", () => {
  const added = { ...reading("98.999994", T, T + 60_000), parts: 1 };
  const words = [0, 1].map((parts) =>
    balancesWord(added, { moves: moves("-1"), readings: [{ ...reading("100"), parts }] }),
  );
  expect(words).toEqual(["unclear", "holds"]);
});

test("without anything shown before nothing tells of when they are, once something is new", () => {
  expect(balancesWord(reading("100"), { moves: moves("-1"), readings: [] })).toBe("unclear");
});

test("of what was shown at nobody knows which of two moments either may be", () => {
  const readings = [reading("100", T, T + 1_500)];
  expect(balancesWord(reading("99", T, T + 60_000), { moves: moves("-1", "-2"), readings })).toBe("before");
  expect(balancesWord(reading("98", T, T + 60_000), { moves: moves("-1", "-2"), readings })).toBe("holds");
});
