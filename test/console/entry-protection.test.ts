import { expect, test } from "bun:test";
import {
  type EntryProtection,
  entryProtectionFault,
  outcomeOfEntry,
} from "../../src/console/figures/entry-protection.ts";

const BUY: EntryProtection = { side: "buy", price: "60000", stopPrice: "", profitPrice: "" };
const SELL: EntryProtection = { ...BUY, side: "sell" };

const ROWS: [what: string, typed: EntryProtection, field: string | null, words?: string][] = [
  ["nothing asked for", BUY, null],
  ["a stop alone", { ...BUY, stopPrice: "59000" }, null],
  ["a stop and a profit", { ...BUY, stopPrice: "59000", profitPrice: "63000" }, null],
  ["the same of a sale", { ...SELL, stopPrice: "61000", profitPrice: "57000" }, null],
  ["a profit alone", { ...BUY, profitPrice: "63000" }, "profitPrice", "alone"],
  ["a stop above what is bought", { ...BUY, stopPrice: "60001" }, "stopPrice", "below its price"],
  ["a stop at the price", { ...BUY, stopPrice: "60000" }, "stopPrice", "below its price"],
  ["a stop below what is sold", { ...SELL, stopPrice: "59000" }, "stopPrice", "above its price"],
  ["a profit on the losing side", { ...BUY, stopPrice: "59000", profitPrice: "59500" }, "profitPrice", "above"],
  ["a stop that is no price", { ...BUY, stopPrice: "0" }, "stopPrice", "A stop is a price"],
  [
    "a profit that is no price",
    { ...BUY, stopPrice: "59000", profitPrice: "1e5" },
    "profitPrice",
    "A profit is a price",
  ],
];

test.each(ROWS)("what enters with %s", (_what, typed, field, words = "") => {
  const fault = entryProtectionFault(typed);
  expect<string | null>(fault?.field ?? null).toBe(field);
  expect(fault?.words ?? "").toContain(words);
});

test("what it comes to at the trigger is told exactly, and not while a figure is missing", () => {
  expect(outcomeOfEntry("buy", "0.03", "60000.1", "59000")).toBe("-30.003");
  expect(outcomeOfEntry("sell", "0.03", "60000", "59000")).toBe("30");
  expect(outcomeOfEntry("buy", "", "60000", "59000")).toBeNull();
});
