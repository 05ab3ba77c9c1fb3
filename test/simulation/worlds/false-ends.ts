/** Records that tell an end of an order that lives, for a while: as of a server that mixes up two orders. No other store says so. */
import type { Chance } from "../chance.ts";
import { eachRecord, isOver, type Lens } from "./lens.ts";

export type FalseEnds = {
  /** Share of the orders whose record is wrong for a while. */
  rate: number;
  /** Share of the answers that are, in that while. */
  answerRate: number;
  /** From how long after its placing, at most, and for how long at most, milliseconds. */
  fromMs: number;
  forMs: number;
};

const WORDS = [
  "canceled",
  "marginCanceled",
  "selfTradeCanceled",
  "filled",
  "perpMarginRejected",
  "badAloPxRejected",
] as const;

export function drawFalseEnds(chance: Chance): FalseEnds {
  return {
    rate: chance.pick([0.5, 1]),
    answerRate: chance.pick([0.3, 1, 1]),
    // Most looks at an order that lives are of one whose answer was lost.
    fromMs: chance.pick([0, 0, 10_000]),
    forMs: chance.pick([1_000, 10_000, 60_000, 300_000]),
  };
}

type FalseEnd = { word: string; fromMs: number; toMs: number; isOfPlacing: boolean };

/** @param whenMs the exchange's time @param isPast the record tells the truth from then on */
export function falseEnds(drawn: FalseEnds, chance: Chance, whenMs: () => number, isPast: () => boolean): Lens {
  const ends = new Map<number, FalseEnd | null>();

  function endOf(oid: number, placedAtMs: number): FalseEnd | null {
    const known = ends.get(oid);
    if (known !== undefined) return known;
    const fromMs = placedAtMs + chance.between(0, drawn.fromMs);
    const end = {
      word: chance.pick(WORDS),
      fromMs,
      toMs: fromMs + chance.between(Math.floor(drawn.forMs / 2), drawn.forMs),
      isOfPlacing: chance.isLucky(0.3),
    };
    const own = chance.isLucky(drawn.rate) ? end : null;
    ends.set(oid, own);
    return own;
  }

  return eachRecord((row, { type }) => {
    if (type !== "orderStatus" || isOver(row) || isPast()) return row;
    const placedAtMs = Number(row.order["timestamp"]);
    const end = endOf(row.order.oid, placedAtMs);
    const nowMs = whenMs();
    if (end === null || nowMs < end.fromMs || nowMs > end.toMs || !chance.isLucky(drawn.answerRate)) return row;
    return { ...row, status: end.word, statusTimestamp: end.isOfPlacing ? placedAtMs : end.fromMs };
  });
}
