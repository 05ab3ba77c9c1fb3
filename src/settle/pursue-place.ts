import type { Attempt } from "../core/attempt.ts";
import type { LegEvent } from "../core/order.ts";
import { weighAbsence } from "./absence.ts";
import { applySight } from "./apply-sight.ts";
import { absentReason } from "./place.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { finishOrderAttempt, openAttempt, recordLegEvent } from "./record.ts";
import { lookForPlaced } from "./timed-look.ts";

/**
 * One step toward the truth about a placing whose answer was lost: look; seal; look again. Returns true when the
 * attempt is settled. "Not found" alone never settles anything.
 */
export async function stepPlace(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  await world.point("settle_before_look");
  const { leg } = tools.soughtOf(attempt);
  const looked = await lookForPlaced(tools, attempt);
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return true;
  applySight(world, leg, looked.sight);
  switch (looked.sight.kind) {
    case "seen":
      return true;
    case "unfinished":
    case "failed":
      return false;
    case "not_found":
      return weighAbsence(tools, now, { ...looked, pursuit }, (isCovered) => {
        const nowMs = world.clock.nowMs();
        recordLegEvent(world.store, leg.cloid, absenceEvent(now, isCovered), nowMs);
        finishOrderAttempt(world.store, now, { nowMs });
      });
  }
}

/** Proven absent, or, where the history does not reach back, gone without a record. */
export function absenceEvent(attempt: Attempt, isCovered: boolean): LegEvent {
  if (isCovered) return { type: "proven_absent", reason: absentReason(attempt.answerText) };
  return { type: "canceled", oid: null, reason: "The exchange keeps no record that old.", filled: null };
}
