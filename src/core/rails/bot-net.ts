/** What a bot holds by its own fills. */
import {
  add,
  addTo,
  type Decimal,
  isNegative,
  larger,
  multiply,
  negate,
  smaller,
  subtract,
  sum,
  ZERO,
} from "../decimal.ts";
import type { Side } from "../order.ts";
import type { NetRange, Sums } from "./exposure.ts";

/** `size` below zero: taken back, because it is another's. */
export type BotTrade = { side: Side; reduceOnly: boolean; size: Decimal };

export function netAfter(held: Decimal, { side, reduceOnly, size }: BotTrade): Decimal {
  const signed = signedSize(side, size);
  // What is taken back, because a leg went to an order of its own, is taken back as it was booked.
  return reduceOnly && !isNegative(size) ? reduced(held, signed) : addTo(held, signed);
}

/** What a trade has moved a bot's net by, signed: what only reduces may have moved it by less than it was filled. */
export function movedBy(trade: BotTrade, { held, net }: { held: Decimal; net: Decimal }): Decimal {
  return trade.reduceOnly ? subtract(net, held) : signedSize(trade.side, trade.size);
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
 * what was told before it may have been filled after it, and the other way round.
 */
export type Doubt = {
  /** So much of sales, and of purchases, counted as another's. */
  soldBeyond: Decimal;
  boughtBeyond: Decimal;
  /**
   * So much that increases was booked after that. What is not booked yet makes nothing certain: where it was filled before the reduction,
   * the two have closed one another.
   */
  soldSince: Decimal;
  boughtSince: Decimal;
  /**
   * So much that increases was booked while something was out that reduces it, and so much of that was booked as the bot's own since: it may
   * have been filled before, and have closed another's.
   */
  openedLong: Decimal;
  openedShort: Decimal;
  closedLong: Decimal;
  closedShort: Decimal;
  /**
   * So much was held at most when what increases was booked against it, while something was out that reduces on the same side: that may
   * have been filled before, and not told, and then what increases has begun a position of the other side.
   */
  longSold: Decimal;
  shortBought: Decimal;
};

/**
 * Between what was booked and what it is if all that is in doubt was the bot's own.
 *
 * @param reducingOut what is out of the bot's and only reduces
 */
export function netInDoubt(net: Decimal, doubt: Doubt | null, reducingOut: () => Sums): NetRange {
  if (doubt === null) return { low: net, high: net };
  const reducing = reducingOut();
  const { longSold, shortBought } = doubt;
  // Its own was what has been told since, or what had been held before something else was booked against that.
  const ownSold = smaller(doubt.soldBeyond, add(doubt.boughtSince, longSold));
  const ownBought = smaller(doubt.boughtBeyond, add(doubt.soldSince, shortBought));
  const sold = add(ownSold, smaller(longSold, reducing.sells));
  const bought = add(ownBought, smaller(shortBought, reducing.buys));
  const notSold = smaller(doubt.openedLong, doubt.closedLong);
  const notBought = smaller(doubt.openedShort, doubt.closedShort);
  return { low: subtract(net, add(sold, notBought)), high: add(net, add(bought, notSold)) };
}

/** What of it a reduction that is out on its other side may have come before; nothing of what is taken back. */
export function openedBy({ side, reduceOnly, size }: BotTrade): Pick<Doubt, "openedLong" | "openedShort"> {
  const isIncrease = !reduceOnly && !isNegative(size);
  return {
    openedLong: isIncrease && side === "buy" ? size : ZERO,
    openedShort: isIncrease && side === "sell" ? size : ZERO,
  };
}

/** What increases and was booked against what is held: how much that was, by side. */
export function heldAgainst(
  held: Decimal,
  { side, reduceOnly, size }: BotTrade,
): Pick<Doubt, "longSold" | "shortBought"> {
  const isIncrease = !reduceOnly && !isNegative(size);
  return {
    longSold: isIncrease && side === "sell" ? larger(held, ZERO) : ZERO,
    shortBought: isIncrease && side === "buy" ? larger(negate(held), ZERO) : ZERO,
  };
}

/** A fill as the exchange has it. */
export type TimedTrade = BotTrade & { price: Decimal; timeMs: number };

/** `beyondCash`: what of them closed another's would have brought the bot, as `cashOf` has it. */
export type BookedInOrder = { net: Decimal; beyondCash: Decimal };

/**
 * What these make of what was held before them, in the exchange's order. What only reduces comes behind what was filled at the same
 * moment: a stop executes against what it protects.
 */
export function bookedInOrder(base: Decimal, trades: readonly TimedTrade[]): BookedInOrder {
  const inOrder = trades.toSorted((a, b) => a.timeMs - b.timeMs || Number(a.reduceOnly) - Number(b.reduceOnly));
  let net = base;
  let beyondCash = ZERO;
  for (const { side, reduceOnly, size, price } of inOrder) {
    const after = netAfter(net, { side, reduceOnly, size });
    const beyond = subtract(signedSize(side, size), subtract(after, net));
    beyondCash = subtract(beyondCash, multiply(beyond, price));
    net = after;
  }
  return { net, beyondCash };
}

/** Signed sum of what was filled. */
export function sumSigned(trades: readonly BotTrade[]): Decimal {
  return sum(trades.map(({ side, size }) => signedSize(side, size)));
}
