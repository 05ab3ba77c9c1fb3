/** Records with a wrong rest: `sz` of a closed order is what was asked for, whatever was filled of it. */
import type { Chance } from "../chance.ts";
import { eachRecord, isOver, type Lens } from "./lens.ts";

export type Rests = {
  /** Share of the orders whose record is wrong. */
  rate: number;
};

export function drawRests(chance: Chance): Rests {
  return { rate: chance.pick([0.3, 1]) };
}

/** A record is wrong for good: what was shown once is shown again. */
export function wrongRests({ rate }: Rests, chance: Chance): Lens {
  const wrong = new Map<number, boolean>();
  return eachRecord((row) => {
    if (!isOver(row) || row.status.endsWith("Rejected")) return row;
    const { oid, origSz } = row.order;
    const isWrong = wrong.get(oid) ?? chance.isLucky(rate);
    wrong.set(oid, isWrong);
    return isWrong ? { ...row, order: { ...row.order, sz: origSz } } : row;
  });
}
