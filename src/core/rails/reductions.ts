/** What takes risk away: how far it may, and whose protection it must leave alone. */
import { larger, negate, subtract, sum, ZERO } from "../decimal.ts";
import { isSpot } from "../market.ts";
import { distanceFault } from "./distance.ts";
import { isAbove, isTakenAtOnce, mostToReduce, netRange, type OpenLeg, sumsOf } from "./exposure.ts";
import type { Rails } from "./rails.ts";
import { type RailRefusal, refusal, sizeRefusal } from "./verdict.ts";
import { type Facts, type Ordered, ownIn } from "./wish.ts";

/** What takes risk away is held to its own size, its distance and the others' protection, and to nothing else. */
export function reductionFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  return (
    distanceFault(rails, facts, wish) ??
    (rails.touches === "all" ? null : (reducedFault(rails, facts, wish) ?? displacedFault(rails, facts, wish)))
  );
}

/**
 * For whichever `touches`: beyond what is the bot's own it would reduce another's. What is its own is what its fills hold and what may have
 * been filled without our knowing; what rests is not held yet. What rests, or executes at once, is summed, and so are the triggers of a kind: all of them may fire.
 */
export function reducedFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  const { market, side, triggerKind } = wish.leg;
  if (isSpot(market)) return soldFault(rails, facts, wish);
  if (hasTrigger(wish.leg) && isAlone(facts, wish.leg)) return aheadFault(rails, facts, wish);
  const own = ownIn(rails, facts, market);
  const alike = [
    ...reducingLike(wish, own).filter((leg) => leg.triggerKind === triggerKind),
    ...(hasTrigger(wish.leg) || isAlone(facts, wish.leg) ? [] : sellingBeside(facts, wish, own)),
  ];
  const use = sum(alike.map(({ remaining }) => remaining));
  const limit = mostToReduce(side, facts.ownOf(market), sumsOf(own.filter(({ isUnheard }) => isUnheard)));
  if (!isAbove(use, limit)) return null;
  const largest = subtract(limit, subtract(use, wish.leg.remaining));
  const isMost = isAbove(limit, mostToReduce(side, facts.ownOf(market), sumsOf([])));
  return sizeRefusal("touches", { limit, isMost, use, unit: market, wish, largest });
}

/**
 * What closes the same before it or with it, and is not of its kind: what rests and only reduces, beside a trigger that is met; and what is on
 * its way and would be taken at once. A sale that rests, or a trigger that waits, is not filled before it is.
 */
function sellingBeside({ referenceOf }: Facts, wish: Ordered, own: readonly OpenLeg[]): OpenLeg[] {
  const { market, side, triggerKind } = wish.leg;
  const others = own.filter(
    (leg) => leg.side === side && isStanding(wish, leg) && !(leg.canOnlyReduce && leg.triggerKind === triggerKind),
  );
  if (others.length === 0) return others;
  const reference = referenceOf(market);
  return others.filter((leg) => {
    if (leg.canOnlyReduce && !hasTrigger(leg)) return true;
    return leg.isInFlight && (reference === null ? !hasTrigger(leg) : isTakenAtOnce(leg, reference));
  });
}

/** Nothing on this side is known to be another's: what protects is not stopped where nobody can say what the account holds. */
function isAlone({ accountOf, ownOf }: Facts, { market, side }: OpenLeg): boolean {
  const account = accountOf(market);
  if (account === null) return true;
  const own = ownOf(market);
  return side === "sell" ? !isAbove(account, larger(own, ZERO)) : !isAbove(negate(account), larger(negate(own), ZERO));
}

/** What waits for the mark may be there before what it is to protect. Of such the largest counts: the new one goes before the old one. */
function aheadFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  const { market, side } = wish.leg;
  const own = ownIn(rails, facts, market);
  const waiting = reducingLike(wish, own).filter(hasTrigger);
  const use = waiting.map(({ remaining }) => remaining).reduce(larger, ZERO);
  const { low, high } = netRange(facts.ownOf(market), facts.accountOf(market), null);
  const limit = mostToReduce(side, side === "sell" ? high : low, sumsOf(own));
  return isAbove(use, limit)
    ? sizeRefusal("touches", { limit, isMost: true, use, unit: market, wish, largest: limit })
    : null;
}

function reducingLike(wish: Ordered, own: readonly OpenLeg[]): OpenLeg[] {
  return own.filter((leg) => isStanding(wish, leg) && leg.side === wish.leg.side && leg.canOnlyReduce);
}

/** On spot nothing keeps a sale to what is held: all that the bot sells is summed, and what it has not bought yet is not its own. */
function soldFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  const { market } = wish.leg;
  const sales = ownIn(rails, facts, market).filter(({ side }) => side === "sell");
  const use = sum(sales.map(({ remaining }) => remaining));
  const limit = larger(facts.ownOf(market), ZERO);
  if (!isAbove(use, limit)) return null;
  const largest = subtract(limit, subtract(use, wish.leg.remaining));
  return sizeRefusal("touches", { limit, isMost: false, use, unit: market, wish, largest });
}

/** TWAPs of the bot that reduce already what an order without a trigger would: no close cancels them. */
export function reducingTwaps(rails: Rails, facts: Facts, wish: Ordered): OpenLeg[] {
  if (!wish.leg.canOnlyReduce || hasTrigger(wish.leg)) return [];
  const own = ownIn(rails, facts, wish.leg.market);
  return reducingLike(wish, own).filter(({ price, cloid }) => price === null && cloid !== wish.leg.cloid);
}

/** What a modify replaces of what reduces goes when its replacement comes: both are no more than one. */
function isStanding({ leg }: Ordered, other: OpenLeg): boolean {
  return other.cloid === leg.cloid || other.orderId !== leg.orderId;
}

function hasTrigger({ triggerPrice }: OpenLeg): boolean {
  return triggerPrice !== null;
}

/**
 * The exchange cancels the oldest reduce-only orders on the book that exceed the position together, and of two orders of
 * one account that would trade with one another the one that rests. A trigger that increases goes as far as its worst price
 * once it fires, when nobody is asked any more. One that only reduces protects, and is never refused for what it may meet then.
 */
export function displacedFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  const { leg } = wish;
  if (isSpot(leg.market) || (leg.canOnlyReduce && hasTrigger(leg))) return null;
  const reducing = facts.legs.filter(
    (each) => each.canOnlyReduce && each.market === leg.market && isStanding(wish, each) && isPriced(each),
  );
  // What is never on the book cannot be put out of its place there: it only takes away from what the others may reduce.
  const others = reducing.filter(({ bot, mayRest }) => mayRest && bot !== rails.bot);
  if (others.some((other) => wouldTrade(leg, other)))
    return refusal("touches", { limit: rails.touches, use: "a trade with another's reduce-only order" });
  const account = facts.accountOf(leg.market);
  if (!leg.canOnlyReduce || !others.some(({ side }) => side === leg.side) || account === null) return null;
  const alike = [...reducing.filter(({ cloid, side }) => side === leg.side && cloid !== leg.cloid), leg];
  const all = sum(alike.map(({ remaining }) => remaining));
  const held = larger(leg.side === "sell" ? account : negate(account), ZERO);
  if (!isAbove(all, held)) return null;
  return refusal("touches", { limit: rails.touches, use: "the place of another's reduce-only order on the book" });
}

/** Orders of others that an order would trade with at once: the exchange cancels what rests of two orders of one account. */
export function metBy({ bot }: Rails, legs: readonly OpenLeg[], { leg }: Ordered): OpenLeg[] {
  if (!isPriced(leg)) return [];
  return legs.filter((each) => {
    const isOthers = each.market === leg.market && each.bot !== bot && each.mayRest && isPriced(each);
    return isOthers && wouldTrade(leg, each);
  });
}

/** It goes to the book as it is: a trigger waits beside it, and a TWAP comes in slices without a price of their own. */
function isPriced(leg: OpenLeg): boolean {
  return !hasTrigger(leg) && leg.price !== null;
}

/** Slices of a TWAP take what comes, for hours: whatever rests on the other side may be met. */
function wouldTrade(leg: OpenLeg, other: OpenLeg): boolean {
  if (leg.side === other.side) return false;
  if (leg.price === null || other.price === null) return true;
  return leg.side === "buy" ? !isAbove(other.price, leg.price) : !isAbove(leg.price, other.price);
}
