import { expect, test } from "bun:test";
import { metWords, type WantedTrigger } from "../../src/console/figures/met-trigger.ts";

const WARNING = "This is met already (the price is 95,000): it fires at once.";

// biome-ignore format: a table is read by its columns
const ROWS: [WantedTrigger["kind"], WantedTrigger["side"], price: string, isMet: boolean][] = [
  ["stop_loss", "sell", "94999.9", false], ["stop_loss", "sell", "95000", true], ["stop_loss", "sell", "95000.1", true],
  ["stop_loss", "buy", "94999.9", true], ["stop_loss", "buy", "95000.00", true], ["stop_loss", "buy", "95000.1", false],
  ["take_profit", "sell", "94999.9", true], ["take_profit", "sell", "95000", true], ["take_profit", "sell", "95000.1", false],
  ["take_profit", "buy", "94999.9", false], ["take_profit", "buy", "95000", true], ["take_profit", "buy", "95000.1", true],
];

test.each(ROWS)("a %s to %s at %s while the price is 95000: met already is %p", (kind, side, price, isMet) => {
  expect(metWords({ side, kind, price }, "95000")).toBe(isMet ? WARNING : null);
});

test("nothing is said where no price is known, or none is typed yet", () => {
  expect(metWords({ side: "sell", kind: "stop_loss", price: "" }, "95000")).toBeNull();
  expect(metWords({ side: "sell", kind: "stop_loss", price: "96000." }, "95000")).toBeNull();
  expect(metWords({ side: "sell", kind: "stop_loss", price: "1" }, undefined)).toBeNull();
});
