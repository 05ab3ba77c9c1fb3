/**
 * The number of a market is its place in a list that moves. A write waits between its plan and its intent (for its
 * turn, for prices); where the list has moved meanwhile, or something has contradicted it, the write is planned again.
 */
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
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

/** Inside the intent's transaction: throws `ListMoved` where the list is not the one by which the write was planned. */
export function requireSameList({ markets }: With<"markets">, planned: readonly ListedMarket[]): void {
  for (const { name, assetId, doubt } of planned) {
    const now = markets.current()?.byName.get(name)?.assetId ?? null;
    if (now !== assetId || (doubt === null && markets.doubtOf(name) !== null)) throw new ListMoved(name);
  }
}

/** The list of markets has moved since the plan: nothing is stored, and the write is planned again by the new one. */
export class ListMoved extends ApiError {
  constructor(name: string) {
    super("exchange_unreachable", `The exchange's list of markets has changed at \`${name}\`. Nothing was sent.`, 1);
  }
}
