/** What an order would come to, before it is sent: nothing here is sent or rounded for anybody. */
import type { Side } from "../../core/order.ts";
import type { ApiAccount, ApiFill, ApiMarket, ApiPosition } from "../api/resources.ts";
import { add, compare, cut, divide, isZero, multiply, SENT_DECIMAL, subtract } from "./decimal.ts";
import { figure, money } from "./format.ts";

/** What may still be used for an order in a market. */
export type Free = { amount: string; token: string };

/** Free collateral of a perpetual; of a spot pair what it is paid with. Null where the account does not say. */
export function freeFor(account: ApiAccount, market: ApiMarket, side: Side): Free | null {
  if (market.kind === "spot") {
    const [base = "", quote = ""] = market.pair?.split("/") ?? [];
    return freeToken(account, side === "buy" ? quote : base);
  }
  if (account.account_mode !== "standard") return freeToken(account, "USDC");
  const found = account.perpetuals.find(({ dex }) => dex === market.dex);
  return found === undefined ? null : { amount: atLeastZero(found.withdrawable), token: "USDC" };
}

function freeToken({ spot }: ApiAccount, token: string): Free {
  const held = spot.find((balance) => balance.token === token);
  return { amount: atLeastZero(held?.available ?? "0"), token };
}

function atLeastZero(amount: string): string {
  return amount.startsWith("-") ? "0" : amount;
}

export type Share = {
  percent: number;
  market: ApiMarket;
  side: Side;
  price: string;
  free: Free | null;
  /** Whole leverage; 1 where none is known. */
  leverage: number;
  /** The position that a reduce-only order would close; null for other orders. */
  closes: ApiPosition | null;
};

/** A part of what is free, or of the position that is to be closed, cut to a size that the market takes; null where it cannot be told. */
export function sizeOfShare({ percent, market, side, price, free, leverage, closes }: Share): string | null {
  const part = multiply(String(percent), "0.01");
  if (closes !== null) return sendable(multiply(closes.size, part), market);
  if (free === null) return null;
  if (market.kind === "spot" && side === "sell") return sendable(multiply(free.amount, part), market);
  if (!isPrice(price)) return null;
  const lever = market.kind === "spot" ? "1" : String(leverage);
  const size = divide(multiply(multiply(free.amount, part), lever), price, market.size_decimals);
  return size === null ? null : sendable(size, market);
}

function sendable(size: string, market: ApiMarket): string | null {
  const taken = cut(size, market.size_decimals);
  return isZero(taken) ? null : taken;
}

export function isPrice(text: string): boolean {
  return SENT_DECIMAL.test(text) && !isZero(text);
}

/** Percent from the market beyond which a price is worth a word: on the side that costs, and on the side that only waits. */
const COSTLY_PERCENT = "2";
const FAR_PERCENT = "10";

/** A warning where a limit is far from the market; null where it is near, or no market price is known. */
export function farWords(side: Side, price: string, market: string | undefined): string | null {
  if (market === undefined || !isPrice(price) || isZero(market)) return null;
  const gap = subtract(price, market);
  const isAbove = !gap.startsWith("-");
  const distance = divide(multiply(isAbove ? gap : subtract("0", gap), "100"), market, 1) ?? "0";
  const isCostly = isAbove === (side === "buy");
  if (compare(distance, isCostly ? COSTLY_PERCENT : FAR_PERCENT) <= 0) return null;
  const where = `${money(distance, 1)} % ${isAbove ? "above" : "below"} the market (${figure(market)})`;
  return isCostly
    ? `This is ${where}: it executes at once, at up to that price.`
    : `This is ${where}: it does not execute before the market has come that far.`;
}

/** Whether a limit would execute at once; false where no market price is known. */
export function meets(side: Side, price: string, market: string | undefined): boolean {
  if (market === undefined || !isPrice(price)) return false;
  return side === "buy" ? compare(price, market) >= 0 : compare(price, market) <= 0;
}

export type OrderSums = { value: string; margin: string | null; fee: string | null };

export type Wanted = {
  market: ApiMarket;
  size: string;
  price: string;
  leverage: number | null;
  /** Fee of one unit of value, as the last fills were charged; null where none is known. */
  feeRate: string | null;
};

/** In quote units; null while size and price are no decimals. Margin needs the leverage of the market. */
export function sumsOf({ market, size, price, leverage, feeRate }: Wanted): OrderSums | null {
  if (!isPrice(size) || !isPrice(price)) return null;
  const value = multiply(size, price);
  const margin = market.kind === "spot" || leverage === null ? null : divide(value, String(leverage), 2);
  return { value, margin, fee: feeRate === null ? null : multiply(value, feeRate) };
}

const RATE_DECIMALS = 8;

/** What the newest fill of that kind was charged for one unit of value; null where there was none in USDC. */
export function feeRateOf(rows: readonly { fill: ApiFill }[], liquidity: ApiFill["liquidity"]): string | null {
  const last = rows.find(({ fill }) => fill.liquidity === liquidity && fill.fee_token === "USDC")?.fill;
  return last === undefined ? null : divide(last.fee, multiply(last.price, last.size), RATE_DECIMALS);
}

/** The levels of one side of a book, and what of them is one's own. */
export type OwnLevel = { price: string; size: string; own: string | null };

export type Resting = { side: Side; price: string; size: string; filled_size: string | null; trigger?: unknown };

export function withOwn(
  levels: readonly { price: string; size: string }[],
  side: Side,
  orders: readonly Resting[],
): OwnLevel[] {
  return levels.map(({ price, size }) => {
    const mine = orders.filter(
      (order) => order.side === side && order.trigger === undefined && compare(order.price, price) === 0,
    );
    const own = mine.reduce((sum, order) => add(sum, subtract(order.size, order.filled_size ?? "0")), "0");
    return { price, size, own: mine.length === 0 ? null : own };
  });
}
