import { expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { type Doubt, netInDoubt } from "../../../src/core/rails/bot-net.ts";

/** `net` is what was booked; what is left out is nothing. */
type Known = Partial<Record<keyof Doubt | "net" | "sellsOut" | "buysOut", string>>;

const ROWS: readonly [string, Known, [string, string]][] = [
  ["nothing is in doubt: it is what was booked", { net: "3", sellsOut: "9", buysOut: "9" }, ["3", "3"]],
  [
    "a purchase closed another's and nothing was sold since: none of it was its own",
    { boughtBeyond: "20" },
    ["0", "0"],
  ],
  ["a sale told since may have been before it", { net: "-5", boughtBeyond: "20", soldSince: "5" }, ["-5", "0"]],
  ["no more of it than closed another's", { net: "-30", boughtBeyond: "20", soldSince: "30" }, ["-30", "-10"]],
  ["the same of a sale that closed another's", { net: "5", soldBeyond: "20", boughtSince: "5" }, ["0", "5"]],
  [
    "a sale that closed another's may have closed what an earlier one was booked against",
    { soldBeyond: "2", longSold: "2" },
    ["-2", "0"],
  ],
  ["what is out and reduces may have closed what was held", { net: "-1", longSold: "4", sellsOut: "3" }, ["-4", "-1"]],
  [
    "what was opened beside a reduction is what was booked while nothing of it has closed",
    { net: "6", openedLong: "6" },
    ["6", "6"],
  ],
  ["what has closed it since may have been before it", { net: "4", openedLong: "6", closedLong: "2" }, ["4", "6"]],
  ["no more of that than was opened beside it", { net: "1", openedLong: "2", closedLong: "5" }, ["1", "3"]],
  ["the same of a short", { net: "-4", openedShort: "6", closedShort: "2" }, ["-6", "-4"]],
];

test.each(ROWS)("where %s", (_what, known, [low, high]) => {
  const of = (name: keyof Known) => decimal(known[name] ?? "0");
  const doubt = {
    soldBeyond: of("soldBeyond"),
    boughtBeyond: of("boughtBeyond"),
    soldSince: of("soldSince"),
    boughtSince: of("boughtSince"),
    longSold: of("longSold"),
    shortBought: of("shortBought"),
    openedLong: of("openedLong"),
    openedShort: of("openedShort"),
    closedLong: of("closedLong"),
    closedShort: of("closedShort"),
  };
  const range = netInDoubt(of("net"), doubt, () => ({ sells: of("sellsOut"), buys: of("buysOut") }));
  expect(range).toEqual({ low: decimal(low), high: decimal(high) });
});
