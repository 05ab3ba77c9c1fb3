/** What follows from fills: reduce-only orders are trimmed, triggers fire, accounts below maintenance are liquidated. */
import { liquidateIfNeeded } from "./liquidation.ts";
import { trimReduceOnly } from "./reduce-only.ts";
import { fireTriggers } from "./triggers.ts";
import type { Turn } from "./turn.ts";

/** Far above what a finite set of orders can need: each round ends orders or changes a position. */
const MAX_ROUNDS = 100_000;

/** Runs until nothing follows any more. */
export function settleTurn(turn: Turn): void {
  for (let round = 0; turn.changed.size > 0 || turn.armed.size > 0; round += 1) {
    if (round === MAX_ROUNDS) throw new Error("bug: the venue does not come to rest");
    const changed = [...turn.changed.values()];
    turn.changed.clear();
    for (const { user, asset } of changed) trimReduceOnly(turn, user, asset);
    const armed = [...turn.armed];
    turn.armed.clear();
    for (const asset of armed) fireTriggers(turn, asset);
    for (const { user, asset } of changed) liquidateIfNeeded(turn, user, asset);
  }
}
