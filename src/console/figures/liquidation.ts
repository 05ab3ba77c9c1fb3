/** Where a position would be liquidated after an order, by the exchange's own formula with one tier of margin. */

import type { Side } from "../../core/order.ts";
import type { ApiAccount, ApiMarket, ApiPosition } from "../api/resources.ts";
import { sumOf } from "./account-total.ts";
import { add, compare, cutToFigures, divide, isZero, multiply, subtract } from "./decimal.ts";
import { isPrice } from "./order-sums.ts";

export type Wished = {
  account: ApiAccount;
  positions: readonly ApiPosition[];
  market: ApiMarket;
  /** Largest leverages, by market. */
  maxLeverage: (market: string) => number | null;
  side: Side;
  size: string;
  price: string;
  /** Mark, or the middle where no mark is known. */
  mark: string;
  marginType: "cross" | "isolated";
  /** Null where it is not known: isolated margin hangs on it, cross does not. */
  leverage: number | null;
};

/** Decimals of what is divided; more than any price has. */
const DECIMALS = 10;
/** Figures of a price. */
const PRICE_FIGURES = 5;

/** Null where it cannot be told, or there would be none. */
export function liquidationAfter(wished: Wished): string | null {
  const { account, market, side, size, price, mark } = wished;
  const isCountable = account.account_mode !== "portfolio_margin" && market.kind === "perpetual";
  if (!isCountable || ![size, price, mark].every(isPrice) || market.max_leverage === null) return null;
  const held = wished.positions.find((position) => position.market === market.market) ?? null;
  const before = held === null ? "0" : held.side === "long" ? held.size : negated(held.size);
  const after = add(before, side === "buy" ? size : negated(size));
  if (isZero(after)) return null;
  const collateral =
    wished.marginType === "cross" ? crossCollateral(wished) : isolatedCollateral(wished, held, { before, after });
  if (collateral === null) return null;
  return solved({ after, mark, collateral, maxLeverage: market.max_leverage });
}

function negated(amount: string): string {
  return subtract("0", amount);
}

function absolute(amount: string): string {
  return amount.startsWith("-") ? negated(amount) : amount;
}

/** What the new part is worth more or less at the mark than it was paid, USDC. */
function gainOf({ side, size, price, mark }: Wished): string {
  return multiply(size, side === "buy" ? subtract(mark, price) : subtract(price, mark));
}

/** What the cross positions share, at the mark, less what the others of them must keep, USDC. */
function crossCollateral(wished: Wished): string | null {
  const { account, positions, market, maxLeverage } = wished;
  const isShared = account.account_mode === "unified";
  const beside = positions.filter((position) => isShared || position.dex === market.dex);
  const pot = isShared ? sharedPot(account, beside) : potOf(account, market.dex, beside);
  if (pot === null) return null;
  const kept: string[] = [];
  for (const position of beside) {
    if (position.margin_type !== "cross" || position.market === market.market) continue;
    const most = maxLeverage(position.market) ?? position.max_leverage;
    const margin = divide(position.position_value, String(2 * most), DECIMALS);
    if (margin === null) return null;
    kept.push(margin);
  }
  return subtract(add(pot, gainOf(wished)), sumOf(kept));
}

/** Equity of a dex without what its isolated positions have for themselves. */
function potOf({ perpetuals }: ApiAccount, dex: string, positions: readonly ApiPosition[]): string | null {
  const found = perpetuals.find((balance) => balance.dex === dex);
  const isolated = positions.filter(({ margin_type: type }) => type === "isolated");
  return found === undefined ? null : subtract(found.equity, sumOf(isolated.map(({ margin_used: used }) => used)));
}

/** One balance is the collateral of every dex. */
function sharedPot({ spot }: ApiAccount, positions: readonly ApiPosition[]): string | null {
  const dollars = spot.find(({ token }) => token === "USDC");
  const cross = positions.filter(({ margin_type: type }) => type === "cross");
  return dollars === undefined ? null : add(dollars.total, sumOf(cross.map(({ unrealized_pnl: pnl }) => pnl)));
}

type Sizes = { before: string; after: string };

/** Its own margin and what is added; one that is reduced or turned gives back a part that the page does not know. */
function isolatedCollateral(wished: Wished, held: ApiPosition | null, { before, after }: Sizes): string | null {
  const { size, price, leverage } = wished;
  const isLarger = compare(absolute(after), absolute(before)) > 0 && before.startsWith("-") === after.startsWith("-");
  if (leverage === null || (held !== null && !isLarger)) return null;
  const added = divide(multiply(size, price), String(leverage), DECIMALS);
  return added === null ? null : add(add(held?.margin_used ?? "0", added), gainOf(wished));
}

type Solved = { after: string; mark: string; collateral: string; maxLeverage: number };

/** The mark at which what is left is half of the initial margin at the largest leverage. */
function solved({ after, mark, collateral, maxLeverage }: Solved): string | null {
  const isLong = !after.startsWith("-");
  const size = absolute(after);
  const rate = divide("1", String(2 * maxLeverage), DECIMALS);
  if (rate === null) return null;
  const available = subtract(collateral, multiply(multiply(size, mark), rate));
  const slope = multiply(size, isLong ? subtract("1", rate) : add("1", rate));
  const distance = divide(available, slope, DECIMALS);
  if (distance === null) return null;
  const found = isLong ? subtract(mark, distance) : add(mark, distance);
  return found.startsWith("-") || isZero(found) ? null : cutToFigures(found, PRICE_FIGURES, DECIMALS);
}
