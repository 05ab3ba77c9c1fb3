import type { Attempt } from "../../core/attempt.ts";
import { type Excess, reductionsOf } from "../../core/excess.ts";
import { hasCanceledOriginal } from "../../core/modify-evidence.ts";
import { isClosed, isWhollyFilled, type Leg } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { listLegs } from "../../store/legs.ts";
import { isCarriedOut } from "../cancel/cancel.ts";
import { weighAbsence } from "../evidence/absence.ts";
import { applySight } from "../look/apply-sight.ts";
import { lookAtLeg } from "../look/look.ts";
import { lookAtClosing } from "../look/look-beyond-record.ts";
import { lookForPlaced } from "../place/look-for-placed.ts";
import { absenceEvent } from "../place/pursue-place.ts";
import { type Pursuit, startPursuit, type Tools } from "../pursuit.ts";
import { openAttempt, recordLegEvent } from "../record/record.ts";
import { isAlwaysPlace } from "../send/intent.ts";
import { finishModify, isToBeCanceled, keepApart, legsOfModify } from "./modify.ts";
import { hadOwnEnd, isMoreThanRefusal, isOriginalsEndKnown, lookAtOriginal, type OriginalLook } from "./original.ts";
import { reduceReplacement } from "./reduce.ts";

/**
 * One step toward the truth about a modify: first what became of the replacement, by its own client order id, then
 * what became of the original, by its native id. Both have to be known.
 */
export async function stepModify(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  await world.point("settle_before_look");
  if (!(await isReplacementKnown(tools, attempt, pursuit))) return openAttempt(world.store, attempt.id) === null;
  const look = await lookAtOriginal(tools, attempt, pursuit);
  applySight(world, legsOfModify(world, attempt).replaced, look.sight);
  if (openAttempt(world.store, attempt.id) === null) return true;
  // Written down while its record says so: how much of it was filled may be known only when that is forgotten. Of a plain modify
  // that it placed says otherwise, whenever it is heard.
  if (look.goneBefore === "yes" && isAlwaysPlace(attempt) && !attempt.isTargetClosed) keepApart(world, attempt);
  if (look.sight.kind !== "seen") return false;
  if (!(await isOriginalsEndKnown(tools, attempt, { pursuit, look }))) return false;
  const { replaced } = legsOfModify(world, attempt);
  // Whether what was taken is the order's or one of its own is told by the time in its own record.
  if (look.goneBefore === "unclear" && look.facts.isTaken) return false;
  const end = { goneBefore: look.goneBefore, isCanceledOtherwise: isCarriedOut(world, replaced) };
  const seen = look.goneBefore === "yes" ? { ...attempt, isTargetClosed: true } : attempt;
  if (isToBeCanceled(world, seen)) {
    if (!attempt.isTargetClosed) keepApart(world, attempt);
    return false;
  }
  if (isUnnamed(legsOfModify(world, attempt).replacement) && pursuit.looks < MAX_LOOKS_FOR_NAME) return false;
  if (await isClosing(tools, attempt, pursuit)) return false;
  if (isToBeWeighed(world, seen, look)) return false;
  const finish = finishModify(world, seen, hasCanceledOriginal(look.facts, end));
  if (finish.kind === "ended") return true;
  if (isToWait(world, attempt, { pursuit, excess: finish.excess })) return false;
  const next = await reduceReplacement(world, attempt);
  if (next !== null) Object.assign(pursuit, startPursuit(next.id));
  return false;
}

/** What was placed in any case is told as the order only by a look that has weighed what canceled the original. */
function isToBeWeighed(world: With<"store">, seen: Attempt, { facts, isEndWeighed }: OriginalLook): boolean {
  if (isEndWeighed || seen.isTargetClosed || !facts.isAlwaysPlace || !facts.isTaken) return false;
  return legsOfModify(world, seen).replaced.state === "canceled";
}

/** A cancel that is armed takes all of it off; a reduction that was refused is tried again after a while. */
function isToWait(
  world: With<"clock" | "store">,
  attempt: Attempt,
  { pursuit, excess }: { pursuit: Pursuit; excess: Excess & { kind: "live" } },
): boolean {
  const { id } = attempt.resource;
  const attempts = listAttemptsOf(world.store, id);
  if (attempts.some(({ kind, state }) => kind === "cancel" && state !== "done")) return true;
  const { pauseMs } = reductionsOf(excess.leg, listLegs(world.store, id), attempts);
  const sinceMs = pursuit.firstOpenElapsedMs;
  return sinceMs !== null && world.clock.elapsedMs() - sinceMs < pauseMs;
}

/**
 * True while a leg is over, and what was filled of it is not known yet: the answer to the modify would be `unknown` for
 * ever, or of a time before that. Something else may have closed the replacement meanwhile, a cancel for one.
 */
async function isClosing(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  if (!hasClosingLeg(world, attempt)) return false;
  const sought = tools.soughtOf(attempt);
  applySight(world, sought.leg, await lookAtClosing(tools, pursuit, sought, { purpose: "settle" }));
  return openAttempt(world.store, attempt.id) === null || hasClosingLeg(world, attempt);
}

function hasClosingLeg(world: With<"store">, attempt: Attempt): boolean {
  const { replaced, replacement } = legsOfModify(world, attempt);
  return [replaced, replacement].some((leg) => leg.state === "closing" || (!isClosed(leg) && isCarriedOut(world, leg)));
}

/** Looks at a replacement whose answer named no id before the modify ends without one: about two minutes. */
const MAX_LOOKS_FOR_NAME = 30;

/** Some answers to triggers name no id; the order is known by it to the modify after this one. */
function isUnnamed(replacement: Leg): boolean {
  return replacement.state === "armed" && replacement.oid === null;
}

const FILLED_BEFORE = "The order was filled before it could be replaced.";

async function isReplacementKnown(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const { replaced, replacement } = legsOfModify(world, attempt);
  if (replacement.state === "absent" && !pursuit.isRefusedLookedFor) return isRefusalHeeded(tools, attempt, pursuit);
  if (replacement.state !== "sent" && replacement.state !== "lost") return true;
  if (isWhollyFilled(replaced) && !isAlwaysPlace(attempt)) {
    const event = { type: "proven_absent", reason: FILLED_BEFORE, absence: "replaced_nothing" } as const;
    inTransaction(world.store, () => recordLegEvent(world.store, replacement.cloid, event, world.clock.nowMs()));
    return true;
  }
  const looked = await lookForPlaced(tools, attempt, pursuit);
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return false;
  applySight(world, replacement, looked.sight);
  const { kind } = looked.sight;
  if (kind === "seen" || kind === "unfinished") return kind === "seen";
  const hadNothingToReplace = kind !== "failed" && (await heedOriginalsEnd(tools, now, pursuit));
  return weighAbsence(tools, now, { ...looked, pursuit, hadNothingToReplace }, (absence) => {
    const event = absenceEvent(now, absence, pursuit.refusal);
    recordLegEvent(world.store, replacement.cloid, event, world.clock.nowMs());
  });
}

/** The answer that refused it may have been another's: where the exchange shows it under its own name, it was placed. */
async function isRefusalHeeded(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const { replacement } = legsOfModify(world, attempt);
  const sought = { ...tools.soughtOf(attempt), leg: replacement };
  const sight = await lookAtLeg(world, tools.evidence, sought, { purpose: "settle" });
  if (sight.kind === "failed") return false;
  pursuit.isRefusedLookedFor = true;
  if (openAttempt(world.store, attempt.id) === null) return false;
  if (isMoreThanRefusal(sight)) applySight(world, replacement, sight);
  const { state } = legsOfModify(world, attempt).replacement;
  return state !== "sent" && state !== "lost";
}

/** Looks that may miss what a modify has placed, before its original is asked for. */
const LOOKS_BEFORE_ORIGINAL = 5;

/**
 * What the end of the original says while nothing tells what became of the placing. One that had an end of its own leaves a
 * plain modify nothing to replace: true. What is placed in any case stands beside it, if at all, and the order is told as it
 * ended.
 */
async function heedOriginalsEnd(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  if (attempt.isTargetClosed || pursuit.looks < LOOKS_BEFORE_ORIGINAL) return false;
  if (!(await hadOwnEnd(tools, attempt))) return false;
  const { replaced } = legsOfModify(world, attempt);
  // One that was found filled whole needs no weighing: the next step says so.
  if (!isAlwaysPlace(attempt)) return !isWhollyFilled(replaced);
  const isOpen = openAttempt(world.store, attempt.id) !== null;
  if (isOpen && isClosed(replaced)) keepApart(world, attempt);
  return false;
}
