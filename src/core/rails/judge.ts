/**
 * Whether a limited key may do what it asks. Judged is what would be if it were done: its own leg is among those that are
 * open already, so that no order of checks and no second request can come between.
 */
import { add, compare, type Decimal, multiply, negate, subtract, sum, ZERO } from "../decimal.ts";
import { distanceFault } from "./distance.ts";
import { isAbove, netRange, notionalAt, notionalOf, type Reference, remainingOf, worstPosition } from "./exposure.ts";
import { marketFault, quoteFault, verbFault } from "./may.ts";
import type { Rails } from "./rails.ts";
import { displacedFault, reductionFault } from "./reductions.ts";
import { leverageFault, marginFault, settingFault } from "./settings.ts";
import { priceless, priceOf, type Refused, refusal, usdRefusal, type Verdict } from "./verdict.ts";
import { type Facts, legsOf, type Ordered, ownIn, type Wish } from "./wish.ts";

export function judge(rails: Rails, facts: Facts, wish: Wish): Verdict {
  return faultOf(rails, facts, wish) ?? { kind: "allowed" };
}

function faultOf(rails: Rails, facts: Facts, wish: Wish): Refused | null {
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

function orderFault(rails: Rails, facts: Facts, wish: Ordered): Refused | null {
  const verb = wish.leg.reduceOnly ? "reduce" : "increase";
  return (
    (wish.isModify ? verbFault(rails, "modify") : null) ??
    (wish.leg.price === null ? verbFault(rails, "twap") : null) ??
    verbFault(rails, verb) ??
    (wish.isModify ? changedFault(rails, facts, wish) : null) ??
    marketFault(rails, wish.leg.market) ??
    quoteFault(rails, wish) ??
    (wish.leg.reduceOnly ? reductionFault(rails, facts, wish) : increaseFault(rails, facts, wish))
  );
}

function touchFault({ touches, bot }: Rails, { targetBot }: Facts): Refused | null {
  if (touches === "all" || targetBot === bot) return null;
  return refusal("touches", { limit: touches, use: "an order that another has placed" });
}

/** What increases stays with the bot that placed it, in whose books it stands. */
function changedFault(rails: Rails, facts: Facts, { leg }: Ordered): Refused | null {
  return touchFault(leg.reduceOnly ? rails : { ...rails, touches: "own" }, facts);
}

function increaseFault(rails: Rails, facts: Facts, wish: Ordered): Refused | null {
  const { market } = wish.leg;
  if (facts.halt !== null) return refusal(facts.halt.rail, facts.halt);
  const reference = facts.referenceOf(market);
  if (reference === null) return priceless(market);
  if (facts.accountOf(market) === null) return { kind: "unproven", missing: `the account's position in ${market}` };
  return (
    distanceFault(rails, facts, wish) ??
    settingFault(rails, facts, market) ??
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
    if (price === null) return priceless(each);
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
  const notionals = [facts.turnover];
  for (const leg of legsOf(rails, facts).filter(({ reduceOnly }) => !reduceOnly)) {
    const notional = notionalAt(leg, facts.referenceOf(leg.market));
    if (notional === null) return priceless(leg.market);
    notionals.push(notional);
  }
  const use = sum(notionals);
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
