/**
 * A price-only modify is for what is left of the order. When the original was filled further while it was being replaced,
 * or its fills were shown late, what was placed is too much.
 */
import type { Attempt } from "../core/attempt.ts";
import { compare, type Decimal, decimal, subtract, ZERO } from "../core/decimal.ts";
import type { Leg } from "../core/order.ts";
import type { World } from "../deps.ts";
import { inTransaction } from "../store/commit.ts";
import { listLegs } from "../store/legs.ts";
import { recordLegEvent } from "./record.ts";

/** What the replacement of a modify has too much: `remainder` may still be asked for; `past` is filled already. */
export type Excess = { kind: "none" } | { kind: "live"; remainder: Decimal } | { kind: "past"; by: Decimal };

/** Counted over all legs before the replacement: an order may have been modified often. */
export function excessOf({ store }: Pick<World, "store">, attempt: Attempt, replacement: Leg): Excess {
  if (attempt.intendedTotal === null) return { kind: "none" };
  const left = listLegs(store, attempt.resource.id)
    .filter((leg) => leg.ordinal < replacement.ordinal)
    .reduce((sum, leg) => subtract(sum, leg.filledSize), decimal(attempt.intendedTotal));
  if (replacement.state === "resting" && compare(replacement.size, left) > 0)
    return { kind: "live", remainder: subtract(left, replacement.filledSize) };
  const by = subtract(replacement.filledSize, left);
  return compare(by, ZERO) > 0 && compare(replacement.filledSize, ZERO) > 0 ? { kind: "past", by } : { kind: "none" };
}

/** What has been filled beyond what was asked for, in words that stay with the order. */
export function tellPast(world: World, replacement: Leg, by: Decimal): void {
  const reason = `${by} more than asked for was filled: the order was filled further while it was being replaced.`;
  const nowMs = world.clock.nowMs();
  inTransaction(world.store, () => recordLegEvent(world.store, replacement.cloid, { type: "doubted", reason }, nowMs));
}
