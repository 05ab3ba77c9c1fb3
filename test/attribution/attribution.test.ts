/** The beginning of one day of `bun run attribution`. */
import { expect, test } from "bun:test";
import { tradeADay } from "./trading-day.ts";

const DAY = 3;
/** Half an hour before funding is paid, and as long after it. */
const FOR_MS = 55 * 60_000;

test("what each key has made is told to the digit, and all of it together is what the account has won or lost", async () => {
  const { findings, fills, payments, owners } = await tradeADay(DAY, FOR_MS);
  expect(findings).toEqual([]);
  expect([fills > 30, payments > 1, owners > 3]).toEqual([true, true, true]);
});
