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
import { interpretOrder, lookAtLeg, readStatus, type Sight, type Sought, statusRequest } from "./look.ts";
import { note } from "./note.ts";
import { absentReason } from "./place.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { finishOrderAttempt, openAttempt, recordLegEvent } from "./record.ts";
import { burnNonce, isNoopDue, sealIfExpired } from "./seal.ts";
import { findInSweep, readSweep, type Swept, sweepRequests } from "./sweep.ts";

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
  const looked = plan.isSweep
    ? await lookBySweep(tools, attempt, { sought, options })
    : await lookInTurn(tools, sought, options);
  const { sight, chainTimeMs } = looked;
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return true;
  applySight(world, sought.leg, sight);
  switch (sight.kind) {
    case "seen":
      return true;
    case "unfinished":
    case "failed":
      return false;
    case "not_found": {
      const sealed = chainTimeMs === null ? now : sealIfExpired(world, now, chainTimeMs);
      return onNotFound(tools, sealed, { ...looked, pursuit, isSweep: plan.isSweep });
    }
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

/** What one look showed, and the exchange's own time just before it; null when none was to be had. */
type Looked = { sight: Sight; chainTimeMs: number | null; isCovered: boolean };

async function lookInTurn(tools: Tools, sought: Sought, options: InfoOptions): Promise<Looked> {
  const { world, evidence } = tools;
  const timed = await tools.chainTime.readWith(sought.user, [statusRequest(sought)], options);
  if (timed !== null) {
    const sight = await readStatus(world, evidence, sought, { json: timed.json[0], options });
    return { sight, chainTimeMs: timed.chainTimeMs, isCovered: true };
  }
  // Without a time a "not found" counts for nothing, but the order may be seen all the same.
  return { sight: await lookAtLeg(world, evidence, sought, options), chainTimeMs: null, isCovered: true };
}

async function lookBySweep(
  tools: Tools,
  attempt: Attempt,
  how: { sought: Sought; options: InfoOptions },
): Promise<Looked> {
  const { world } = tools;
  const { sought, options } = how;
  const { user } = sought;
  const sentAtMs = attempt.nonce;
  const timed = await tools.chainTime.readWith(user, sweepRequests(world, user), options);
  const sweep = timed === null ? null : await readSweep(world, { user, sinceMs: sentAtMs, json: timed.json }, options);
  const chainTimeMs = timed === null ? null : timed.chainTimeMs;
  if (sweep === null) {
    return { sight: { kind: "failed", reason: "the sweep could not be read" }, chainTimeMs, isCovered: false };
  }
  const swept = findInSweep(sweep, sought.leg.cloid, sentAtMs);
  const isCovered = swept.kind !== "not_found" || swept.isCovered;
  return { sight: await readSwept(tools, sought, { swept, options }), chainTimeMs, isCovered };
}

async function readSwept(
  tools: Tools,
  sought: Sought,
  { swept, options }: { swept: Swept; options: InfoOptions },
): Promise<Sight> {
  const { world, evidence } = tools;
  switch (swept.kind) {
    case "open":
      return interpretOrder(world, evidence, sought, {
        order: swept.order,
        status: "open",
        statusTimestampMs: 0,
        options,
      });
    case "past":
      return interpretOrder(world, evidence, sought, { ...swept, options });
    case "fills_only":
      return fillsOnly(sought, swept);
    case "not_found":
      return { kind: "not_found" };
  }
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
