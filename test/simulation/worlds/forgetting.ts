/** Orders that the exchange forgets: no record by id, and a history that is cut short. */
import type { Chance } from "../chance.ts";
import { eachRecord, isOver, type Lens, type RecordRow } from "./lens.ts";

export type Forgetting = {
  /** Share of the orders of which no record is kept once they are over, milliseconds after their end. */
  rate: number;
  afterMs: number;
  /** Rows of the history; null = all. */
  historyRows: number | null;
};

export function drawForgetting(chance: Chance): Forgetting {
  return {
    rate: chance.pick([0.3, 1]),
    afterMs: chance.pick([0, 2_000, 20_000]),
    historyRows: chance.isLucky(0.5) ? chance.between(1, 12) : null,
  };
}

export function forgets({ rate, afterMs, historyRows }: Forgetting, chance: Chance, nowMs: () => number): Lens {
  const gone = new Map<number, boolean>();
  function isGone({ order: { oid } }: RecordRow): boolean {
    const known = gone.get(oid) ?? chance.isLucky(rate);
    gone.set(oid, known);
    return known;
  }
  const byId = eachRecord((row, { type }) => {
    if (type !== "orderStatus" || !isOver(row) || row.statusTimestamp + afterMs > nowMs()) return row;
    return isGone(row) ? null : row;
  });
  return (request, answer, node) => {
    const shown = byId(request, answer, node);
    return request.type === "historicalOrders" && historyRows !== null
      ? (shown as RecordRow[]).slice(0, historyRows)
      : shown;
  };
}
