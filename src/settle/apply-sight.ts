import { isClosed, type Leg } from "../core/order.ts";
import type { World } from "../deps.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import type { Sight } from "./look.ts";
import { finishOrderAttempt, recordLegEvent } from "./record.ts";

/**
 * Writes down what a look showed of a leg. Seeing it is also the answer to the placing that was still open. The
 * exchange can be asked again, so nobody waits for the disk.
 */
export function applySight(world: World, leg: Leg, sight: Sight): void {
  if (sight.kind !== "seen" && sight.kind !== "unfinished") return;
  const nowMs = world.clock.nowMs();
  inTransactionNotWaiting(world.store, () => {
    for (const event of sight.events) recordLegEvent(world.store, leg.cloid, event, nowMs);
    if (sight.kind !== "seen") return;
    for (const attempt of listAttemptsOf(world.store, leg.orderId)) {
      if (attempt.state === "done" || attempt.kind !== "place" || attempt.cloid !== leg.cloid) continue;
      finishOrderAttempt(world.store, attempt, { nowMs });
    }
  });
}

/** The leg that still has news: the newest that is not closed, else the newest. */
export function liveLeg(legs: readonly Leg[]): Leg | null {
  return legs.findLast((leg) => !isClosed(leg)) ?? legs.at(-1) ?? null;
}
