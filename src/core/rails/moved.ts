/** What the account's position may be by now, where it was told before fills that were told as well. */
import { add, compare, type Decimal, isZero, subtract, ZERO } from "../decimal.ts";
import type { Facts, Wish } from "./wish.ts";

/**
 * The facts as they may be by now, in the market of the wish: a position of before what was filled may lack all that was sold, all that
 * was bought, or leave just what is the bot's own. Null where nothing was filled since it was as it is told, or where it is not known.
 */
export function sinceMoved(facts: Facts, wish: Wish): { market: string; facts: Facts[] } | null {
  const market = marketOf(wish);
  const told = market === null ? null : facts.accountOf(market);
  if (market === null || told === null) return null;
  const { buys, sells } = facts.movedOf(market);
  if (isZero(buys) && isZero(sells)) return null;
  const [low, high, own] = [subtract(told, sells), add(told, buys), facts.ownOf(market)];
  const mayBe = [low, high, ...(isWithin(own, low, high) ? [own] : [])];
  return { market, facts: mayBe.map((position) => withPosition(facts, market, position)) };
}

function marketOf(wish: Wish): string | null {
  switch (wish.kind) {
    case "order":
      return wish.leg.market;
    case "leverage":
    case "margin":
      return wish.market;
    case "cancel":
      return null;
  }
}

function isWithin(value: Decimal, low: Decimal, high: Decimal): boolean {
  return compare(value, low) >= 0 && compare(value, high) <= 0;
}

/** By a position that shows what was filled, nothing is in question any more. */
function withPosition(facts: Facts, market: string, position: Decimal): Facts {
  return {
    ...facts,
    accountOf: (each) => (each === market ? position : facts.accountOf(each)),
    justFilledOf: () => ({ buys: ZERO, sells: ZERO }),
  };
}
