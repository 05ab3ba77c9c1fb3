import type { Attempt } from "../core/attempt.ts";
import { isClosed, type Leg, wasTaken } from "../core/order.ts";
import type { World } from "../deps.ts";
import { type OrderStatusAnswer, parseOrderStatus } from "../wire/answer/order-status.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";
import { weighAbsence } from "./absence.ts";
import { applySight } from "./apply-sight.ts";
import { isCarriedOut } from "./cancel.ts";
import { isAlwaysPlace } from "./intent.ts";
import { lookAtLeg, readAnswer, readStatus, type Sight, type Sought, statusRequest } from "./look.ts";
import { lookForPlaced } from "./look-for-placed.ts";
import { finishModify, isBelievedOpen, isToBeCanceled, keepApart, legsOfModify } from "./modify.ts";
import { absenceEvent } from "./pursue-place.ts";
import { type Pursuit, startPursuit, type Tools } from "./pursuit.ts";
import { openAttempt, recordLegEvent } from "./record.ts";
import { reduceReplacement } from "./reduce.ts";
import { recordOf } from "./vanished.ts";

/**
 * One step toward the truth about a modify: first what became of the replacement, by its own client order id, then
 * what became of the original, by its native id. Both have to be known.
 */
export async function stepModify(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  await world.point("settle_before_look");
  if (!(await isReplacementKnown(tools, attempt, pursuit))) return openAttempt(world.store, attempt.id) === null;
  const { replaced } = legsOfModify(world, attempt);
  const { sight: looked, wasGoneBefore } = await lookAtOriginal(tools, attempt, pursuit);
  // A fill that is shown later is heeded later (`reduce`): nobody is told of an end here.
  const untouched = looked.kind === "unfinished" ? looked.untouched : null;
  const sight: Sight = untouched === null ? looked : { kind: "seen", events: [untouched], isClosed: true };
  applySight(world, replaced, sight);
  if (openAttempt(world.store, attempt.id) === null) return true;
  if (sight.kind !== "seen") return false;
  if (!(await isOriginalsEndKnown(tools, attempt, pursuit))) return false;
  const seen = wasGoneBefore ? { ...attempt, isTargetClosed: true } : attempt;
  if (isToBeCanceled(world, seen)) {
    if (!attempt.isTargetClosed) keepApart(world, attempt);
    return false;
  }
  if (isUnnamed(legsOfModify(world, attempt).replacement) && pursuit.looks < MAX_LOOKS_FOR_NAME) return false;
  if (await isClosing(tools, attempt)) return false;
  const end = finishModify(world, seen);
  if (end.kind === "ended") return true;
  const next = await reduceReplacement(world, attempt);
  if (next !== null) Object.assign(pursuit, startPursuit(next.id));
  return false;
}

/**
 * True while a leg is over, and what was filled of it is not known yet: the answer to the modify would be `unknown` for
 * ever, or of a time before that. Something else may have closed the replacement meanwhile, a cancel for one.
 */
async function isClosing(tools: Tools, attempt: Attempt): Promise<boolean> {
  const { world } = tools;
  if (!hasClosingLeg(world, attempt)) return false;
  const sought = tools.soughtOf(attempt);
  applySight(world, sought.leg, await lookAtLeg(world, tools.evidence, sought, { purpose: "settle" }));
  return openAttempt(world.store, attempt.id) === null || hasClosingLeg(world, attempt);
}

function hasClosingLeg(world: World, attempt: Attempt): boolean {
  const { replaced, replacement } = legsOfModify(world, attempt);
  return [replaced, replacement].some((leg) => leg.state === "closing" || (!isClosed(leg) && isCarriedOut(world, leg)));
}

/** What closed the original was seen, or that it is open after all the modify did. */
async function isOriginalsEndKnown(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const { replaced, replacement } = legsOfModify(world, attempt);
  if (isClosed(replaced)) return true;
  pursuit.looksAtOpen += 1;
  pursuit.firstOpenElapsedMs ??= world.clock.elapsedMs();
  const openForMs = world.clock.elapsedMs() - pursuit.firstOpenElapsedMs;
  if (!wasTaken(replacement)) return isBelievedOpen(attempt, replacement, { looks: pursuit.looksAtOpen, openForMs });
  return isAlwaysPlace(attempt) && pursuit.looksAtOpen >= LOOKS_BESIDE && isOpenBeside(tools, attempt, replacement);
}

/** Looks that may show an original that the modify has canceled, before everything of the account is read. */
const LOOKS_BESIDE = 3;

/** One answer that holds the replacement and shows the original open: it is from after the modify. */
async function isOpenBeside(tools: Tools, attempt: Attempt, replacement: Leg): Promise<boolean> {
  const { user } = tools.soughtOf(attempt);
  const sweep = await tools.sweeps.read(user, attempt.accountId, { purpose: "settle", onNewConnection: true });
  if (sweep === null) return false;
  const { open, history } = sweep;
  const isListed = (cloid: string | null, oid: string | null) =>
    open.some((order) => order.oid === oid || (cloid !== null && order.cloid === cloid));
  if (isListed(replacement.cloid, replacement.oid)) return isListed(null, attempt.targetOid);
  const hasReplacement = history.some(({ order }) => order.cloid === replacement.cloid);
  const ofOriginal = history.filter(({ order }) => order.oid === attempt.targetOid);
  return hasReplacement && ofOriginal.length > 0 && ofOriginal.every(({ status }) => statusMeaning(status) === "open");
}

/** Looks at a replacement whose answer named no id before the modify ends without one: about two minutes. */
const MAX_LOOKS_FOR_NAME = 30;

/** Some answers to triggers name no id; the order is known by it to the modify after this one. */
function isUnnamed(replacement: Leg): boolean {
  return replacement.state === "armed" && replacement.oid === null;
}

type OriginalLook = {
  sight: Sight;
  /** The original had ended by itself, or something else had canceled it, before the modify could. */
  wasGoneBefore: boolean;
};

async function lookAtOriginal(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<OriginalLook> {
  const { world, evidence } = tools;
  const { replaced, replacement } = legsOfModify(world, attempt);
  const sought = { ...tools.soughtOf(attempt), leg: replaced };
  const options = { purpose: "settle" as const };
  if (!wasTaken(replacement)) {
    const read = await world.exchange.info(statusRequest(sought), options);
    if (read.kind === "failed") return { sight: read, wasGoneBefore: false };
    const answer = await orFromHistory(tools, { sought, pursuit }, parseOrderStatus(read.json));
    const sight = await readAnswer(world, evidence, sought, { answer, options });
    return { sight: await orVanished(tools, { sought, pursuit }, sight), wasGoneBefore: isShownAsFilled(answer) };
  }
  const requests = [statusRequest({ ...sought, leg: replacement }), statusRequest(sought)];
  const outcome = await world.exchange.infoInTurn(requests, options);
  if (outcome.kind === "failed") return { sight: outcome, wasGoneBefore: false };
  const [replacementJson, json] = outcome.json;
  if (replacement.oid === null) {
    // Some answers to triggers name no id.
    const placed = { ...sought, leg: replacement };
    applySight(world, replacement, await readStatus(world, evidence, placed, { json: replacementJson, options }));
  }
  const answer = await orFromHistory(tools, { sought, pursuit }, parseOrderStatus(json));
  const sight = await readAnswer(world, evidence, sought, { answer, options });
  const placed = parseOrderStatus(replacementJson);
  // A modify's two halves carry the time of one block; a replacement's time from before it says nothing.
  const placedAtMs = placed.kind === "order" ? placed.order.timestampMs : 0;
  const wasFilled = answer.kind === "not_found" && replaced.state === "filled";
  const wasGoneBefore = wasFilled || hadEndedBefore(Math.max(attempt.nonce, placedAtMs), answer);
  return { sight: await orVanished(tools, { sought, pursuit }, sight), wasGoneBefore };
}

/** Looks by id that may miss the original because a node is behind, before all of the account is read. */
const LOOKS_BEHIND = 5;

type OriginalSought = { sought: Sought; pursuit: Pursuit };

/** The history may know what the look-up by id has forgotten. */
async function orFromHistory(
  tools: Tools,
  { sought, pursuit }: OriginalSought,
  answer: OrderStatusAnswer,
): Promise<OrderStatusAnswer> {
  if (answer.kind !== "not_found" || pursuit.looks < LOOKS_BEHIND) return answer;
  const sweep = await tools.sweeps.read(sought.user, sought.accountId, { purpose: "settle", onNewConnection: true });
  const record = sweep === null ? null : recordOf(sweep, sought.leg);
  return record === null ? answer : { kind: "order", ...record };
}

/** And where nothing has a record of it any more, its end is known already, or its absence may be witnessed. */
async function orVanished(tools: Tools, { sought, pursuit }: OriginalSought, sight: Sight): Promise<Sight> {
  if (sight.kind !== "not_found" || pursuit.looks < LOOKS_BEHIND) return sight;
  return isClosed(sought.leg) ? { kind: "seen", events: [], isClosed: true } : tools.vanished.look(sought);
}

/** A modify's own cancel is plain, and not earlier than it was carried out; clocks are known to this, milliseconds. */
const CLOCK_ERROR_MS = 2_000;

function hadEndedBefore(carriedOutAtMs: number, answer: OrderStatusAnswer): boolean {
  if (isShownAsFilled(answer)) return true;
  if (answer.kind !== "order" || statusMeaning(answer.status) !== "canceled") return false;
  return answer.status !== PLAIN_CANCEL || answer.statusTimestampMs < carriedOutAtMs - CLOCK_ERROR_MS;
}

const PLAIN_CANCEL = "canceled";

/** An order that may not rest ends so with a part as well: what was left of it was gone before any modify. */
function isShownAsFilled(answer: OrderStatusAnswer): boolean {
  return answer.kind === "order" && statusMeaning(answer.status) === "filled";
}

async function isReplacementKnown(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const { replacement } = legsOfModify(world, attempt);
  if (replacement.state !== "sent" && replacement.state !== "lost") return true;
  const looked = await lookForPlaced(tools, attempt, pursuit);
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return false;
  applySight(world, replacement, looked.sight);
  if (looked.sight.kind !== "not_found" && looked.sight.kind !== "foreign") return looked.sight.kind === "seen";
  return weighAbsence(tools, now, { ...looked, pursuit }, (absence) => {
    const event = absenceEvent(now, absence, pursuit.refusal);
    recordLegEvent(world.store, replacement.cloid, event, world.clock.nowMs());
  });
}
