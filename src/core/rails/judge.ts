/**
 * Whether a limited key may do what it asks. Judged is what would be if it were done: its own leg is among those that are
 * open already, so that no order of checks and no second request can come between.
 */
import {
  add,
  compare,
  type Decimal,
  decimal,
  divide,
  larger,
  multiply,
  negate,
  subtract,
  sum,
  truncate,
  ZERO,
} from "../decimal.ts";
import { dexOf, isSpot } from "../market.ts";
import {
  isAbove,
  mostToReduce,
  netRange,
  notionalOf,
  type OpenLeg,
  type Reference,
  remainingOf,
  worstPosition,
} from "./exposure.ts";
import type { RailName, Rails, Verb } from "./rails.ts";
import type { Halt } from "./trip.ts";

/** What is asked, by what would be signed. */
export type Wish =
  | { kind: "order"; isModify: boolean; leg: OpenLeg; trigger: WishedTrigger | null; sizeDecimals: number }
  | { kind: "cancel" }
  /** An action that no rail is held against yet. */
  | { kind: "other"; verb: Verb };

/** `hasFired`: its condition holds already; null where no price says so. */
export type WishedTrigger = { price: Decimal; kind: "take_profit" | "stop_loss"; hasFired: boolean | null };

export type Facts = {
  /** Whose order is changed: null where it is nobody's bot's, undefined where none is. */
  targetBot: string | null | undefined;
  /** Everything of the account that may still execute, what is asked among it. */
  legs: readonly OpenLeg[];
  /** Net of the bot's own fills in a market, negative is short. */
  netOf(market: string): Decimal;
  /** Markets in which the bot has a net. */
  held: readonly string[];
  /** The account's position; null where it is not known. */
  accountOf(market: string): Decimal | null;
  /** Null where nothing is known that is new enough. */
  referenceOf(market: string): Reference | null;
  /** USD of the fills of this UTC day. */
  turnover: Decimal;
  /** Of this UTC day, what is asked among them. */
  actions: number;
  /** Why nothing may increase, whatever it is; null where nothing is in the way. */
  halt: Halt | null;
  /** USD that the bot has lost on this UTC day, negative for a gain; null where that is not known. */
  lossToday(): Decimal | null;
};

export type Verdict =
  | { kind: "allowed" }
  | { kind: "refused"; rail: RailName | "opposite_position"; limit: string; use: string; largest: string | null }
  /** What cannot be shown to be within the rails for want of this. */
  | { kind: "unproven"; missing: string };

type Refused = Exclude<Verdict, { kind: "allowed" }>;
type Ordered = Extract<Wish, { kind: "order" }>;

export function judge(rails: Rails, facts: Facts, wish: Wish): Verdict {
  return faultOf(rails, facts, wish) ?? { kind: "allowed" };
}

function faultOf(rails: Rails, facts: Facts, wish: Wish): Refused | null {
  switch (wish.kind) {
    case "other":
      return refusal("may", { limit: rails.may.join(","), use: `${wish.verb}, which no rail is held against yet` });
    case "cancel":
      return verbFault(rails, "cancel") ?? touchFault(rails, facts);
    case "order":
      return orderFault(rails, facts, wish);
  }
}

function orderFault(rails: Rails, facts: Facts, wish: Ordered): Refused | null {
  const verb = wish.leg.reduceOnly ? "reduce" : "increase";
  return (
    (wish.isModify ? verbFault(rails, "modify") : null) ??
    verbFault(rails, verb) ??
    (wish.isModify ? changedFault(rails, facts, wish) : null) ??
    marketFault(rails, wish.leg.market) ??
    (wish.leg.reduceOnly ? reductionFault(rails, facts, wish) : increaseFault(rails, facts, wish))
  );
}

function verbFault({ may }: Rails, verb: Verb): Refused | null {
  return may.includes(verb) ? null : refusal("may", { limit: may.join(","), use: verb });
}

function touchFault({ touches, bot }: Rails, { targetBot }: Facts): Refused | null {
  if (touches === "all" || targetBot === bot) return null;
  return refusal("touches", { limit: touches, use: "an order that another has placed" });
}

/** What increases stays with the bot that placed it, in whose books it stands. */
function changedFault(rails: Rails, facts: Facts, { leg }: Ordered): Refused | null {
  return touchFault(leg.reduceOnly ? rails : { ...rails, touches: "own" }, facts);
}

function marketFault({ markets }: Rails, market: string): Refused | null {
  if (isSpot(market)) return refusal("markets", { limit: "perpetuals", use: market });
  const dex = dexOf(market);
  const isNamed = markets === null || markets.includes(market) || (dex !== "" && markets.includes(`${dex}:*`));
  return isNamed ? null : refusal("markets", { limit: markets.join(","), use: market });
}

/** What takes risk away is held to its own size, its distance and the others' protection, and to nothing else. */
function reductionFault(rails: Rails, facts: Facts, wish: Ordered): Refused | null {
  return (
    distanceFault(rails, facts, wish) ??
    (rails.touches === "all" ? null : (reducedFault(rails, facts, wish) ?? displacedFault(rails, facts, wish)))
  );
}

/** Beyond what is the bot's own it would reduce another's. What rests is summed; of triggers that wait the largest counts. */
function reducedFault(rails: Rails, facts: Facts, wish: Ordered): Refused | null {
  const { market, side, triggerPrice } = wish.leg;
  const own = ownIn(rails, facts, market);
  const alike = own.filter(
    (leg) => isStanding(wish, leg) && leg.side === side && leg.reduceOnly && hasTrigger(leg) === hasTrigger(wish.leg),
  );
  const sizes = alike.map(({ remaining }) => remaining);
  const use = triggerPrice === null ? sum(sizes) : sizes.reduce(larger, ZERO);
  const limit = mostToReduce(side, netRange(facts.netOf(market), facts.accountOf(market)), own);
  if (!isAbove(use, limit)) return null;
  const others = triggerPrice === null ? subtract(use, wish.leg.remaining) : ZERO;
  return sizeRefusal("touches", { limit, use, unit: market, wish, largest: subtract(limit, others) });
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
 * one account that would trade with one another the one that rests.
 */
function displacedFault(rails: Rails, facts: Facts, wish: Ordered): Refused | null {
  const { leg } = wish;
  if (hasTrigger(leg)) return null;
  const resting = facts.legs.filter(
    (each) => isStanding(wish, each) && each.market === leg.market && each.reduceOnly && !hasTrigger(each),
  );
  const others = resting.filter(({ bot }) => bot !== rails.bot);
  if (others.some((other) => wouldTrade(leg, other)))
    return refusal("touches", { limit: rails.touches, use: "a trade with another's reduce-only order" });
  const account = facts.accountOf(leg.market);
  if (!leg.reduceOnly || !others.some(({ side }) => side === leg.side) || account === null) return null;
  const all = sum(resting.filter(({ side }) => side === leg.side).map(({ remaining }) => remaining));
  const held = larger(leg.side === "sell" ? account : negate(account), ZERO);
  if (!isAbove(all, held)) return null;
  return refusal("touches", { limit: rails.touches, use: "the place of another's reduce-only order on the book" });
}

function wouldTrade(leg: OpenLeg, other: OpenLeg): boolean {
  if (leg.side === other.side) return false;
  return leg.side === "buy" ? !isAbove(other.price, leg.price) : !isAbove(leg.price, other.price);
}

function increaseFault(rails: Rails, facts: Facts, wish: Ordered): Refused | null {
  const { market } = wish.leg;
  if (facts.halt !== null) return refusal(facts.halt.rail, facts.halt);
  const reference = facts.referenceOf(market);
  if (reference === null) return { kind: "unproven", missing: `a price of ${market} from the last 5 seconds` };
  if (facts.accountOf(market) === null) return { kind: "unproven", missing: `the account's position in ${market}` };
  return (
    distanceFault(rails, facts, wish) ??
    orderSizeFault(rails, reference, wish) ??
    oppositeFault(rails, facts, wish) ??
    (rails.touches === "all" ? null : displacedFault(rails, facts, wish)) ??
    positionFault(rails, { facts, wish, reference }) ??
    exposureFault(rails, { facts, wish, reference }) ??
    turnoverFault(rails, { facts, wish, reference }) ??
    lossFault(rails, facts) ??
    countFault(rails, facts)
  );
}

function orderSizeFault({ maxOrder }: Rails, reference: Reference, wish: Ordered): Refused | null {
  if (maxOrder === null) return null;
  const use = notionalOf(wish.leg, reference);
  if (!isAbove(use, maxOrder)) return null;
  return usdRefusal("maxOrder", { limit: maxOrder, use, wish, reference, others: ZERO });
}

/**
 * The exchange nets: a stop of a bot that is long means nothing while the account is short. Where the bot's own net is not
 * certain, that of the others is not either, and only what is certain is held against it.
 */
function oppositeFault(rails: Rails, facts: Facts, { leg }: Ordered): Refused | null {
  const { side, market } = leg;
  const account = facts.accountOf(market);
  if (account === null) return null;
  const own = netRange(facts.netOf(market), account);
  const others = side === "buy" ? subtract(account, own.low) : negate(subtract(account, own.high));
  if (!isAbove(ZERO, others)) return null;
  const most = remainingOf(ownIn(rails, facts, market), side);
  const after = side === "buy" ? add(own.high, most) : negate(subtract(own.low, most));
  if (!isAbove(after, ZERO)) return null;
  return refusal("opposite_position", { limit: `others hold the other side of ${market}`, use: `${side} beyond flat` });
}

type Increase = { facts: Facts; wish: Ordered; reference: Reference };

function positionFault(rails: Rails, { facts, wish, reference }: Increase): Refused | null {
  const { maxPosition: limit } = rails;
  if (limit === null) return null;
  const use = multiply(worstIn(rails, facts, wish.leg.market), priceOf(wish, reference));
  if (!isAbove(use, limit)) return null;
  const without = worstOnSide(rails, facts, wish);
  return usdRefusal("maxPosition", {
    limit,
    use,
    wish,
    reference,
    others: multiply(without, priceOf(wish, reference)),
  });
}

function exposureFault(rails: Rails, { facts, wish, reference }: Increase): Refused | null {
  const { maxExposure: limit } = rails;
  if (limit === null) return null;
  const { market } = wish.leg;
  const markets = new Set([...facts.held, ...legsOf(rails, facts).map((leg) => leg.market)]);
  markets.delete(market);
  let elsewhere = ZERO;
  for (const each of markets) {
    const worst = worstIn(rails, facts, each);
    const price = facts.referenceOf(each)?.high ?? null;
    if (worst === ZERO) continue;
    if (price === null) return { kind: "unproven", missing: `a price of ${each} from the last 5 seconds` };
    elsewhere = add(elsewhere, multiply(worst, price));
  }
  const price = priceOf(wish, reference);
  const use = add(elsewhere, multiply(worstIn(rails, facts, market), price));
  if (!isAbove(use, limit)) return null;
  const others = add(elsewhere, multiply(worstOnSide(rails, facts, wish), price));
  return usdRefusal("maxExposure", { limit, use, wish, reference, others });
}

function turnoverFault(rails: Rails, { facts, wish, reference }: Increase): Refused | null {
  const { maxTurnoverPerDay: limit } = rails;
  if (limit === null) return null;
  const open = legsOf(rails, facts).filter(({ reduceOnly }) => !reduceOnly);
  const use = sum([facts.turnover, ...open.map((leg) => notionalOf(leg, facts.referenceOf(leg.market)))]);
  if (!isAbove(use, limit)) return null;
  const others = subtract(use, notionalOf(wish.leg, reference));
  return usdRefusal("maxTurnoverPerDay", { limit, use, wish, reference, others });
}

/** Nothing is reserved for what a new order may come to lose: that is what its distance and the trip are for. */
function lossFault({ maxLossPerDay: limit }: Rails, facts: Facts): Refused | null {
  if (limit === null) return null;
  const use = facts.lossToday();
  if (use === null) return { kind: "unproven", missing: "a price of each market in which the bot holds something" };
  return compare(use, limit) < 0 ? null : refusal("maxLossPerDay", { limit: `${limit} USD`, use: `${use} USD lost` });
}

function countFault(rails: Rails, facts: Facts): Refused | null {
  const { maxActionsPerDay, maxOpenOrders } = rails;
  if (maxActionsPerDay !== null && facts.actions > maxActionsPerDay)
    return refusal("maxActionsPerDay", { limit: String(maxActionsPerDay), use: String(facts.actions) });
  if (maxOpenOrders === null) return null;
  const open = new Set(legsOf(rails, facts).map(({ orderId }) => orderId)).size;
  if (open > maxOpenOrders) return refusal("maxOpenOrders", { limit: String(maxOpenOrders), use: String(open) });
  return null;
}

/** An order that may execute at once by its worst price from the market; a trigger that waits by its worst price from it. */
function distanceFault(rails: Rails, facts: Facts, { leg, trigger }: Ordered): Refused | null {
  const { maxDistance, maxStopDistance } = rails;
  // Where no price says that a stop has fired, it is where it is: what it costs is bounded by its own trigger in either case.
  const waits = trigger !== null && (trigger.hasFired === false || isPlainStop(leg, trigger));
  if (waits) {
    const rail = leg.reduceOnly ? "maxStopDistance" : "maxDistance";
    const limit = leg.reduceOnly ? maxStopDistance : maxDistance;
    return isTooFar(leg, trigger.price, limit) ? farRefusal(rail, { limit, leg, from: trigger.price }) : null;
  }
  if (maxDistance === null) return null;
  const reference = facts.referenceOf(leg.market);
  if (reference === null) return { kind: "unproven", missing: `a price of ${leg.market}` };
  const from = leg.side === "buy" ? reference.low : reference.high;
  return isTooFar(leg, from, maxDistance) ? farRefusal("maxDistance", { limit: maxDistance, leg, from }) : null;
}

function isPlainStop({ reduceOnly }: OpenLeg, { kind, hasFired }: WishedTrigger): boolean {
  return reduceOnly && hasFired === null && kind === "stop_loss";
}

const HUNDRED = decimal("100");

/** Compared without dividing: nothing is rounded. */
function isTooFar({ side, price }: OpenLeg, from: Decimal, limit: Decimal | null): boolean {
  if (limit === null) return false;
  const cost = side === "buy" ? subtract(price, from) : subtract(from, price);
  return isAbove(multiply(cost, HUNDRED), multiply(from, limit));
}

/** Digits of a percentage that a message shows. */
const SHOWN_DECIMALS = 2;

function farRefusal(
  rail: "maxDistance" | "maxStopDistance",
  { limit, leg, from }: { limit: Decimal | null; leg: OpenLeg; from: Decimal },
): Refused {
  const cost = leg.side === "buy" ? subtract(leg.price, from) : subtract(from, leg.price);
  const use = `${divide(multiply(cost, HUNDRED), from, SHOWN_DECIMALS)} % from ${from}`;
  return refusal(rail, { limit: `${limit} %`, use });
}

function legsOf({ bot }: Rails, { legs }: Facts): OpenLeg[] {
  return legs.filter((leg) => leg.bot === bot);
}

function ownIn(rails: Rails, facts: Facts, market: string): OpenLeg[] {
  return legsOf(rails, facts).filter((leg) => leg.market === market);
}

function worstIn(rails: Rails, facts: Facts, market: string): Decimal {
  return worstPosition(netRange(facts.netOf(market), facts.accountOf(market)), ownIn(rails, facts, market));
}

/** The same on the side of the wish and without it: what is left below a limit is for the wish. */
function worstOnSide(rails: Rails, facts: Facts, { leg }: Ordered): Decimal {
  const net = netRange(facts.netOf(leg.market), facts.accountOf(leg.market));
  const all = remainingOf(ownIn(rails, facts, leg.market), leg.side);
  const others = subtract(all, leg.remaining);
  return leg.side === "buy" ? add(net.high, others) : subtract(others, net.low);
}

/** What a unit of the wish is valued at. */
function priceOf({ leg }: Ordered, reference: Reference): Decimal {
  return notionalOf({ ...leg, remaining: ONE }, reference);
}

const ONE = decimal("1");

type OverUsd = { limit: Decimal; use: Decimal; wish: Ordered; reference: Reference; others: Decimal };

function usdRefusal(rail: RailName, { limit, use, wish, reference, others }: OverUsd): Refused {
  const room = larger(subtract(limit, others), ZERO);
  const largest = divide(room, priceOf(wish, reference), wish.sizeDecimals);
  return refusal(rail, { limit: `${limit} USD`, use: `${use} USD`, largest });
}

type OverSize = { limit: Decimal; use: Decimal; unit: string; wish: Ordered; largest: Decimal };

function sizeRefusal(rail: RailName, { limit, use, unit, wish, largest }: OverSize): Refused {
  const fitting = truncate(larger(largest, ZERO), wish.sizeDecimals);
  return refusal(rail, { limit: `${limit} ${unit} of its own`, use: `${use} ${unit}`, largest: fitting });
}

function refusal(
  rail: RailName | "opposite_position",
  { limit, use, largest = null }: { limit: string; use: string; largest?: Decimal | null },
): Refused {
  return { kind: "refused", rail, limit, use, largest };
}
