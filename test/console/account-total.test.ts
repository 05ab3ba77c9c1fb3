import { expect, test } from "bun:test";
import type { ApiAccount, ApiMarket, ApiPosition } from "../../src/console/api/resources.ts";
import { type AccountHoldings, totalOf } from "../../src/console/figures/account-total.ts";
import { exposureOf, isNear, nearestLiquidation } from "../../src/console/figures/exposure.ts";

// Each is handed over by the names that the figures read.
function spotPair(market: string, pair: string): ApiMarket {
  return { market, pair } as ApiMarket;
}

function position(change: Partial<ApiPosition>): ApiPosition {
  const about = {
    market: "BTC",
    margin_type: "cross",
    margin_used: "100",
    unrealized_pnl: "-12.5",
    position_value: "2000.1",
    mark_price: "100",
    liquidation_price: "60",
    ...change,
  };
  return about as ApiPosition;
}

function account(mode: ApiAccount["account_mode"], tokens: Record<string, string>): ApiAccount {
  const about = {
    account_mode: mode,
    equity: "98",
    perpetuals: [
      { dex: "", equity: "98" },
      { dex: "xyz", equity: "40.25" },
    ],
    spot: Object.entries(tokens).map(([token, total]) => ({ token, total })),
  };
  return about as ApiAccount;
}

const MARKETS = [
  spotPair("PURR/USDC", "PURR/USDC"),
  spotPair("@107", "HYPE/USDC"),
  spotPair("@9", "TWIN/USDC"),
  spotPair("@10", "TWIN/USDC"),
  spotPair("@11", "MUTE/USDC"),
  spotPair("@12", "ODD/USDH"),
];
const PRICES = new Map([
  ["@107", "40.5"],
  ["@9", "1"],
  ["@10", "2"],
  ["@12", "3"],
  ["PURR/USDC", "0.2"],
  // A perpetual of the same name is another market.
  ["HYPE", "999"],
]);
const ISOLATED = position({ margin_type: "isolated", margin_used: "30", unrealized_pnl: "7" });

const ROWS: [what: string, Pick<AccountHoldings, "account" | "positions">, worth: string | null, unpriced: string[]][] =
  [
    ["every dex and spot", { account: account("standard", { USDC: "200", HYPE: "2" }), positions: null }, "419.25", []],
    [
      "a standard account's positions are in its dexes",
      { account: account("standard", { USDC: "1" }), positions: [position({}), ISOLATED] },
      "139.25",
      [],
    ],
    [
      "shared collateral is counted once",
      { account: account("unified", { USDC: "1000", PURR: "10" }), positions: [position({}), ISOLATED] },
      "1019.5",
      [],
    ],
    [
      "the same for portfolio margin",
      { account: account("portfolio_margin", { USDC: "-5", HYPE: "1" }), positions: [] },
      "35.5",
      [],
    ],
    ["positions that are not read", { account: account("unified", { USDC: "1000" }), positions: null }, null, []],
    [
      "what has no price is named",
      {
        account: account("standard", { USDC: "1", TWIN: "5", MUTE: "5", ODD: "5", GONE: "5", ZERO: "0" }),
        positions: [],
      },
      "139.25",
      ["TWIN", "MUTE", "ODD", "GONE"],
    ],
  ];

test.each(ROWS)("the total: %s", (_what, held, worth, unpriced) => {
  const total = totalOf({ ...held, markets: MARKETS, prices: PRICES });
  expect(total).toEqual(worth === null ? null : { worth, unpriced });
});

test("exposure adds longs and shorts, and the nearest liquidation is the one that comes first", () => {
  const near = position({ market: "ETH", side: "short", mark_price: "100", liquidation_price: "109.9" });
  const never = position({ market: "SOL", liquidation_price: null });
  const held = [position({}), near, never];
  expect(exposureOf(held)).toBe("6000.3");
  expect(nearestLiquidation(held)).toEqual({ market: "ETH", percent: "9.9" });
  expect(nearestLiquidation([never])).toBeNull();
  expect([isNear("9.9"), isNear("10")]).toEqual([true, false]);
});
