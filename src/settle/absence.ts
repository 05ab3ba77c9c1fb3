import { type Attempt, isProvenAbsent, NEGATIVE_SPACING_MS, negativesNeeded } from "../core/attempt.ts";
import { updateAttempt } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import { awaitsTakeUp } from "../store/restores.ts";
import { note } from "./note.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { openAttempt } from "./record.ts";
import { burnNonce, isNoopDue, sealIfExpired, shownAfterMs } from "./seal.ts";

/** A look that did not show what was looked for. */
export type Missed = {
  pursuit: Pursuit;
  /** The exchange's own time just before the look; null when none was to be had: then it counts for nothing. */
  chainTimeMs: number | null;
  isSweep: boolean;
  /** False when the exchange's history does not reach back to the send. */
  isCovered: boolean;
};

/**
 * What a "not found" is worth: nothing until the action is sealed, and then one of several. Calls `conclude` inside
 * a transaction, and returns true, when absence is proven.
 */
export async function weighAbsence(
  tools: Tools,
  attempt: Attempt,
  missed: Missed,
  conclude: (isCovered: boolean) => void,
): Promise<boolean> {
  const { world } = tools;
  const { pursuit, chainTimeMs } = missed;
  // Its key may have been given back, and have placed another order, after the snapshot.
  if (awaitsTakeUp(world.store, attempt.accountId)) return false;
  const sealed = chainTimeMs === null ? attempt : sealIfExpired(world, attempt, chainTimeMs);
  if (sealed.seal === null) {
    await burnWhenDue(tools, sealed, pursuit);
    return false;
  }
  if (!counts(tools, sealed, missed)) return false;
  pursuit.lastNegativeElapsedMs = world.clock.elapsedMs();
  return countNegative(tools, sealed, missed, conclude);
}

async function burnWhenDue(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<void> {
  const { world } = tools;
  if (!isNoopDue(pursuit.lastNoopElapsedMs, world.clock.elapsedMs())) return;
  pursuit.lastNoopElapsedMs = world.clock.elapsedMs();
  const burnt = await burnNonce(world, attempt);
  if (burnt.seal !== null) pursuit.sealedAtMs = world.exchange.nowMs();
}

/** A look counts when the exchange's own time had passed the seal before it, and it is not the same look again. */
function counts(tools: Tools, attempt: Attempt, { pursuit, chainTimeMs }: Missed): boolean {
  if (chainTimeMs === null || chainTimeMs <= shownAfterMs(attempt, pursuit)) return false;
  const last = pursuit.lastNegativeElapsedMs;
  return last === null || tools.world.clock.elapsedMs() - last >= NEGATIVE_SPACING_MS;
}

async function countNegative(
  tools: Tools,
  attempt: Attempt,
  missed: Missed,
  conclude: (isCovered: boolean) => void,
): Promise<boolean> {
  const { world } = tools;
  const counted = { ...attempt, negatives: attempt.negatives + 1 };
  // The last one is a sweep by plan; should it not have been, one more look makes it so.
  const isProven = isProvenAbsent(counted) && missed.isSweep;
  if (isProven) await world.point("settle_before_conclude");
  if (openAttempt(world.store, attempt.id) === null) return false;
  inTransaction(world.store, () => {
    updateAttempt(world.store, attempt.id, { negatives: counted.negatives });
    note(
      world,
      attempt,
      "looked, not found",
      `${counted.negatives} of ${negativesNeeded(counted)} after the seal (${counted.seal}), exchange time ${missed.chainTimeMs}`,
    );
    if (!isProven) return;
    conclude(missed.isCovered);
    note(world, attempt, "concluded", missed.isCovered ? "never executed" : "no record that old");
  });
  return isProven;
}
