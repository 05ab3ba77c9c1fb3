/** What a read shows that a feed should have told, and what it need not. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { shownFills } from "../../src/exchange/told-fill.ts";
import { shownEnd, shownFilled, shownListed } from "../../src/settle/feed/shown.ts";
import { parseFills } from "../../src/wire/answer/fills.ts";
import { type FrontendOrder, parseOrderStatus } from "../../src/wire/answer/order-status.ts";
import { type BookOrder, fillsOf, recordOf } from "../support/small-venue.ts";

const ORDER: BookOrder = {
  oid: 7,
  cloid: `0x${"ab".repeat(16)}`,
  isBuy: true,
  price: "100",
  size: "1",
  tif: "Gtc",
  reduceOnly: false,
  isTrigger: false,
  status: "open",
  placedAtMs: 1_000,
  statusAtMs: 1_000,
  fills: [{ size: "0.4", atMs: 2_000, tid: 9, isShown: true }],
};

function shownOrder(some: Partial<BookOrder> = {}): FrontendOrder {
  const answer = parseOrderStatus({ status: "order", order: recordOf({ ...ORDER, ...some }) });
  if (answer.kind !== "order") throw new Error("not a record");
  return answer.order;
}

test("what waits for a trigger may be a child of which no feed tells", () => {
  expect(shownListed([shownOrder(), shownOrder({ oid: 8, isTrigger: true })])).toEqual([
    { kind: "listed", oid: "7", timeMs: 1_000 },
  ]);
});

const FILLED: [string, Partial<BookOrder>, string | null][] = [
  ["a part", {}, "0.4"],
  ["nothing", { fills: [] }, null],
  ["a reduce-only order, which shrinks with its position", { reduceOnly: true }, null],
  ["a trigger", { isTrigger: true }, null],
];

test.each(FILLED)("what is left tells how much is filled: %s", (_name, some, filled) => {
  expect(shownFilled(shownOrder(some))).toBe(filled === null ? null : decimal(filled));
});

const ENDS: [string, boolean][] = [
  ["filled", true],
  ["canceled", true],
  ["marginCanceled", true],
  ["open", false],
  ["triggered", false],
  ["badAloPxRejected", false],
  ["venueWithdrawn", false],
];

test.each(ENDS)("the status %s", (status, isEnd) => {
  const end = { kind: "over" as const, oid: "7", timeMs: 5_000 };
  expect(shownEnd(shownOrder(), status, 5_000)).toEqual(isEnd ? [end] : []);
});

const FILLS: [string, object, number][] = [
  ["of an order", {}, 1],
  ["of a dust conversion, which has no trade", { tid: 0 }, 0],
  ["of a slice of a TWAP, which has a channel of its own", { twapId: 5 }, 0],
];

test.each(FILLS)("a fill %s", (_name, some, count) => {
  const rows = fillsOf(ORDER).map((row) => ({ ...row, ...some }));
  expect(shownFills(parseFills(rows) ?? [])).toHaveLength(count);
});
