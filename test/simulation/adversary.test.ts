import { expect, test } from "bun:test";
import { attackMany, MOST_USD } from "./adversary.ts";

test("whatever a thief of two keys tries, the exchange's books stay within their rails, and the search comes close", async () => {
  const { findings, mostUse } = await attackMany({ runs: 8 });
  expect(findings).toEqual([]);
  // 10^-16 dollars; nine tenths.
  expect(mostUse).toBeGreaterThan((MOST_USD * 10n ** 16n * 9n) / 10n);
});
