/** Rails made tighter: of two limits the tighter holds, and nothing that is named here can loosen any. */
import { type Decimal, smaller } from "../decimal.ts";
import { dexOf } from "../market.ts";
import { isPartOf } from "./networks.ts";
import type { Rails, RailVerb } from "./rails.ts";

/** What a narrowing names; a rail that it leaves out stays as it is. */
export type Narrowing = Partial<Omit<Rails, "bot">>;

/** What holds of both. A list that has nothing in common is empty: then nothing passes by it. */
export function narrowed(rails: Rails, by: Narrowing): Rails {
  return {
    bot: rails.bot,
    may: both(rails.may, by.may),
    markets: commonOf(rails.markets, by.markets, isInMarket),
    touches: by.touches === "own" ? "own" : rails.touches,
    sources: commonOf(rails.sources, by.sources, isPartOf),
    maxOrder: least(rails.maxOrder, by.maxOrder),
    maxPosition: least(rails.maxPosition, by.maxPosition),
    maxExposure: least(rails.maxExposure, by.maxExposure),
    maxTurnoverPerDay: least(rails.maxTurnoverPerDay, by.maxTurnoverPerDay),
    maxLossPerDay: least(rails.maxLossPerDay, by.maxLossPerDay),
    maxActionsPerDay: fewest(rails.maxActionsPerDay, by.maxActionsPerDay),
    maxDistance: least(rails.maxDistance, by.maxDistance),
    maxStopDistance: least(rails.maxStopDistance, by.maxStopDistance),
    maxLeverage: fewest(rails.maxLeverage, by.maxLeverage),
    maxOpenOrders: fewest(rails.maxOpenOrders, by.maxOpenOrders),
  };
}

function both(may: readonly RailVerb[], by: readonly RailVerb[] | undefined): readonly RailVerb[] {
  return by === undefined ? may : may.filter((verb) => by.includes(verb));
}

function least(a: Decimal | null, b: Decimal | null | undefined): Decimal | null {
  return a === null || b == null ? (a ?? b ?? null) : smaller(a, b);
}

function fewest(a: number | null, b: number | null | undefined): number | null {
  return a === null || b == null ? (a ?? b ?? null) : Math.min(a, b);
}

type NameList = readonly string[] | null;

/** Of each list what is within the other. */
function commonOf(a: NameList, b: NameList | undefined, isWithin: (inner: string, outer: string) => boolean): NameList {
  if (a === null || b == null) return a ?? b ?? null;
  const within = (inner: readonly string[], outer: readonly string[]) =>
    inner.filter((each) => outer.some((other) => isWithin(each, other)));
  return [...new Set([...within(a, b), ...within(b, a)])].sort();
}

/** `xyz:*` is all of a dex. */
function isInMarket(inner: string, outer: string): boolean {
  return inner === outer || (dexOf(inner) !== "" && outer === `${dexOf(inner)}:*`);
}

/** Whether a market is among those that are named; null names all. */
export function isNamed(market: string, markets: NameList): boolean {
  return markets === null || markets.some((each) => isInMarket(market, each));
}
