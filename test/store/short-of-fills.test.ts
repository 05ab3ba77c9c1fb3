/** A list of fills is told whole no further than to the first order of which more was filled than it lists. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { CLOCK_DOUBT_MS } from "../../src/core/evidence.ts";
import { insertFills } from "../../src/store/fills.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { isShortOfFills, toldWholeAtMost } from "../../src/store/short-of-fills.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, fillRow, placingRows } from "../support/rows.ts";

const { id: ACCOUNT } = accountRow();
const NOT_TOLD = { atMs: 1, toldFromMs: Number.POSITIVE_INFINITY };

/** An order of one, of which this much was filled by the answer to it. */
function openWith(filled: string) {
  const store = openMemoryStore();
  const placing = placingRows(1);
  const leg = { ...placing.leg, oid: "77", state: "filled" as const, filledSize: decimal(filled) };
  insertPlacing(store, { ...placing, leg });
  return { store, sentAtMs: placing.attempt.nonce };
}

type Kept = Parameters<typeof fillRow>[0];

/** Each: filled by the answer, fills that are kept, whether one lacks. */
const ROWS: [name: string, filled: string, kept: Kept[], isShort: boolean][] = [
  ["nothing was filled", "0", [], false],
  ["nothing is kept", "1", [], true],
  ["all of it", "1", [{ id: "1-BTC-1", size: decimal("1") }], false],
  ["a part of it", "1", [{ id: "1-BTC-1", size: decimal("0.4") }], true],
  [
    "all of it in parts",
    "0.30",
    [
      { id: "1-BTC-1", size: decimal("0.1") },
      { id: "1-BTC-2", size: decimal("0.2") },
    ],
    false,
  ],
  ["the same size under its id in another market", "1", [{ id: "1-ETH-1", market: "ETH", size: decimal("1") }], true],
  ["the same size under its id on the other side", "1", [{ id: "1-BTC-1", side: "sell", size: decimal("1") }], true],
  ["the same size under another id", "1", [{ id: "1-BTC-1", oid: "78", size: decimal("1") }], true],
];

test.each(ROWS)("of an order's fills are kept: %s", (_name, filled, kept, isShort) => {
  const { store, sentAtMs } = openWith(filled);
  insertFills(
    store,
    kept.map((some) => fillRow({ oid: "77", side: "buy", market: "BTC", ...some })),
    NOT_TOLD,
  );
  expect(isShortOfFills(store, ACCOUNT)).toBe(isShort);
  expect(toldWholeAtMost(store, ACCOUNT)).toBe(isShort ? sentAtMs - CLOCK_DOUBT_MS : Number.POSITIVE_INFINITY);
});

test("what lacks comes, and nothing lacks any more", () => {
  const { store } = openWith("1");
  expect(isShortOfFills(store, ACCOUNT)).toBe(true);
  insertFills(store, [fillRow({ oid: "77", size: decimal("1") })], NOT_TOLD);
  expect(isShortOfFills(store, ACCOUNT)).toBe(false);
});

test("what lacks of one account says nothing of another's list", () => {
  const { store } = openWith("1");
  expect(toldWholeAtMost(store, "another")).toBe(Number.POSITIVE_INFINITY);
});
