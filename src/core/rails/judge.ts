/**
 * Whether a limited key may do what it asks. Judged is what would be if it were done: its own leg is among those that are
 * open already, so that no order of checks and no second request can come between.
 */
import {
  add,
  compare,
  compareExact,
  compareProduct,
  type Decimal,
  decimal,
  exact,
  isZero,
  larger,
  multiply,
  negate,
  plus,
  smaller,
  subtract,
  sum,
  times,
  truncate,
  ZERO,
} from "../decimal.ts";
import { distanceFault } from "./distance.ts";
import {
  isAbove,
  isTakenAtOnce,
  type NetRange,
  netRange,
  notionalAt,
  notionalOf,
  type OpenLeg,
  type Reference,
} from "./exposure.ts";
import { marketFault, quoteFault, verbFault } from "./may.ts";
import { sinceMoved } from "./moved.ts";
import { NOTHING_OUT, type OwnBooks, ownBooks } from "./own-books.ts";
import type { Rails } from "./rails.ts";
import { displacedFault, reducedFault, reductionFault } from "./reductions.ts";
import { leverageFault, marginFault, settingFault } from "./settings.ts";
import { priceless, priceOf, type RailRefusal, type RailVerdict, refusal, unread, usdRefusal } from "./verdict.ts";
import type { Facts, Ordered, Wish } from "./wish.ts";
import { worstIn, worstOf } from "./worst.ts";

export function judge(rails: Rails, facts: Facts, wish: Wish): RailVerdict {
  const fault = faultOf(rails, facts, wish);
  if (fault === null) return { kind: "allowed" };
  const moved = fault.kind === "refused" ? sinceMoved(facts, wish) : null;
  // A position of before a fill refuses nobody whom the one of after it may let through.
  if (moved?.facts.some((now) => faultOf(rails, now, wish) === null)) return unread(moved.market);
  if (wish.kind !== "order" || fault.kind !== "refused" || fault.largest === null) return fault;
  return { ...fault, largest: passingSize(rails, facts, { wish, largest: decimal(fault.largest) }) };
}

/** Each rail that says less is asked at most once, and a few times more where a size was cut to the decimals of its market. */
const MAX_ASKED = 8;

/** The rail that refuses first speaks for itself alone: what is told as the largest passes all of them. Null where no size is found that does. */
function passingSize(
  rails: Rails,
  facts: Facts,
  { wish, largest }: { wish: Ordered; largest: Decimal },
): Decimal | null {
  let size = largest;
  for (let asked = 0; asked < MAX_ASKED; asked += 1) {
    if (isZero(size)) return size;
    const leg = { ...wish.leg, remaining: size };
    const legs = facts.legs.map((each) => (each.cloid === leg.cloid ? leg : each));
    const fault = faultOf(rails, { ...facts, legs }, { ...wish, leg });
    if (fault === null) return size;
    if (fault.kind !== "refused" || fault.largest === null) return null;
    const less = decimal(fault.largest);
    if (compare(less, size) >= 0) return null;
    size = less;
  }
  return null;
}

function faultOf(rails: Rails, facts: Facts, wish: Wish): RailRefusal | null {
  switch (wish.kind) {
    case "leverage":
      return leverageFault(rails, facts, wish);
    case "margin":
      return marginFault(rails, facts, wish);
    case "cancel":
      return verbFault(rails, "cancel") ?? touchFault(rails, facts);
    case "order":
      return orderFault(rails, facts, wish);
  }
}

function orderFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  const verb = wish.leg.canOnlyReduce ? "reduce" : "increase";
  return (
    (wish.isModify ? verbFault(rails, "modify") : null) ??
    (wish.leg.price === null ? verbFault(rails, "twap") : null) ??
    verbFault(rails, verb) ??
    (wish.isModify ? changedFault(rails, facts, wish) : null) ??
    placeFault(rails, facts, wish) ??
    quoteFault(rails, wish) ??
    (wish.leg.canOnlyReduce ? reductionFault(rails, facts, wish) : increaseFault(rails, facts, wish))
  );
}

function touchFault({ touches, bot }: Rails, { targetBot }: Facts): RailRefusal | null {
  if (touches === "all" || targetBot === bot) return null;
  return refusal("touches", { limit: touches, use: "an order that another has placed" });
}

/** What increases stays with the bot that placed it, in whose books it stands. */
function changedFault(rails: Rails, facts: Facts, { leg }: Ordered): RailRefusal | null {
  return touchFault(leg.canOnlyReduce ? rails : { ...rails, touches: "own" }, facts);
}

/** In a market that is named no more, which a narrowing or a newer grant may have taken away, a bot gets out of what is its own. */
function placeFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  const fault = marketFault(rails, wish.leg.market);
  if (fault === null || !wish.leg.canOnlyReduce) return fault;
  return reducedFault(rails, facts, wish) === null ? null : fault;
}

function increaseFault(rails: Rails, facts: Facts, wish: Ordered): RailRefusal | null {
  const { market } = wish.leg;
  if (facts.halt !== null) return refusal(facts.halt.rail, facts.halt);
  const reference = facts.referenceOf(market);
  if (reference === null) return priceless(market);
  const account = facts.accountOf(market);
  if (account === null) return { kind: "unproven", missing: `the account's position in ${market}` };
  const increase = increaseOf(rails, { facts, wish, reference, account });
  return (
    distanceFault(rails, facts, wish) ??
    settingFault(rails, facts, market) ??
    orderSizeFault(rails, increase) ??
    oppositeFault(rails, increase) ??
    (rails.touches === "all" ? null : displacedFault(rails, facts, wish)) ??
    positionFault(rails, increase) ??
    exposureFault(rails, increase) ??
    turnoverFault(rails, increase) ??
    lossFault(rails, facts) ??
    countFault(rails, increase)
  );
}

function increaseOf({ bot, touches }: Rails, { facts, wish, reference, account }: PricedWish): Increase {
  const { market } = wish.leg;
  const net = netRange(facts.ownOf(market), account, facts.unprovenOf(market));
  const own = ownBooks(bot, facts.legs);
  const worst = worstOf(net, own, { market, account, touches });
  return { facts, wish, reference, account, touches, own, net, worst, price: priceOf(wish, reference) };
}

function orderSizeFault({ maxOrder }: Rails, { wish, reference, price }: Increase): RailRefusal | null {
  const { remaining } = wish.leg;
  if (maxOrder === null || compareProduct(remaining, price, maxOrder) <= 0) return null;
  const use = multiply(remaining, price);
  return usdRefusal("maxOrder", { limit: maxOrder, use, wish, reference, others: ZERO });
}

/** `account`: its position in the market of the wish. */
type PricedWish = { facts: Facts; wish: Ordered; reference: Reference; account: Decimal };
type Increase = PricedWish &
  Pick<Rails, "touches"> & {
    own: OwnBooks;
    /** In the market of the wish. */
    net: NetRange;
    /** The worst position that can come of it there. */
    worst: Decimal;
    /** What a unit of the wish is valued at. */
    price: Decimal;
  };

/**
 * The exchange nets: a stop of a bot that is long means nothing while the account is short. Where the bot's own net is not
 * certain, that of the others is not either, and only what is certain is held against it. What others have on its way, or lost, counts
 * as filled: of two that ask in one moment the second is refused. What others were just filled the position may show or not, and what
 * the bot itself was: its net has that already, so in a position of before it others seem to hold as much on the other side. Where only that
 * opposes, a position of after it has to tell.
 */
function oppositeFault({ bot }: Rails, increase: Increase): RailRefusal | null {
  const { facts, wish, own, net } = increase;
  const { leg, sizeDecimals } = wish;
  const { markets } = own;
  const { side, market, remaining } = leg;
  const onTheirWay = onTheirWayAgainst(bot, increase);
  const { buys: justBought, sells: justSold } = facts.justFilledOf(market);
  if (!isOpposed(increase, add(onTheirWay, side === "buy" ? justSold : justBought))) return null;
  const { buys, sells } = markets.get(market) ?? NOTHING_OUT;
  const reducing = sum(own.legs.filter((each) => reducesNow(each, increase)).map((each) => each.remaining));
  const after = add(reducing, side === "buy" ? add(net.high, buys) : negate(subtract(net.low, sells)));
  if (!isAbove(after, ZERO)) return null;
  if (!isOpposed(increase, onTheirWay)) return unread(market);
  const toFlat = truncate(subtract(remaining, after), sizeDecimals);
  const resting = side === "buy" ? sells : buys;
  return refusal("opposite_position", {
    limit: limitOf(increase, resting),
    use: `${side} beyond flat`,
    largest: isAbove(toFlat, ZERO) ? toFlat : null,
  });
}

/** What is held is told as held: what the bot's own resting orders may have filled unheard is not, nor what others have on its way. */
function limitOf(increase: Increase, resting: Decimal): string {
  const { market } = increase.wish.leg;
  if (isOpposed(increase, negate(resting))) return `others hold the other side of ${market}`;
  return isOpposed(increase, ZERO)
    ? `others hold the other side of ${market}, or orders of this bot were filled and it is not shown yet`
    : `others may come to hold the other side of ${market} by an order of theirs that is not settled yet`;
}

/** Whether others hold the other side, the position having moved there by so much since it was told. */
function isOpposed({ account, net, wish: { leg } }: Increase, moved: Decimal): boolean {
  return leg.side === "buy"
    ? compare(subtract(account, moved), net.low) < 0
    : compare(add(account, moved), net.high) > 0;
}

/** What only reduces on the same side and waits for no trigger closes the bot's own first, and what comes after it another's. */
function reducesNow(each: OpenLeg, { reference, wish: { leg } }: Increase): boolean {
  if (!each.canOnlyReduce || each.market !== leg.market || each.side !== leg.side) return false;
  return each.triggerPrice === null || (each.isInFlight && isTakenAtOnce(each, reference));
}

/** By so much others are about to move the position to the other side. What rests, or waits, is not held before it is filled. */
function onTheirWayAgainst(bot: string, { facts, reference, wish: { leg } }: Increase): Decimal {
  const against = facts.legs.filter((each) => {
    if (each.bot === bot || each.market !== leg.market || each.side === leg.side || each.canOnlyReduce) return false;
    return each.isUnheard || (each.isInFlight && isTakenAtOnce(each, reference));
  });
  return sum(against.map((each) => each.remaining));
}

function positionFault({ maxPosition: limit }: Rails, increase: Increase): RailRefusal | null {
  if (limit === null) return null;
  const { wish, reference, price, worst } = increase;
  if (compareProduct(worst, price, limit) <= 0) return null;
  const use = multiply(worst, price);
  const others = multiply(worstOnSide(increase), price);
  return usdRefusal("maxPosition", { limit, use, wish, reference, others });
}

function exposureFault({ maxExposure: limit }: Rails, increase: Increase): RailRefusal | null {
  if (limit === null) return null;
  const { facts, wish, reference, own, worst, price } = increase;
  let elsewhere = ZERO;
  for (const each of otherMarkets(increase)) {
    const worstThere = worstIn(increase, facts, own, each);
    if (worstThere === ZERO) continue;
    const high = facts.referenceOf(each)?.high ?? null;
    if (high === null) return priceless(each);
    elsewhere = add(elsewhere, multiply(worstThere, high));
  }
  if (compareExact(plus(exact(elsewhere), times(exact(worst), exact(price))), exact(limit)) <= 0) return null;
  const use = add(elsewhere, multiply(worst, price));
  const others = add(elsewhere, multiply(worstOnSide(increase), price));
  return usdRefusal("maxExposure", { limit, use, wish, reference, others });
}

/** In which the bot holds something or has something out, but for that of the wish. */
function otherMarkets({ facts, own, wish: { leg } }: Increase): Iterable<string> {
  const isOther = (market: string) => market !== leg.market;
  const held = facts.held.filter(isOther);
  const isAllThere = own.markets.size === 1 && own.markets.has(leg.market);
  return isAllThere ? held : new Set([...held, ...[...own.markets.keys()].filter(isOther)]);
}

function turnoverFault({ maxTurnoverPerDay: limit }: Rails, increase: Increase): RailRefusal | null {
  if (limit === null || isTurnoverBelow(limit, increase)) return null;
  const { facts, wish, reference, own } = increase;
  const notionals = [facts.turnover];
  for (const leg of own.legs.filter(({ canOnlyReduce }) => !canOnlyReduce)) {
    const notional = notionalAt(leg, facts.referenceOf(leg.market));
    if (notional === null) return priceless(leg.market);
    notionals.push(notional);
  }
  const use = sum(notionals);
  if (!isAbove(use, limit)) return null;
  const others = subtract(use, notionalOf(wish.leg, reference));
  return usdRefusal("maxTurnoverPerDay", { limit, use, wish, reference, others });
}

/** Whether all that is out of each market, at the highest price in it, is within the limit: then the sum over orders is. */
function isTurnoverBelow(limit: Decimal, { facts, own }: Increase): boolean {
  let most = exact(facts.turnover);
  for (const [market, { buys, sells, highest }] of own.markets) {
    if (buys === ZERO && sells === ZERO) continue;
    const reference = facts.referenceOf(market);
    if (reference === null || highest === null) return false;
    most = plus(most, times(plus(exact(buys), exact(sells)), exact(larger(highest, reference.high))));
  }
  return compareExact(most, exact(limit)) <= 0;
}

/** Nothing is reserved for what a new order may come to lose: that is what its distance and the trip are for. */
function lossFault({ maxLossPerDay: limit }: Rails, facts: Facts): RailRefusal | null {
  if (limit === null) return null;
  const use = facts.lossToday();
  if (use === null) return { kind: "unproven", missing: "a price of each market in which the bot holds something" };
  return compare(use, limit) < 0 ? null : refusal("maxLossPerDay", { limit: `${limit} USD`, use: `${use} USD lost` });
}

function countFault({ maxActionsPerDay, maxOpenOrders }: Rails, { facts, own }: Increase): RailRefusal | null {
  if (maxActionsPerDay !== null && facts.actions > maxActionsPerDay)
    return refusal("maxActionsPerDay", { limit: String(maxActionsPerDay), use: String(facts.actions) });
  if (maxOpenOrders === null || own.legs.length <= maxOpenOrders) return null;
  const open = new Set(own.legs.map(({ orderId }) => orderId)).size;
  if (open > maxOpenOrders) return refusal("maxOpenOrders", { limit: String(maxOpenOrders), use: String(open) });
  return null;
}

/** The worst position on the side of the wish, without the wish itself: what is left of the limit is for the wish. */
function worstOnSide({ own, net, wish: { leg } }: Increase): Decimal {
  const { buys, sells } = own.markets.get(leg.market) ?? NOTHING_OUT;
  const others = subtract(leg.side === "buy" ? buys : sells, leg.remaining);
  return leg.side === "buy" ? add(larger(net.high, ZERO), others) : subtract(others, smaller(net.low, ZERO));
}
