/**
 * The number of a market is its place in a list that moves. A write waits between its plan and its intent (for its
 * turn, for prices); where the list has moved meanwhile, or something has contradicted it, the write is planned again.
 */
import type { With } from "../deps.ts";
import { PlanOvertaken } from "./overtaken.ts";
import type { ListedMarket, Plan, Write } from "./verb.ts";

/**
 * The markets of a plan, with the numbers by which it was made. Empty for a cancel: that goes by the list of the moment
 * at which it is stored.
 */
export function listedFor({ markets }: With<"markets">, { isCancel }: Write, plan: Plan): readonly ListedMarket[] {
  const { market, alsoMarkets = [] } = plan;
  if (market === null || isCancel) return [];
  return [...new Set([market, ...alsoMarkets])].map((name) => ({
    name,
    assetId: markets.current()?.byName.get(name)?.assetId ?? null,
    doubt: markets.doubtOf(name),
  }));
}

/** Inside the intent's transaction: throws `PlanOvertaken` where the list is not the one by which the write was planned. */
export function requireSameList({ markets }: With<"markets">, planned: readonly ListedMarket[]): void {
  for (const { name, assetId, doubt } of planned) {
    const now = markets.current()?.byName.get(name)?.assetId ?? null;
    if (now !== assetId || (doubt === null && markets.doubtOf(name) !== null))
      throw new PlanOvertaken(`The exchange's list of markets has changed at \`${name}\`.`);
  }
}
