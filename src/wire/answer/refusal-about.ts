/**
 * Whether a refusal may be one of what was signed. A refusal names no order, so that the answer to another action looks like one to
 * ours; but its words tell of an `ioc` that found no match, of a reduce-only order, of a trigger, of a market by its number.
 */
import { compareProduct, decimal, decimalPlaces, multiply } from "../../core/decimal.ts";
import type { Action } from "../action/index.ts";
import type { WireOrder } from "../action/order.ts";
import { mayRefuse } from "./refusal.ts";

/**
 * What an action carries: its orders, or the new terms of them; of a cancel, and of what else is about a market, that market's number
 * in the list.
 */
export function thingsOf(action: Action): (WireOrder | number)[] {
  switch (action.type) {
    case "order":
      return action.orders;
    case "batchModify":
      return action.modifies.map(({ order }) => order);
    case "cancel":
      return action.cancels.map(({ a }) => a);
    case "cancelByCloid":
      return action.cancels.map(({ asset }) => asset);
    case "twapOrder":
      return [action.twap.a];
    case "twapCancel":
      return [action.a];
    case "updateLeverage":
    case "updateIsolatedMargin":
      return [action.asset];
    case "noop":
      return [];
  }
}

/** False where no such action, or no such thing in it, is refused in these words. Words that are not listed may be about anything. */
export function mayBeAbout(text: string, action: Action, thing: WireOrder | number): boolean {
  const said = text.trim().replace(/^L1 error: /, "");
  if (!mayRefuse(text, action.type)) return false;
  const named = / asset=([0-9]+)\.?$/.exec(said)?.[1];
  if (named !== undefined && Number(named) !== (typeof thing === "number" ? thing : thing.a)) return false;
  if (action.type === "twapOrder") return mayBeAboutTwap(said, action.twap);
  if (action.type === "updateIsolatedMargin") return mayBeAboutMargin(said, action.ntli);
  if (typeof thing === "number") return true;
  return OF_ORDERS.every(([beginning, isSo]) => !said.startsWith(beginning) || isSo(thing, said, action.type));
}

type OfOrder = (order: WireOrder, said: string, type: Action["type"]) => boolean;

function isTrigger({ t }: WireOrder): boolean {
  return "trigger" in t;
}

function isReducing({ r }: WireOrder): boolean {
  return r;
}

function isSpot({ a }: WireOrder): boolean {
  return a >= 10_000 && a < 100_000;
}

/** Texts of placings, by their beginning, and what an order has to be to be refused so. */
const OF_ORDERS: readonly (readonly [beginning: string, isSo: OfOrder])[] = [
  ["Order could not immediately match", ({ t }) => "limit" in t && t.limit.tif !== "Gtc" && t.limit.tif !== "Alo"],
  ["No liquidity available for market order", (order) => !isResting(order)],
  // Of a modify it is told of any time in force: it replaces what rests by what has to rest.
  [
    "Post only order would have",
    ({ t }, _said, type) => type === "batchModify" || ("limit" in t && t.limit.tif === "Alo"),
  ],
  ["Only post-only orders allowed", ({ t }) => !("limit" in t && t.limit.tif === "Alo")],
  ["Reduce only order would increase", isReducing],
  ["Cross margin currently only supports reduce-only", ({ r }) => !r],
  ["Trigger order is not reduce only", (order) => isTrigger(order) && !order.r],
  ["Trigger order has unexpected side", isTrigger],
  ["Invalid TP/SL price", isTrigger],
  ["Placing trigger orders is not enabled on spot", (order) => isTrigger(order) && isSpot(order)],
  ["Reduce-only is invalid for spot", (order) => isReducing(order) && isSpot(order)],
  ["Insufficient spot balance", isSpot],
  ["Order has insufficient spot balance", isSpot],
  ["Invalid spot", isSpot],
  ["Order size cannot be larger than half of total supply", isSpot],
  // A whole number is a price in every market.
  ["Price must be divisible by tick size", ({ p }) => decimalPlaces(decimal(p)) > 0],
  ["Order must have minimum value of", isSmall],
  ["Orders are empty", () => false],
];

function isResting({ t }: WireOrder): boolean {
  return "limit" in t && (t.limit.tif === "Gtc" || t.limit.tif === "Alo");
}

/** A limit is never twice as far from the market as zero is, so that a value of twice the least is enough at every price. */
const TWICE = decimal("2");

function isSmall({ p, s }: WireOrder, said: string): boolean {
  const least = /minimum value of \$?([0-9]+(?:\.[0-9]+)?)/.exec(said)?.[1];
  return least === undefined || compareProduct(decimal(p), decimal(s), multiply(decimal(least), TWICE)) < 0;
}

function mayBeAboutTwap(said: string, { r, m }: { r: boolean; m: number }): boolean {
  const ofTimeInForce = [
    "Order could not",
    "No liquidity",
    "Post only",
    "Invalid TP/SL",
    "Trigger order",
    "Placing trigger",
  ];
  if (ofTimeInForce.some((beginning) => said.startsWith(beginning))) return false;
  if (said.startsWith("Reduce") && said.includes("would increase position")) return r;
  const minutes = /^Invalid TWAP duration: ([0-9]+) /.exec(said)?.[1];
  return minutes === undefined || Number(minutes) === m;
}

function mayBeAboutMargin(said: string, amount: bigint): boolean {
  if (said.startsWith("Update to isolated margin cannot be zero")) return amount === 0n;
  if (said.startsWith("Account does not have sufficient margin")) return amount > 0n;
  return said.startsWith("Position does not have sufficient") || said.startsWith("Cannot remove") ? amount < 0n : true;
}
