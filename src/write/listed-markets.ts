/**
 * Numbers of markets are places in a list that moves. A write that waits between its plan and its intent, for its turn or for what
 * it is judged by, is planned again where the list has moved meanwhile, or something has contradicted it.
 */
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { Plan, Verb } from "./verb.ts";

export type ListedMarket = { name: string; assetId: number | null; doubt: string | null };

/** What a plan was made by. A cancel goes by the list of the moment at which it is stored. */
export function listedFor({ markets }: With<"markets">, { isCancel }: Verb, plan: Plan): readonly ListedMarket[] {
  const { market, alsoMarkets = [] } = plan;
  if (market === null || isCancel) return [];
  return [...new Set([market, ...alsoMarkets])].map((name) => ({
    name,
    assetId: markets.current()?.byName.get(name)?.assetId ?? null,
    doubt: markets.doubtOf(name),
  }));
}

/** Inside the intent's transaction. */
export function requireSameList({ markets }: With<"markets">, planned: readonly ListedMarket[]): void {
  for (const { name, assetId, doubt } of planned) {
    const now = markets.current()?.byName.get(name)?.assetId ?? null;
    if (now !== assetId || (doubt === null && markets.doubtOf(name) !== null)) throw new ListMoved(name);
  }
}

/** Nothing has been stored: what comes after it goes by the list as it is then. */
export class ListMoved extends ApiError {
  constructor(name: string) {
    super("exchange_unreachable", `The exchange's list of markets has changed at \`${name}\`. Nothing was sent.`, 1);
  }
}
