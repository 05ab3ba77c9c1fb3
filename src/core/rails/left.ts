/** What a bot has used of its rails and what is left, counted as the judge counts: whoever is told what is left may ask for it. */
import { add, type Decimal, larger, multiply, subtract, sum, ZERO } from "../decimal.ts";
import { notionalAt, unitPriceOf } from "./exposure.ts";
import { ownBooks } from "./own-books.ts";
import type { Rails } from "./rails.ts";
import type { Facts } from "./wish.ts";
import { worstIn } from "./worst.ts";

/** Of what the judge is told, what is about the bot's books. */
export type Books = Pick<
  Facts,
  "accountOf" | "actions" | "held" | "legs" | "lossToday" | "ownOf" | "referenceOf" | "turnover" | "unprovenOf"
>;

type UsedInMarket = {
  market: string;
  /** The largest position that may come of it. */
  size: Decimal;
  /** USD by which a further order is judged: at the higher of mark and oracle. Null where no price is known. */
  judged: Decimal | null;
  /** USD at the highest price that any of it may be filled at. */
  most: Decimal | null;
};

/** Each in USD, or a count. Null where it takes a price that is not known. */
export type Used = {
  traded: Decimal;
  /** Of what may still execute and increase. */
  turnoverOpen: Decimal | null;
  turnover: Decimal | null;
  /** Of each order that may still execute and increase. */
  orderValues: readonly (Decimal | null)[];
  actions: number;
  openOrders: number;
  exposure: Decimal | null;
  loss: Decimal | null;
  /** Of each market in which the bot holds something or has something out. */
  positions: readonly UsedInMarket[];
};

export function usedOf(rails: Pick<Rails, "bot" | "touches">, books: Books): Used {
  const own = ownBooks(rails.bot, books.legs);
  const increasing = own.legs.filter(({ canOnlyReduce }) => !canOnlyReduce);
  const orderValues = increasing.map((leg) => notionalAt(leg, books.referenceOf(leg.market)));
  const turnoverOpen = sumOfKnown(orderValues);
  const positions = [...new Set([...books.held, ...own.markets.keys()])].sort().map((market): UsedInMarket => {
    const size = worstIn(rails, books, own, market);
    const reference = books.referenceOf(market);
    if (reference === null) return { market, size, judged: null, most: null };
    const out = increasing.filter((leg) => leg.market === market);
    const highest = out.map((leg) => unitPriceOf(leg, reference)).reduce(larger, reference.high);
    return { market, size, judged: multiply(size, reference.high), most: multiply(size, highest) };
  });
  return {
    traded: books.turnover,
    turnoverOpen,
    turnover: turnoverOpen === null ? null : add(books.turnover, turnoverOpen),
    orderValues,
    actions: books.actions,
    openOrders: new Set(own.legs.map(({ orderId }) => orderId)).size,
    // Where nothing is held and nothing may come of what is out no price is asked for.
    exposure: sumOfKnown(positions.map(({ size, judged }) => (size === ZERO ? ZERO : judged))),
    loss: books.lossToday(),
    positions,
  };
}

/** Null: not limited, or not known for want of a price. */
type RailsLeft = {
  turnover: Decimal | null;
  loss: Decimal | null;
  exposure: Decimal | null;
  actions: number | null;
  openOrders: number | null;
  positions: readonly { market: string; usd: Decimal | null }[];
};

/** Of what increases, whichever side it is on and no dearer than the market is now. */
export function leftOf(rails: Rails, used: Used): RailsLeft {
  const { turnover, loss, exposure, actions, openOrders, positions } = used;
  return {
    turnover: usdLeft(rails.maxTurnoverPerDay, turnover),
    loss: usdLeft(rails.maxLossPerDay, loss),
    exposure: usdLeft(rails.maxExposure, exposure),
    actions: countLeft(rails.maxActionsPerDay, actions),
    openOrders: countLeft(rails.maxOpenOrders, openOrders),
    positions: positions.map(({ market, judged }) => ({ market, usd: usdLeft(rails.maxPosition, judged) })),
  };
}

function usdLeft(limit: Decimal | null, use: Decimal | null): Decimal | null {
  return limit === null || use === null ? null : larger(subtract(limit, use), ZERO);
}

function countLeft(limit: number | null, use: number): number | null {
  return limit === null ? null : Math.max(0, limit - use);
}

function sumOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? sum(known) : null;
}
