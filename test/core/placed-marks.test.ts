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
  ["turned round", [DYDX, ETH, BTC], []],
  ["one further on", [ETH, DYDX, BTC], []],
  ["two in each other's place: the third has a middle of its own", [ETH, BTC, DYDX], ["DYDX"]],
  ["a middle of its own says whose the row is, whatever its mark", [row("80000", "95000"), ETH, DYDX], MARKETS],
  ["a middle a twentieth apart", [row("1", "99750"), ETH, DYDX], MARKETS],
  ["a middle further apart: what has none is not believed either", [row("1", "99750.1"), ETH, DYDX], ["DYDX"]],
  ["a mark alone, at half and at twice the last trade", [row("190000", null), row("1600", null), DYDX], MARKETS],
  ["a mark alone, beyond both", [row("190001", null), row("1599", null), DYDX], ["DYDX"]],
])("marks of a list without names: %s", (_what, rows, expected) => {
  expect(inPlace(rows)).toEqual(expected);
});

const NONE = new Map<string, Decimal>();
const BTC_ALONE = new Map([["BTC", decimal("95000")]]);

test.each<[what: string, rows: PlacedMark[], named: Map<string, Decimal>, expected: string[]]>([
  ["it has no middle of its own, and all else is in place", [BTC, ETH, row("0.62", null)], BTC_ALONE, MARKETS],
  ["it has one, which should have a name then", [BTC, ETH, DYDX], BTC_ALONE, ["BTC"]],
  ["something else is out of place", [DYDX, ETH, row("7", null)], BTC_ALONE, []],
  ["nothing is named, so that nothing is contradicted", [BTC, ETH, DYDX], NONE, MARKETS],
  ["nothing is named, and none has one", [row("95000", null), ETH, row("0.62", null)], NONE, MARKETS],
])("a mark that no price names: %s", (_what, rows, named, expected) => {
  expect(inPlace(rows, named)).toEqual(expected);
});
