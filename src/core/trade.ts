/**
 * A trade: an entry together with the orders that protect what it fills. It lives until nothing of it is held and nothing
 * of it is out. What is to be done for it next is said by `core/trade-step`.
 */
import { compare, type Decimal, decimal, isNegative, multiply, ZERO } from "./decimal.ts";
import { type Market, roundPrice } from "./market.ts";
import type { Side, TimeInForce } from "./order.ts";
import { signedSize } from "./signed-size.ts";

/** An order that waits for the mark, and then closes what the trade holds. */
export type Guard = {
  /** As the client sent it. */
  triggerPrice: string;
  /** Of a limit: as the client sent it; at market the worst price, worked out here. */
  price: string;
  isMarket: boolean;
};

export type TradeTerms = {
  market: string;
  /** Of the entry; the guards are on the other side. */
  side: Side;
  size: string;
  price: string;
  timeInForce: TimeInForce;
  stopLoss: Guard;
  takeProfit: Guard | null;
};

/**
 * `stop_first`: nothing of the account was in the market, so the stop waits there, whole, before the entry is sent. `after_fills`:
 * something was, or the exchange refused a stop without a position: a stop of what is filled follows each fill.
 */
export const TRADE_PATHS = ["stop_first", "after_fills"] as const;
export type TradePath = (typeof TRADE_PATHS)[number];

/**
 * `arming`: the entry has not been sent. `entering`: it may still fill. `open`: it is over, and what it filled is held. The others
 * are ends. `closed_outside`: what it held was closed by other hands. `withdrawn`: a stop took its protection away.
 */
export const TRADE_STATUSES = [
  "arming",
  "entering",
  "open",
  "closed",
  "canceled",
  "rejected",
  "closed_outside",
  "withdrawn",
] as const;
export type TradeStatus = (typeof TRADE_STATUSES)[number];

export type Trade = TradeTerms & {
  id: string;
  accountId: string;
  /** Hash of the API key that asked for it. */
  keyHash: string;
  createdAtMs: number;
  path: TradePath;
  status: TradeStatus;
  /** The client, or what became of its stop, wants no more of the entry. */
  isEntryUnwanted: boolean;
  /** Id of the order that enters; null before it is sent. */
  entryId: string | null;
  /** Orders that were placed as its stop, and as its take-profit. */
  stops: number;
  profits: number;
  /**
   * Up to this number its stops are of before a restore: of these any but the newest that the exchange took may have been replaced,
   * and that it is gone says nothing. Left out: none.
   */
  replacedStops?: number;
  /** Of those the one that stands; null while none is known to. */
  stopId: string | null;
  profitId: string | null;
  filledSize: Decimal;
  /** What of it is held; never negative. */
  heldSize: Decimal;
  /** Since when less than what is held is known to be protected; null while all of it is, or nothing is held. */
  unprotectedSinceMs: number | null;
  /** Why, in plain words. */
  unprotectedBecause: string | null;
  /** Why it ended without an entry, or what was refused last, in plain words. */
  error: string | null;
  endedAtMs: number | null;
};

/** Where nothing of a trade has been sent, or nothing is known of what has: nothing holds, and nothing protects. */
export const UNTOLD = {
  stopId: null,
  profitId: null,
  filledSize: ZERO,
  heldSize: ZERO,
  unprotectedSinceMs: null,
  unprotectedBecause: null,
} as const satisfies Partial<Trade>;

/** The exchange's own form takes so much of the trigger price for a stop at market, percent of it. */
const MARKET_SLIPPAGE = { sell: decimal("0.9"), buy: decimal("1.1") } as const;

/** The worst price of a guard at market. A guard that sells may go so far below its trigger, one that buys above it. */
export function worstPriceOf(market: Market, side: Side, triggerPrice: string): string {
  const furthest = multiply(decimal(triggerPrice), MARKET_SLIPPAGE[side]);
  return roundPrice(market, furthest, side === "sell" ? "up" : "down");
}

/** Whether the mark has come to the stop of a trade on this side, which would then execute at once. */
export function isStopMet(side: Side, triggerPrice: string, mark: Decimal): boolean {
  const order = compare(mark, decimal(triggerPrice));
  return side === "buy" ? order <= 0 : order >= 0;
}

/** Whether the mark has come to the take-profit of a trade on this side. */
export function isProfitMet(side: Side, triggerPrice: string, mark: Decimal): boolean {
  return isStopMet(otherSide(side), triggerPrice, mark);
}

/** What of a position, or of a net, stands on a trade's side; zero where it is on the other. */
export function onSide({ side }: Pick<Trade, "side">, size: Decimal): Decimal {
  const signed = signedSize(side, size);
  return isNegative(signed) ? ZERO : signed;
}

/** Of two trades that were asked for in one millisecond the ids say it. */
export function isNewerTrade(
  one: Pick<Trade, "createdAtMs" | "id">,
  other: Pick<Trade, "createdAtMs" | "id">,
): boolean {
  if (one.createdAtMs !== other.createdAtMs) return one.createdAtMs > other.createdAtMs;
  return one.id > other.id;
}

/** Of the guards. */
export function otherSide(side: Side): Side {
  return side === "buy" ? "sell" : "buy";
}

/** What the id of a trade is made of, beside its account. */
export function keyOfTrade(idempotencyKey: string): string {
  return `trade of ${idempotencyKey}`;
}

/** Of an id these are made of account and key alone, whenever it was made. */
const KEY_DIGITS = 16;

/**
 * The name under which a trade acts: with a space, so that it is no client's Idempotency-Key. After a restore it leads from the
 * client's key to what was placed for it.
 */
export function nameOfTrade({ id }: Pick<Trade, "id">): string {
  return `trade ${id.replaceAll("-", "").slice(-KEY_DIGITS)}`;
}

export type GuardKind = "stop" | "profit";

/** Why a trade enters nothing that a stop has met before its entry was sent. */
export const STOPPED_WORDS = "trading was stopped";

/** Of its order: `entry`, or the number of a guard, from 1. */
export type TradePart = "entry" | { as: GuardKind; number: number };

export function nameOfPart(trade: Pick<Trade, "id">, part: TradePart): string {
  return `${nameOfTrade(trade)} ${part === "entry" ? part : `${part.as} ${part.number}`}`;
}
