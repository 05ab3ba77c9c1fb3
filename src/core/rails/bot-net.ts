/** What a bot holds by its own fills. */
import {
  add,
  compare,
  type Decimal,
  isNegative,
  larger,
  multiply,
  negate,
  smaller,
  subtract,
  ZERO,
} from "../decimal.ts";
import type { Side } from "../order.ts";
import type { NetRange } from "./exposure.ts";
import { cashOf } from "./loss.ts";

/** `size` below zero: taken back, because it is another's. */
export type BotTrade = { side: Side; reduceOnly: boolean; size: Decimal };

export function netAfter(held: Decimal, { side, reduceOnly, size }: BotTrade): Decimal {
  const signed = signedSize(side, size);
  // What is taken back, because a leg went to an order of its own, is taken back as it was booked.
  return reduceOnly && !isNegative(size) ? reduced(held, signed) : add(held, signed);
}

export function signedSize(side: Side, size: Decimal): Decimal {
  return side === "buy" ? size : negate(size);
}

/** What only reduces closes the bot's own and then another's, which makes the bot no position of the other side. */
function reduced(held: Decimal, signed: Decimal): Decimal {
  const after = add(held, signed);
  if (signed.startsWith("-")) return held.startsWith("-") ? held : larger(after, ZERO);
  return held.startsWith("-") ? smaller(after, ZERO) : held;
}

/**
 * What only reduces was booked as more than the bot held, so the rest of it counted as another's. It may have been the bot's own:
 * of an entry that was filled before it and told after it.
 */
export type Doubt = {
  /** So much of sales, and of purchases, counted as another's. */
  soldBeyond: Decimal;
  boughtBeyond: Decimal;
  /** Whether anything of that side has been booked since which may have come first. */
  hasBoughtSince: boolean;
  hasSoldSince: boolean;
};

/** Between what was booked and what it is if all that is in doubt was the bot's own. */
export function netInDoubt(net: Decimal, doubt: Doubt | null): NetRange {
  if (doubt === null) return { low: net, high: net };
  const { soldBeyond, boughtBeyond, hasBoughtSince, hasSoldSince } = doubt;
  return {
    low: hasBoughtSince ? subtract(net, soldBeyond) : net,
    high: hasSoldSince ? add(net, boughtBeyond) : net,
  };
}

/** A fill as the exchange has it. */
export type TimedTrade = BotTrade & { price: Decimal; timeMs: number };

/**
 * What these make of what was held before them, in the exchange's order; `cash` as `cashOf` has it. What only reduces comes behind what
 * was filled at the same moment: a stop executes against what it protects.
 */
export function bookedInOrder(base: Decimal, trades: readonly TimedTrade[]): { net: Decimal; cash: Decimal } {
  const inOrder = trades.toSorted((a, b) => a.timeMs - b.timeMs || Number(a.reduceOnly) - Number(b.reduceOnly));
  let net = base;
  let cash = ZERO;
  for (const trade of inOrder) {
    const after = netAfter(net, trade);
    const notional = multiply(trade.size, trade.price);
    cash = add(cash, cashOf({ size: trade.size, notional, moved: subtract(after, net) }));
    net = after;
  }
  return { net, cash };
}

/** Of fills in their order what lies between two sums: the first ones were booked before. */
export function fillsBetween<Fill extends { size: Decimal }>(
  fills: readonly Fill[],
  from: Decimal,
  to: Decimal,
): Fill[] {
  let sum = ZERO;
  return fills.flatMap((fill) => {
    const [begins, ends] = [sum, add(sum, fill.size)];
    sum = ends;
    const size = subtract(smaller(ends, to), larger(begins, from));
    return compare(size, ZERO) > 0 ? [{ ...fill, size }] : [];
  });
}
