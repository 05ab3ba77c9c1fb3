/** What the words of a refused modify prove of its original. */
import { expect, test } from "bun:test";
import { modifyRefusal } from "../../../src/wire/answer/refusal.ts";

const BAND = "Order price cannot be more than 95% away from the reference price";
const POST_ONLY = "Post only order would have immediately matched, bbo was 2440.1@2440.2";

test.each([
  ["Error placing new order during modify: Order has invalid price.", true, "canceled"],
  [`Error placing new order during modify: ${POST_ONLY}`, false, "canceled"],
  [`L1 error: Error placing new order during modify: ${BAND}`, true, "canceled"],
  [`${POST_ONLY}. asset=0`, false, "at_placing"],
  ["Attempted to modify to invalid new order", false, "left"],
  [BAND, true, "left"],
  [`L1 error: ${BAND}`, true, "left"],
  [BAND, false, null],
  ["Order has invalid price.", true, "left"],
  ["Order has invalid price.", false, null],
  ["Too many cumulative requests sent (10 > 9).", true, "left"],
  ["Insufficient margin to place order.", true, null],
  // A fresh order is not found by everybody at once.
  ["Cannot modify canceled or filled order", true, null],
  [`Nobody says ${BAND}`, true, null],
] as const)("%s (of the whole action: %p) proves %p", (text, isWhole, proven) => {
  expect(modifyRefusal(text, isWhole)).toBe(proven);
});
