import type { Flatten } from "../../core/flatten.ts";
import { isStanding, type Stop } from "../../core/stop.ts";
import type { With } from "../../deps.ts";
import { botOf } from "../../store/bots.ts";
import { findFlatten, tellFlatten } from "../../store/flattens.ts";
import type { Store } from "../../store/open.ts";

/** In a sentence; null where it can be. */
export function whyNotFlat(store: Store, stop: Stop): string | null {
  if (!isStanding(stop)) return "Only a stop that stands can be flattened.";
  if (stop.scope === "account" || botOf(store, stop.keyHash) !== null) return null;
  return "What a plain key holds by itself is not known: stop the account and flatten that, or close the position with reduce_only orders.";
}

export type WantedFlatten = {
  stop: Stop;
  /** Key hash or `operator`. */
  actor: string;
  askedBy: string | null;
  maxSlippageBps: number;
};

/** Inside the caller's transaction. One that goes on stays as it was asked for, but for the price, of which the newest word holds. */
export function beginFlatten(
  store: Store,
  { clock }: With<"clock">,
  { stop, actor, askedBy, maxSlippageBps }: WantedFlatten,
): Flatten {
  const atMs = clock.nowMs();
  const before = findFlatten(store, stop.id);
  const isRunning = before !== null && before.endedAtMs === null;
  if (isRunning && before.maxSlippageBps === maxSlippageBps) return before;
  const flatten: Flatten = {
    stopId: stop.id,
    accountId: stop.accountId,
    maxSlippageBps,
    steps: before?.steps ?? 0,
    askedAtMs: isRunning ? before.askedAtMs : atMs,
    askedBy,
    endedAtMs: null,
    left: [],
  };
  tellFlatten(store, flatten, { event: "flatten_asked", actor, atMs });
  return flatten;
}
