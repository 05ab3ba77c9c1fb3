import { expect, test } from "bun:test";
import type { ApiAccount, ApiFill, ApiMarket, ApiPosition } from "../../src/console/api/resources.ts";
import {
  farWords,
  feeRateOf,
  freeFor,
  meets,
  type Share,
  sizeOfShare,
  sumsOf,
  withOwn,
} from "../../src/console/figures/order-sums.ts";

const BTC = { market: "BTC", kind: "perpetual", dex: "", size_decimals: 5, pair: null } as ApiMarket;
const HYPE = { market: "@107", kind: "spot", dex: "", size_decimals: 2, pair: "HYPE/USDC" } as ApiMarket;
const XYZ = { ...BTC, market: "xyz:TSLA", dex: "xyz" } as ApiMarket;
const BALANCES = {
  perpetuals: [{ dex: "", withdrawable: "1000" }],
  spot: [
    { token: "USDC", available: "500" },
    { token: "HYPE", available: "3.456" },
  ],
};
const STANDARD = { ...BALANCES, account_mode: "standard" } as ApiAccount;
const UNIFIED = { ...BALANCES, account_mode: "unified" } as ApiAccount;

type FreeRow = { of: string; account: ApiAccount; market: ApiMarket; side: "buy" | "sell"; amount: string | null };
const FREE: FreeRow[] = [
  { of: "a dex's own collateral", account: STANDARD, market: BTC, side: "buy", amount: "1000" },
  { of: "shared collateral", account: UNIFIED, market: BTC, side: "sell", amount: "500" },
  { of: "a dex without an account", account: STANDARD, market: XYZ, side: "buy", amount: null },
  { of: "a pair that is bought with its quote", account: STANDARD, market: HYPE, side: "buy", amount: "500" },
  { of: "a pair that is sold from what is held", account: STANDARD, market: HYPE, side: "sell", amount: "3.456" },
];

test.each(FREE)("what is free of $of", ({ account, market, side, amount }) => {
  expect(freeFor(account, market, side)?.amount ?? null).toBe(amount);
});

const SHARE: Share = {
  percent: 25,
  market: BTC,
  side: "buy",
  price: "60000",
  free: { amount: "1000", token: "USDC" },
  leverage: 10,
  closes: null,
};
const LONG = { size: "0.33333" } as ApiPosition;

const SHARES: [what: string, Partial<Share>, size: string | null][] = [
  ["a quarter at ten times", {}, "0.04166"],
  ["all of it", { percent: 100 }, "0.16666"],
  ["half of a position", { percent: 50, closes: LONG, free: null }, "0.16666"],
  ["a pair is bought without leverage", { market: HYPE, price: "40" }, "6.25"],
  [
    "a pair is sold whole",
    { market: HYPE, side: "sell", percent: 100, price: "", free: { amount: "3.456", token: "HYPE" } },
    "3.45",
  ],
  ["no price", { price: "" }, null],
  ["a price of nothing", { price: "0" }, null],
  ["too little for one unit", { free: { amount: "0.001", token: "USDC" } }, null],
  ["nothing known", { free: null }, null],
];

test.each(SHARES)("a share: %s", (_what, change, size) => {
  expect(sizeOfShare({ ...SHARE, ...change })).toBe(size);
});

// biome-ignore format: a table is read by its columns
const FAR: ["buy" | "sell", price: string, words: string | null][] = [
  ["buy", "9500", "90.0 % below"], ["buy", "85500", null], ["buy", "85000", "10.5 % below"],
  ["buy", "96900", null], ["buy", "97100", "executes at once"], ["sell", "950000", "900.0 % above"],
  ["sell", "93000", "executes at once"], ["sell", "94000", null], ["sell", "104000", null], ["buy", "9500.", null],
];

test.each(FAR)("to %s at %s while the market is at 95000", (side, price, words) => {
  const said = farWords(side, price, "95000");
  if (words === null) expect(said).toBeNull();
  else expect(said).toContain(words);
});

test("a limit that would execute at once is told from one that rests", () => {
  expect([meets("buy", "95000", "95000"), meets("buy", "94999", "95000")]).toEqual([true, false]);
  expect([meets("sell", "95000", "95000"), meets("sell", "95001", "95000")]).toEqual([true, false]);
  expect([meets("sell", "1", undefined), meets("sell", "", "95000")]).toEqual([false, false]);
});

test("what an order comes to is exact, and says nothing of what is not known", () => {
  const wanted = { market: BTC, size: "0.3", price: "60000.5", leverage: 7, feeRate: "0.00045" };
  expect(sumsOf(wanted)).toEqual({ value: "18000.15", margin: "2571.45", fee: "8.1000675" });
  expect(sumsOf({ ...wanted, leverage: null, feeRate: null })).toEqual({ value: "18000.15", margin: null, fee: null });
  expect(sumsOf({ ...wanted, market: HYPE })?.margin).toBeNull();
  expect(sumsOf({ ...wanted, size: "0" })).toBeNull();
});

test("the rate of a fee is that of the newest fill of its kind", () => {
  function fill(liquidity: string, fee: string, token = "USDC"): { fill: ApiFill } {
    return { fill: { liquidity, fee, fee_token: token, price: "100", size: "2" } as ApiFill };
  }
  const fills = [fill("maker", "0.03"), fill("taker", "1", "HYPE"), fill("taker", "0.09"), fill("taker", "9")];
  expect([feeRateOf(fills, "taker"), feeRateOf(fills, "maker"), feeRateOf([], "maker")]).toEqual([
    "0.00045",
    "0.00015",
    null,
  ]);
});

test("one's own orders are marked at their level, by what is left of them", () => {
  const levels = [
    { price: "100", size: "5" },
    { price: "99.5", size: "1" },
  ];
  const order = { side: "buy", price: "100.0", size: "2", filled_size: "0.5" } as const;
  const orders = [order, order, { ...order, side: "sell" as const }, { ...order, price: "99.5", trigger: {} }];
  expect(withOwn(levels, "buy", orders)).toEqual([
    { price: "100", size: "5", own: "3" },
    { price: "99.5", size: "1", own: null },
  ]);
});
