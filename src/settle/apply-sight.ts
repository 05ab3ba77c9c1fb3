import { isClosed, type Leg } from "../core/order.ts";
import type { World } from "../deps.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import type { Sight } from "./look.ts";
import { finishOrderAttempt, recordLegEvent } from "./record.ts";

/**
 * Writes down what a look showed of a leg. Seeing it is also the answer to the placing that was still open. It waits for
 * the disk: what has been told must not be unknown again because another node is asked after a power cut.
 */
export function applySight(world: World, leg: Leg, sight: Sight): void {
  if (sight.kind !== "seen" && sight.kind !== "unfinished") return;
  const nowMs = world.clock.nowMs();
  inTransaction(world.store, () => {
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
