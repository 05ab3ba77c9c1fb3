import { expect, test } from "bun:test";
import { type CsvCell, csvLine } from "../../src/core/csv.ts";

test.each<[CsvCell, string]>([
  ["BTC", "BTC"],
  ["", ""],
  [null, ""],
  [true, "true"],
  [5, "5"],
  ["0.00000001", "0.00000001"],
  ["-12.5", "-12.5"],
  ["-12.5e3", "'-12.5e3"],
  ["@107", "'@107"],
  ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
  ["+1", "'+1"],
  ["-1+1", "'-1+1"],
  ["\t=1", "'\t=1"],
  ["\r=1", '"\'\r=1"'],
  ['=1,"x"', '"\'=1,""x"""'],
  ["two\nlines", '"two\nlines"'],
  ["a,b", '"a,b"'],
])("the cell %p is written as %p", (cell, text) => {
  expect(csvLine([cell, "x"])).toBe(`${text},x\r\n`);
});
