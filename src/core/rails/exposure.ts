/** The worst that can still come of what a bot has out: everything that may execute, a lost answer among it. */
import {
  add,
  addTo,
  compare,
  type Decimal,
  decimal,
  larger,
  multiply,
  negate,
  smaller,
  subtract,
  sum,
  ZERO,
} from "../decimal.ts";
import type { Side, Trigger } from "../order.ts";

/** What is left of one order at the exchange, as far as anybody can say that it may still execute. */
export type OpenLeg = {
  orderId: string;
  cloid: string;
  market: string;
  side: Side;
  /** What may still be filled of it. */
  remaining: Decimal;
  /** Its worst price; null for a TWAP, whose slices take what the market gives. */
  price: Decimal | null;
  /** Null for one without, and for one that has fired. */
  triggerPrice: Decimal | null;
  /** Null where `triggerPrice` is. */
  triggerKind: Trigger["kind"] | null;
  /**
   * Its answer was lost, or how much of it was filled is not known: it may have been without our knowing. What is on its way is not
   * among these: whoever sent it will be told.
   */
  isUnheard: boolean;
  /** It is on its way, or just about to be: nothing has been answered yet. */
  isInFlight: boolean;
  /** It may stand on the book, now or once it has fired. What executes at once or not at all never does, nor does a slice of a TWAP. */
  mayRest: boolean;
  /** For rails: it says so at the exchange, or it sells on spot, where there is nothing below zero. What it brings is for stops to ask. */
  canOnlyReduce: boolean;
  /** Null for what no bot has placed. */
  bot: string | null;
};

/** By the exchange's figures; each in units of the quote. */
export type Reference = { low: Decimal; high: Decimal };

/** What a net may be: more than one reading is possible. `low` is not above `high`. */
export type NetRange = { low: Decimal; high: Decimal };

/**
 * What a bot's net may be. Its own fills say one thing, and what is unproven counts as if it were the bot's; where the account's position
 * on that side is smaller, somebody else (a liquidation, the owner by hand) has reduced it, and then it is anything between the two.
 */
export function netRange(own: Decimal, account: Decimal | null, unproven: Sums | null): NetRange {
  const { low, high } = mostOf(own, unproven);
  if (account === null) return { low: smaller(low, ZERO), high: larger(high, ZERO) };
  return {
    low: low.startsWith("-") ? low : smaller(low, larger(account, ZERO)),
    high: high.startsWith("-") ? larger(high, smaller(account, ZERO)) : high,
  };
}

function mostOf(own: Decimal, unproven: Sums | null): NetRange {
  if (unproven === null) return { low: own, high: own };
  return { low: subtract(own, unproven.sells), high: add(own, unproven.buys) };
}

/**
 * The largest position that a net and these orders can come to: max(max(net, 0) + buys, max(−net, 0) + sells), for the
 * worst net that is possible. What is held on one side makes no room on the other: a reduction may be filled first.
 * Orders that only reduce count in neither sum.
 */
export function worstPosition(net: NetRange, { buys, sells }: Sums): Decimal {
  const longest = addTo(larger(net.high, ZERO), buys);
  const shortest = subtract(smaller(net.low, ZERO), sells);
  return larger(longest, negate(shortest));
}

/**
 * The largest position that a net can come to where what only reduces is filled as well, which is never by more than the account holds on
 * its side: beside others it may go on beyond the bot's own.
 *
 * @param account its position; null where it is not known
 */
export function worstReducing(
  net: NetRange,
  { buys, sells, reducing }: Sums & { reducing: Sums },
  account: Decimal | null,
): Decimal {
  const reach = (all: Decimal, held: Decimal | null) => (held === null ? all : smaller(all, larger(held, ZERO)));
  const bought = reach(reducing.buys, account === null ? null : negate(account));
  const longest = add(add(net.high, buys), bought);
  const shortest = subtract(subtract(net.low, sells), reach(reducing.sells, account));
  return larger(longest, negate(shortest));
}

/** The largest position that a side can be asked to reduce: what is held, and these orders filled. */
export function mostToReduce(side: Side, net: Decimal, { buys, sells }: Sums): Decimal {
  const most = side === "sell" ? add(net, buys) : negate(subtract(net, sells));
  return larger(most, ZERO);
}

/** What is out, by side. */
export type Sums = { buys: Decimal; sells: Decimal };

/** Of what increases. */
export function sumsOf(legs: readonly OpenLeg[]): Sums {
  return sumBySide(legs.filter(({ canOnlyReduce }) => !canOnlyReduce));
}

export function sumBySide(legs: readonly OpenLeg[]): Sums {
  const out: Record<Side, Decimal[]> = { buy: [], sell: [] };
  for (const { side, remaining } of legs) out[side].push(remaining);
  return { buys: sum(out.buy), sells: sum(out.sell) };
}

/** What a slice of a TWAP may be filled worse than the market, percent. */
export const SLICE_SLIPPAGE_PERCENT = decimal("3");
const WITH_SLIPPAGE = decimal("1.03");

/** What a leg may come to: at its worst price, at its trigger, or at what the market says, whichever is most. */
export function notionalOf(leg: OpenLeg, reference: Reference): Decimal {
  return multiply(leg.remaining, unitPriceOf(leg, reference));
}

/** What one unit of a leg may come to: its worst price, its trigger or what the market says, whichever is most. */
export function unitPriceOf(
  { price, triggerPrice }: Pick<OpenLeg, "price" | "triggerPrice">,
  { high }: Reference,
): Decimal {
  if (price === null) return multiply(high, WITH_SLIPPAGE);
  return larger(larger(price, triggerPrice ?? price), high);
}

/**
 * What a leg may come to where no price may be known: of a purchase its own limit says the most. Null for what cannot
 * be said.
 */
export function notionalAt(leg: OpenLeg, reference: Reference | null): Decimal | null {
  if (reference !== null) return notionalOf(leg, reference);
  const { remaining, price, triggerPrice, side } = leg;
  return price === null || side === "sell" ? null : multiply(remaining, larger(price, triggerPrice ?? price));
}

export function isAbove(use: Decimal, limit: Decimal | null): limit is Decimal {
  return limit !== null && compare(use, limit) > 0;
}

/** True of what would be taken at these prices: neither rests nor waits. */
export function isTakenAtOnce(leg: OpenLeg, reference: Reference): boolean {
  const { side, price } = leg;
  if (!isTriggerMet(leg, reference)) return false;
  return price === null || (side === "buy" ? !isAbove(reference.low, price) : !isAbove(price, reference.high));
}

/** By whichever of the prices; true of what has no trigger. A sale's stop and a purchase's take-profit fire below theirs. */
function isTriggerMet({ side, triggerPrice, triggerKind }: OpenLeg, { low, high }: Reference): boolean {
  if (triggerPrice === null) return true;
  const firesBelow = (side === "sell") === (triggerKind === "stop_loss");
  return firesBelow ? !isAbove(low, triggerPrice) : !isAbove(triggerPrice, high);
}
