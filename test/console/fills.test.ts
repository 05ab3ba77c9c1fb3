import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ApiFill } from "../../src/console/api/resources.ts";
import { addFills, emptyFills, MAX_FILLS, realizedAfter } from "../../src/console/state/fills.ts";

function fill(number: number, change: Partial<ApiFill> = {}): ApiFill {
  return {
    object: "fill",
    account: "a",
    network: "exchange_mainnet",
    start_position: "0",
    transaction_hash: "0x",
    id: `fill-${number}`,
    dex: "",
    market: "BTC",
    order_id: "o",
    exchange_order_id: "1",
    side: "buy",
    price: "60000",
    size: "1",
    liquidity: "taker",
    fee: "0.01",
    fee_token: "USDC",
    builder_fee: null,
    realized_pnl: "0.1",
    direction: "Open Long",
    twap_id: null,
    liquidation: false,
    created_at: new Date(1_795_000_000_000 + number * 1_000).toISOString(),
    key_hash: number % 2 === 0 ? "even" : "odd",
    ...change,
  };
}

test("whatever the order in which fills come, rows, running figures and sums are the same", () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  fc.assert(
    fc.property(fc.shuffledSubarray(numbers, { minLength: 40 }), fc.integer({ min: 1, max: 40 }), (shuffled, size) => {
      const book = emptyFills();
      for (let at = 0; at < shuffled.length; at += size) {
        const page = shuffled.slice(at, at + size).map((number) => fill(number));
        addFills(book, page);
        expect(addFills(book, page)).toBe(0);
      }
      expect(book.rows.map((row) => row.fill.id)).toEqual(numbers.toReversed().map((number) => `fill-${number}`));
      const counts = numbers.toReversed().map((number) => number + 1);
      expect(book.rows.map(({ runningPnl }) => Number(runningPnl))).toEqual(counts.map((count) => count / 10));
      expect(book.rows.map(({ runningFees }) => Number(runningFees))).toEqual(counts.map((count) => count / 100));
      expect(book.byKey.get("even")).toEqual({ count: 20, realizedPnl: "2", fees: new Map([["USDC", "0.2"]]) });
    }),
    { numRuns: 50 },
  );
});

test("a fill whose key is told later moves to that key, once", () => {
  const book = emptyFills();
  addFills(book, [fill(1, { key_hash: null, order_id: null }), fill(2)]);
  expect(book.byKey.get("")?.count).toBe(1);
  for (const _again of [1, 2]) addFills(book, [fill(1)]);
  expect([...book.byKey].map(([key, { count }]) => [key, count])).toEqual([
    ["even", 1],
    ["odd", 1],
  ]);
});

test("fees in other tokens are told beside, and not added to, those in USDC", () => {
  const book = emptyFills();
  addFills(book, [fill(1, { fee_token: "HYPE", fee: "0.5" }), fill(3)]);
  expect(book.rows[0]?.runningFees).toBe("0.01");
  expect(book.byKey.get("odd")?.fees).toEqual(
    new Map([
      ["HYPE", "0.5"],
      ["USDC", "0.01"],
    ]),
  );
});

test("no more rows are kept than the page can hold, and it is said", () => {
  const book = emptyFills();
  addFills(
    book,
    Array.from({ length: MAX_FILLS + 3 }, (_, index) => fill(index)),
  );
  expect([book.rows.length, book.known.size, book.isCut]).toEqual([MAX_FILLS, MAX_FILLS, true]);
});

test("each market has its own rows, newest first, and goes with the last of them", () => {
  const book = emptyFills();
  addFills(book, [fill(2, { market: "ETH" }), fill(1), fill(3), fill(0, { market: "SOL" })]);
  const rows = () => [...book.byMarket].map(([market, own]) => [market, own.map((row) => row.fill.id).join(" ")]);
  expect(Object.fromEntries(rows())).toEqual({ ETH: "fill-2", BTC: "fill-3 fill-1", SOL: "fill-0" });
  addFills(
    book,
    Array.from({ length: MAX_FILLS - 2 }, (_, index) => fill(index + 4)),
  );
  expect(book.byMarket.has("SOL")).toBe(false);
  expect([...book.byMarket.values()].reduce((sum, own) => sum + own.length, 0)).toBe(book.rows.length);
});

test("what was realised after a time counts the fills after it, less their fees, and says where some were not read", () => {
  const book = emptyFills();
  addFills(book, [fill(1), fill(2), fill(3, { realized_pnl: "-5" }), fill(4, { fee_token: "HYPE" })]);
  const at = (number: number) => fill(number).created_at;
  expect(realizedAfter(book, at(2))).toEqual({ net: "-4.91", isCut: false });
  expect(realizedAfter(book, at(4))).toEqual({ net: "0", isCut: false });
  expect(realizedAfter(book, at(0))).toEqual({ net: "-4.73", isCut: false });
  book.isCut = true;
  expect([realizedAfter(book, at(0)).isCut, realizedAfter(book, at(1)).isCut]).toEqual([true, false]);
  expect(realizedAfter(emptyFills(), at(0))).toEqual({ net: "0", isCut: false });
});
