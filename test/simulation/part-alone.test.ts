/** What an order of which only a part's fill is known may be told as. */
import { expect, test } from "bun:test";
import { isPartTold } from "./part-alone.ts";

const UNKNOWN = { status: "unknown", exchange_order_id: null, filled_size: null };

test.each<[what: string, told: object, isSo: boolean]>([
  ["without a size", UNKNOWN, true],
  ["with that part", { ...UNKNOWN, filled_size: "0.012" }, true],
  ["with nothing filled", { ...UNKNOWN, filled_size: "0" }, false],
  ["with more than that part", { ...UNKNOWN, filled_size: "0.013" }, false],
  ["under the native id of the fill", { ...UNKNOWN, exchange_order_id: "14" }, false],
  ["as over", { ...UNKNOWN, status: "canceled", filled_size: "0.012" }, false],
])("it is told %s", (_what, told, isSo) => {
  expect(isPartTold(JSON.stringify(told), 1_200_000n)).toBe(isSo);
});
