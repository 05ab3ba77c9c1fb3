import {
  type Attempt,
  EXPIRY_MARGIN_MS,
  isProvenAbsent,
  NEGATIVE_SPACING_MS,
  negativesNeeded,
  nextLook,
} from "../core/attempt.ts";
import { compare } from "../core/decimal.ts";
import type { Filled, LegEvent } from "../core/order.ts";
import type { InfoOptions } from "../exchange/exchange.ts";
import { updateAttempt } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import { applySight } from "./apply-sight.ts";
import { interpretOrder, lookAtLeg, type Sight, type Sought } from "./look.ts";
import { note } from "./note.ts";
import { absentReason } from "./place.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { finishOrderAttempt, openAttempt, recordLegEvent } from "./record.ts";
import { burnNonce, isNoopDue, sealIfExpired } from "./seal.ts";
import { findInSweep, readSweep } from "./sweep.ts";

/**
 * One step toward the truth about a placing whose answer was lost: look; seal; look again. Returns true when the
 * attempt is settled. "Not found" alone never settles anything.
 */
export async function stepPlace(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  await world.point("settle_before_look");
  const sought = tools.soughtOf(attempt);
  const plan = nextLook(attempt);
  const options: InfoOptions = { purpose: "settle", onNewConnection: plan.onNewConnection };
  const chainTimeMs = await tools.chainTime.read(sought.user, options);
  const sealed = chainTimeMs === null ? attempt : sealIfExpired(world, attempt, chainTimeMs);
  const seen = plan.isSweep
    ? await lookBySweep(tools, sealed, { sought, options })
    : { sight: await lookAtLeg(world, tools.evidence, sought, options), isCovered: true };
  if (openAttempt(world.store, attempt.id) === null) return true;
  applySight(world, sought.leg, seen.sight);
  switch (seen.sight.kind) {
    case "seen":
      return true;
    case "unfinished":
    case "failed":
      return false;
    case "not_found":
      return onNotFound(tools, sealed, { pursuit, chainTimeMs, isSweep: plan.isSweep, isCovered: seen.isCovered });
  }
}

type Missed = { pursuit: Pursuit; chainTimeMs: number | null; isSweep: boolean; isCovered: boolean };

async function onNotFound(tools: Tools, attempt: Attempt, missed: Missed): Promise<boolean> {
  const { world } = tools;
  const { pursuit } = missed;
  if (attempt.seal === null) {
    if (!isNoopDue(pursuit.lastNoopElapsedMs, world.clock.elapsedMs())) return false;
    pursuit.lastNoopElapsedMs = world.clock.elapsedMs();
    const burnt = await burnNonce(world, attempt);
    if (burnt.seal !== null) pursuit.sealedAtMs = world.exchange.nowMs();
    return false;
  }
  if (!counts(tools, attempt, missed)) return false;
  pursuit.lastNegativeElapsedMs = world.clock.elapsedMs();
  return countNegative(tools, attempt, missed);
}

/** A look counts when the exchange's own time had passed the seal before it, and it is not the same look again. */
function counts(tools: Tools, attempt: Attempt, { pursuit, chainTimeMs }: Missed): boolean {
  if (chainTimeMs === null) return false;
  const expiredAtMs = attempt.expiresAtMs + EXPIRY_MARGIN_MS;
  const sealedAtMs = attempt.seal === "expiry" ? expiredAtMs : Math.min(pursuit.sealedAtMs ?? expiredAtMs, expiredAtMs);
  if (chainTimeMs <= sealedAtMs) return false;
  const last = pursuit.lastNegativeElapsedMs;
  return last === null || tools.world.clock.elapsedMs() - last >= NEGATIVE_SPACING_MS;
}

async function countNegative(tools: Tools, attempt: Attempt, missed: Missed): Promise<boolean> {
  const { world } = tools;
  const counted = { ...attempt, negatives: attempt.negatives + 1 };
  // The last one is a sweep by plan; should it not have been, one more look makes it so.
  const isProven = isProvenAbsent(counted) && missed.isSweep;
  if (isProven) await world.point("settle_before_conclude");
  if (openAttempt(world.store, attempt.id) === null) return true;
  inTransaction(world.store, () => {
    updateAttempt(world.store, attempt.id, { negatives: counted.negatives });
    note(
      world,
      attempt,
      "looked, not found",
      `${counted.negatives} of ${negativesNeeded(counted)} after the seal (${counted.seal}), exchange time ${missed.chainTimeMs}`,
    );
    if (isProven) concludeAbsent(tools, counted, missed.isCovered);
  });
  return isProven;
}

function concludeAbsent(tools: Tools, attempt: Attempt, isCovered: boolean): void {
  const { world } = tools;
  const nowMs = world.clock.nowMs();
  const { leg } = tools.soughtOf(attempt);
  const event: LegEvent = isCovered
    ? { type: "proven_absent", reason: absentReason(attempt.answerText) }
    : { type: "canceled", oid: null, reason: "The exchange keeps no record that old.", filled: null };
  recordLegEvent(world.store, leg.cloid, event, nowMs);
  note(world, attempt, "concluded", isCovered ? "never executed" : "no record that old");
  finishOrderAttempt(world.store, attempt, { nowMs });
}

async function lookBySweep(
  tools: Tools,
  attempt: Attempt,
  how: { sought: Sought; options: InfoOptions },
): Promise<{ sight: Sight; isCovered: boolean }> {
  const { sought, options } = how;
  const sentAtMs = attempt.nonce;
  const sweep = await readSweep(tools.world, { user: sought.user, sinceMs: sentAtMs }, options);
  if (sweep === null) return { sight: { kind: "failed", reason: "the sweep could not be read" }, isCovered: false };
  const swept = findInSweep(sweep, sought.leg.cloid, sentAtMs);
  switch (swept.kind) {
    case "open":
      return interpreted(tools, sought, { order: swept.order, status: "open", statusTimestampMs: 0, options });
    case "past":
      return interpreted(tools, sought, { ...swept, options });
    case "fills_only":
      return { sight: fillsOnly(sought, swept), isCovered: true };
    case "not_found":
      return { sight: { kind: "not_found" }, isCovered: swept.isCovered };
  }
}

async function interpreted(
  tools: Tools,
  sought: Sought,
  answered: Parameters<typeof interpretOrder>[3],
): Promise<{ sight: Sight; isCovered: boolean }> {
  return { sight: await interpretOrder(tools.world, tools.evidence, sought, answered), isCovered: true };
}

function fillsOnly(sought: Sought, found: { oid: string; filled: Filled }): Sight {
  const isWhole = compare(found.filled.size, sought.leg.size) >= 0;
  const event: LegEvent = isWhole
    ? { type: "filled", oid: found.oid, filled: found.filled }
    : {
        type: "canceled",
        oid: found.oid,
        reason: "Only its fills are left: the exchange keeps no record that old.",
        filled: found.filled,
      };
  return { kind: "seen", events: [event], isClosed: true };
}
