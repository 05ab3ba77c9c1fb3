import type { HeardFill, Shown } from "../core/testimony.ts";
import type { Fill } from "../wire/answer/fills.ts";

/** Fills of one account as an answer of the exchange had them, oldest first. */
export type AnsweredFills = readonly Fill[];

/** A fill as feeds and reads are compared by it. */
export function toldFill({ coin, tid, oid, side, size, startPosition, timeMs }: Fill): HeardFill {
  return { id: `${timeMs}-${coin}-${tid}-${oid}`, oid, market: coin, side, size, startPosition, timeMs };
}

/** Dust conversions have no trade, and the slices of a TWAP a channel of their own: nobody owes them. */
export function shownFills(fills: readonly Fill[]): Shown[] {
  return fills
    .filter(({ tid, twapId }) => tid !== "0" && twapId === null)
    .map((fill) => ({ kind: "fill", ...toldFill(fill) }));
}
