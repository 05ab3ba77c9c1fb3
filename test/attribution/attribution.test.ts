/** One day of `bun run attribution`. */
import { expect, test } from "bun:test";
import { tradeADay } from "./trading-day.ts";

const DAY = 3;

test("what each key has made is told to the digit, and all of it together is what the account has won or lost", async () => {
  const { findings, fills, payments, owners } = await tradeADay(DAY);
  expect(findings).toEqual([]);
  expect([fills > 30, payments > 3, owners > 3]).toEqual([true, true, true]);
}, 60_000);
