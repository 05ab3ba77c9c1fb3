/** Held against the formula itself: at the price that is told, what is left is just what must be kept. */
import { expect, test } from "bun:test";
import type { ApiAccount, ApiMarket, ApiPosition } from "../../src/console/api/resources.ts";
import { liquidationAfter, type Wished } from "../../src/console/figures/liquidation.ts";

const BTC = { market: "BTC", kind: "perpetual", dex: "", size_decimals: 5, max_leverage: 40, pair: null } as ApiMarket;
const STANDARD = {
  account_mode: "standard",
  perpetuals: [{ dex: "", equity: "1000" }],
  spot: [{ token: "USDC", total: "777" }],
} as ApiAccount;

const WISHED: Wished = {
  account: STANDARD,
  positions: [],
  market: BTC,
  maxLeverage: () => 40,
  side: "buy",
  size: "0.1",
  price: "60000",
  mark: "60000",
  marginType: "cross",
  leverage: null,
};

const HELD = {
  market: "BTC",
  dex: "",
  side: "long",
  size: "0.1",
  position_value: "6000",
  margin_type: "cross",
  margin_used: "300",
  max_leverage: 40,
  unrealized_pnl: "50",
} as ApiPosition;

/** Collateral less the loss to that price, less 1/80 of the value there. */
function left(
  { size, collateral, mark, isLong }: { size: number; collateral: number; mark: number; isLong: boolean },
  at: number,
) {
  return collateral + (isLong ? 1 : -1) * size * (at - mark) - (size * at) / 80;
}

const ROWS: [what: string, change: Partial<Wished>, size: number, collateral: number, isLong: boolean][] = [
  ["a first buy", {}, 0.1, 1_000, true],
  ["a first sale", { side: "sell" }, 0.1, 1_000, false],
  ["more of what is held", { positions: [HELD] }, 0.2, 1_000, true],
  ["less of it", { positions: [HELD], side: "sell", size: "0.05" }, 0.05, 1_000, true],
  ["a turn", { positions: [HELD], side: "sell", size: "0.3" }, 0.2, 1_000, false],
  ["a price off the mark", { price: "61000" }, 0.1, 900, true],
  ["another cross position beside it", { positions: [{ ...HELD, market: "ETH" }] }, 0.1, 925, true],
  ["an isolated one beside it", { positions: [{ ...HELD, market: "ETH", margin_type: "isolated" }] }, 0.1, 700, true],
  ["one of another dex", { positions: [{ ...HELD, market: "xyz:A", dex: "xyz" }] }, 0.1, 1_000, true],
  ["isolated margin", { marginType: "isolated", leverage: 10 }, 0.1, 600, true],
  [
    "more isolated margin",
    { marginType: "isolated", leverage: 10, positions: [{ ...HELD, margin_type: "isolated" }] },
    0.2,
    900,
    true,
  ],
  ["one balance for every dex", { account: { ...STANDARD, account_mode: "unified" } }, 0.1, 777, true],
];

test.each(ROWS)("the liquidation after %s", (...[, change, size, collateral, isLong]) => {
  const told = liquidationAfter({ ...WISHED, ...change });
  expect(told).not.toBeNull();
  // Five figures of a price are told.
  expect(Math.abs(left({ size, collateral, mark: 60_000, isLong }, Number(told)))).toBeLessThan(size * 10);
});

test.each<[string, Partial<Wished>]>([
  [
    "there is none: it is covered whole",
    { account: { ...STANDARD, perpetuals: [{ ...STANDARD.perpetuals[0], dex: "", equity: "60000" }] } as ApiAccount },
  ],
  ["it closes what is held", { positions: [HELD], side: "sell" }],
  ["the leverage of isolated margin is not known", { marginType: "isolated" }],
  [
    "isolated margin is given back",
    { marginType: "isolated", leverage: 10, positions: [HELD], side: "sell", size: "0.05" },
  ],
  ["the mode counts other things too", { account: { ...STANDARD, account_mode: "portfolio_margin" } }],
  ["it is a pair", { market: { ...BTC, kind: "spot" } as ApiMarket }],
  ["no mark is known", { mark: "" }],
])("no liquidation is told where %s", (_what, change) => {
  expect(liquidationAfter({ ...WISHED, ...change })).toBeNull();
});
