import { expect, test } from "bun:test";
import { type Decimal, decimal } from "../../src/core/decimal.ts";
import { marksInPlace, type PlacedMark } from "../../src/core/placed-marks.ts";

const MARKETS = ["BTC", "ETH", "DYDX"];
const NAMED = new Map([
  ["BTC", decimal("95000")],
  ["ETH", decimal("3200")],
  ["DYDX", decimal("0.62")],
]);

function row(mark: string, mid: string | null): PlacedMark {
  const figures = {
    mark: decimal(mark),
    oracle: decimal(mark),
    fundingRate: null,
    openInterest: null,
    dayVolume: decimal("0"),
    previousDayPrice: decimal(mark),
  };
  return { figures, mid: mid === null ? null : decimal(mid) };
}

function inPlace(rows: PlacedMark[], named = NAMED): string[] {
  return [...marksInPlace(new Map(rows.map((each, at) => [MARKETS[at] ?? "", each])), named).keys()];
}

const [BTC, ETH, DYDX] = [row("95000", "95049.5"), row("3200", null), row("0.62", "0.619")];

test.each<[what: string, rows: PlacedMark[], expected: string[]]>([
  ["each in its place", [BTC, ETH, DYDX], MARKETS],
  ["turned round: the middle one stands where it stood", [DYDX, ETH, BTC], ["ETH"]],
  ["one further on", [ETH, DYDX, BTC], []],
  ["two in each other's place", [ETH, BTC, DYDX], ["DYDX"]],
  ["a middle of its own says whose the row is, whatever its mark", [row("80000", "95000"), ETH, DYDX], MARKETS],
  ["a twentieth apart", [row("1", "99750"), row("3040", null), DYDX], MARKETS],
  ["further apart", [row("95000", "99750.1"), row("3039.9", null), DYDX], ["DYDX"]],
])("marks of a list without names: %s", (_what, rows, expected) => {
  expect(inPlace(rows)).toEqual(expected);
});

const NONE = new Map<string, Decimal>();
const BTC_ALONE = new Map([["BTC", decimal("95000")]]);

test.each<[what: string, rows: PlacedMark[], named: Map<string, Decimal>, expected: string[]]>([
  ["it has no middle of its own, and all else is in place", [BTC, ETH, row("0.62", null)], BTC_ALONE, MARKETS],
  ["it has one, which should have a name then", [BTC, ETH, DYDX], BTC_ALONE, ["BTC", "ETH"]],
  ["something else is out of place", [DYDX, ETH, row("7", null)], BTC_ALONE, []],
  ["nothing is named", [row("95000", null), ETH, DYDX], NONE, ["BTC", "ETH"]],
])("a mark that no price names: %s", (_what, rows, named, expected) => {
  expect(inPlace(rows, named)).toEqual(expected);
});
