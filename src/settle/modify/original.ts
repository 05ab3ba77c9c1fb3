/** What became of the order that a modify was to replace. */
import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { areFillsAll } from "../../core/evidence.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import { dexOf } from "../../core/market.ts";
import {
  type GoneBefore,
  goneBefore,
  isLeftOpen,
  isOriginalOver,
  type ModifyFacts,
} from "../../core/modify-evidence.ts";
import { isClosed, isRefused, isSaidOver, type Leg, wasTaken } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listFillsOf, type StoredFill } from "../../store/fills.ts";
import { findProvenWholeTo } from "../../store/short-of-fills.ts";
import { type FrontendOrder, type OrderStatusAnswer, parseOrderStatus } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { isCarriedOut } from "../cancel/cancel.ts";
import { askedTerms, differenceFrom } from "../evidence/difference.ts";
import { recordOf } from "../evidence/vanished.ts";
import { applySight } from "../look/apply-sight.ts";
import { readAnswer, type Sight, type Sought, statusRequest, toldEnd } from "../look/look.ts";
import { LOOKS_BEHIND } from "../look/look-beyond-record.ts";
import type { Sweep } from "../look/sweep.ts";
import { type Pursuit, sweepWhenDue, type Tools } from "../pursuit.ts";
import { recordOver } from "../record/record.ts";
import { isAlwaysPlace } from "../send/intent.ts";
import { legsOfModify, type ModifyLegs, refusalOf } from "./modify.ts";
import {
  type EndQuestion,
  placedMs,
  recordedEnd,
  type SaidEnd,
  type ToldEnd,
  weighKeptWord,
  weighOwnEnd,
} from "./whose-end.ts";

export type OriginalLook = {
  sight: Sight;
  /** Whether the original had ended by itself, or something else had canceled it, before the modify could. */
  goneBefore: GoneBefore;
  facts: ModifyFacts;
  /** The end of the original is in `goneBefore`: another look may close it while this one still waits for its answer. */
  isEndWeighed: boolean;
};

/** One look at the original, together with the record of what was to replace it. */
export async function lookAtOriginal(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<OriginalLook> {
  const { world, evidence } = tools;
  const { replaced, replacement } = legsOfModify(world, attempt);
  const isReplaced = wasTaken(replacement) && !isAlwaysPlace(attempt);
  const sought = { ...tools.soughtOf(attempt), leg: replaced, isReplaced };
  const options = { purpose: "settle" as const };
  const placing = { ...sought, leg: replacement, isReplaced: false };
  const isPlacingAsked = isPlacingUnclear(tools.world, attempt, { replacement, pursuit, user: sought.user });
  const told = isPlacingAsked ? null : toldCanceled(world, sought);
  // What has canceled it has placed before its record says so: asked for after it, the placing is not missed for having been asked too soon.
  const requests = [
    ...(told === null ? [statusRequest(sought)] : []),
    ...(isPlacingAsked ? [statusRequest(placing)] : []),
  ];
  const outcome = await world.exchange.infoInTurn(requests, options);
  if (outcome.kind === "failed")
    return { sight: outcome, goneBefore: "no", facts: factsOf(attempt, replacement, false), isEndWeighed: false };
  const placed = isPlacingAsked ? await heedPlacing(tools, { attempt, placing, pursuit }, outcome.json.at(-1)) : null;
  if (isRefused(replacement) && !isRefused(legsOfModify(world, attempt).replacement))
    return lookAgain(attempt, replacement);
  const { answer, from } =
    told === null
      ? await orElsewhere(tools, { sought, pursuit }, parseOrderStatus(outcome.json[0]))
      : { answer: told, from: "feed" as const };
  const looked = await readAnswer(world, evidence, sought, { answer, options });
  const facts = factsOf(attempt, replacement, placed !== null);
  // The record of another, that a server answers with, tells nothing of it, and one that nothing bears out no end.
  const isAnothers = looked.kind === "foreign";
  const shown: OrderStatusAnswer = isAnothers ? { kind: "not_found" } : isEndDoubted(looked) ? UNTOLD : answer;
  // What was to replace it was placed: a word that is new is the word of its end.
  const isNewWord = shown.kind === "order" && statusMeaning(shown.status) === "unknown";
  if (isNewWord && isOriginalOver(facts) && !isClosed(replaced)) recordOver(world, replaced);
  const now = legsOfModify(world, attempt).replaced;
  const isLost = now.state === "canceled" && isForgotten(shown, pursuit);
  // That record is of its end, though its word tells no time of it that counts.
  const end = recordedEnd(replaced, shown) ?? (isNewWord ? null : endedElsewhere(world, now, isLost));
  const times = { placedAtMs: placedMs(world, attempt, { placed, end }), signedAtMs: attempt.nonce };
  const goneBy = (each: ToldEnd | null) => goneBefore(facts, each === null ? null : { ...each, ...times });
  const question = { attempt, sought: { ...sought, leg: now }, goneBy };
  // What once told it may be forgotten since.
  const gone = attempt.isTargetClosed ? "yes" : await borneOut(tools, question, { shown, from, end, isLost });
  const isMissing = looked.kind === "not_found" || looked.kind === "foreign";
  const sight = isMissing ? await lookWithoutRecord(tools, { sought, pursuit, facts, looked }) : looked;
  // Of what goes on as its replacement nobody is told an end here; what has ended is told with all that was filled of it.
  const goesOn = wasTaken(replacement) && gone === "no";
  return {
    sight: goesOn ? sizeless(sight) : sight,
    goneBefore: gone,
    facts,
    isEndWeighed: end !== null || isLost || isNewWord,
  };
}

const UNTOLD = { kind: "unreadable" } as const;

type TellsEnd = { shown: OrderStatusAnswer; from: SaidEnd["from"]; end: ToldEnd | null; isLost: boolean };

/** That it had an end of its own one store alone does not say; nor is that it had not said because the one that told it keeps it no longer. */
async function borneOut(tools: Tools, question: EndQuestion, told: TellsEnd): Promise<GoneBefore> {
  const { shown, from, end, isLost } = told;
  const gone = question.goneBy(end);
  if (isLost && end === null) return weighKeptWord(tools, question) ?? gone;
  return gone === "yes" && shown.kind === "order" ? weighOwnEnd(tools, question, { from, shown }) : gone;
}

/** Its record tells an end, and may be the only one that does. */
function isEndDoubted({ doubt }: Sight): boolean {
  return doubt !== undefined;
}

/** What was refused is shown all the same: what that says of the original is for the next look. */
function lookAgain(attempt: Attempt, replacement: Leg): OriginalLook {
  const sight = { kind: "failed", reason: "what the answer had refused is there" } as const;
  return { sight, goneBefore: "no", facts: factsOf(attempt, replacement, false), isEndWeighed: false };
}

/**
 * True when the original is known to have had an end of its own, while nothing tells what became of what the modify was to
 * place: it was filled, or closed in a listed word that is no plain cancel. Whose a plain cancel was nobody can say, also
 * where a cancel of ours was answered with success: the answer may be to another.
 */
export async function hadOwnEnd(tools: Tools, attempt: Attempt): Promise<boolean> {
  const { world, evidence } = tools;
  const { replaced } = legsOfModify(world, attempt);
  if (replaced.state === "filled") return true;
  const sought = { ...tools.soughtOf(attempt), leg: replaced };
  const options = { purpose: "settle" as const };
  const outcome = await world.exchange.info(statusRequest(sought), options);
  if (outcome.kind === "failed") return false;
  const answer = parseOrderStatus(outcome.json);
  const sight = await readAnswer(world, evidence, sought, { answer, options });
  applySight(world, replaced, sight);
  if (isEndDoubted(sight)) return false;
  const isShown = answer.kind === "order" && (sight.kind === "seen" || sight.kind === "unfinished");
  if (!isShown || recordedEnd(replaced, answer)?.kind !== "own") return false;
  const goneBy = (end: ToldEnd | null) => (end?.kind === "own" ? "yes" : "unclear");
  const question = { attempt, sought: { ...sought, leg: legsOfModify(world, attempt).replaced }, goneBy };
  return (await weighOwnEnd(tools, question, { from: "record", shown: answer })) === "yes";
}

/** A plain order that its feed tells to have been canceled: nothing more is asked of it. */
function toldCanceled(world: With<"picture">, sought: Sought): OrderStatusAnswer | null {
  const end = sought.leg.trigger === null ? toldEnd(world, sought) : null;
  return end !== null && statusMeaning(end.status) === "canceled" ? end : null;
}

/**
 * What was placed in the place of another, and is named, its feed tells of: a first look needs no record of it. Its record tells
 * when it was placed, or that it was at all.
 */
function isPlacingUnclear(
  world: With<"feeds">,
  attempt: Attempt,
  { replacement, pursuit, user }: { replacement: Leg; pursuit: Pursuit; user: string },
): boolean {
  // Whatever the words: a copy of it may have run since, and what it canceled would be told as the original's own end.
  if (!wasTaken(replacement)) return isRefused(replacement);
  const isPlain = !isAlwaysPlace(attempt) && replacement.state === "resting" && replacement.oid !== null;
  return !isPlain || pursuit.looks > 0 || !world.feeds.isLive(user);
}

/** That it was refused its record says as well, where it has one, and says less of why. */
export function isMoreThanRefusal(sight: Sight): boolean {
  const isShown = sight.kind === "seen" || sight.kind === "unfinished";
  return isShown && sight.events.every(({ type }) => type !== "rejected");
}

type PlacingSought = { attempt: Attempt; placing: Sought; pursuit: Pursuit };

/** The record of what the modify placed, null where there is none: another's under its client order id tells nothing of it. */
async function heedPlacing(
  tools: Tools,
  { attempt, placing, pursuit }: PlacingSought,
  json: unknown,
): Promise<FrontendOrder | null> {
  const { world, evidence } = tools;
  const answer = await orPlacingFromHistory(tools, { attempt, placing, pursuit }, parseOrderStatus(json));
  const difference = answer.kind === "order" ? differenceFrom(placing, answer.order) : null;
  const { leg } = placing;
  if (difference !== null && !pursuit.isNamesakeTold) applySight(world, leg, { kind: "foreign", difference });
  pursuit.isNamesakeTold ||= difference !== null;
  // Some answers to triggers name no id; and the answer that refused it may have been another's.
  const mayTellMore = isRefused(leg) || (wasTaken(leg) && leg.oid === null);
  if (answer.kind === "order" && difference === null && mayTellMore) {
    const sight = await readAnswer(world, evidence, placing, { answer, options: { purpose: "settle" } });
    if (isMoreThanRefusal(sight)) applySight(world, leg, sight);
  }
  return answer.kind === "order" && difference === null ? answer.order : null;
}

/** Nothing but the record of what was placed in any case tells when that was: where the look-up by id has none, the history may. */
async function orPlacingFromHistory(
  tools: Tools,
  { attempt, placing, pursuit }: PlacingSought,
  answer: OrderStatusAnswer,
): Promise<OrderStatusAnswer> {
  const isNeeded = answer.kind === "not_found" && isAlwaysPlace(attempt) && wasTaken(placing.leg);
  if (!isNeeded || attempt.isTargetClosed || pursuit.looks < LOOKS_BEHIND) return answer;
  const options = { purpose: "settle", onNewConnection: true } as const;
  const sweep = await sweepWhenDue(tools, { attempt, user: placing.user, options }, pursuit);
  const record = sweep === null || typeof sweep === "string" ? null : recordOf(sweep, placing.leg);
  return record === null ? answer : { kind: "order", ...record };
}

type OriginalSought = { sought: Sought; pursuit: Pursuit };

type AnsweredBy = { answer: OrderStatusAnswer; from: SaidEnd["from"] };

/** The history may know what the look-up by id has forgotten, and so may its feed. */
async function orElsewhere(
  tools: Tools,
  { sought, pursuit }: OriginalSought,
  answer: OrderStatusAnswer,
): Promise<AnsweredBy> {
  // Before anything is concluded from its having no record: what the history says of its end says whose end it was.
  if (!isForgotten(answer, pursuit)) return { answer, from: "record" };
  const sweep = await tools.sweeps.read(sought, { purpose: "settle", onNewConnection: true });
  const record = sweep === "failed" || sweep === "no_room" ? null : recordOf(sweep, sought.leg);
  // The row of its placing is kept where that of its end is lost, and tells nothing of now.
  if (record !== null && statusMeaning(record.status) !== "open")
    return { answer: { kind: "order", ...record }, from: "history" };
  return { answer: toldEnd(tools.world, sought) ?? answer, from: "feed" };
}

type MissingOriginal = { sought: Sought; pursuit: Pursuit; facts: ModifyFacts; looked: Sight };

/** The exchange has no record of the original any more, or shows something else under its id: the modify ends all the same. */
async function lookWithoutRecord(tools: Tools, { sought, pursuit, facts, looked }: MissingOriginal): Promise<Sight> {
  const { leg } = sought;
  pursuit.looksMissed += 1;
  pursuit.missedSinceMs = keptMoment(pursuit.missedSinceMs, tools.world.exchange.nowMs());
  if (pursuit.looksMissed < LOOKS_BEHIND) return looked;
  if (isClosed(leg)) return { kind: "seen", events: [], isClosed: true };
  const isOver = isOriginalOver(facts) || isSaidOver(leg);
  if (isOver) recordOver(tools.world, leg);
  if (looked.kind === "not_found")
    return tools.vanished.look(
      isOver ? { ...sought, leg: { ...leg, state: "closing", isExchangesWord: true } } : sought,
    );
  // The alarm stands; nothing more will be learned of it, and the modify has an end of its own.
  return isOver
    ? endUnderAlarm(tools.world, sought, pursuit.missedSinceMs)
    : { kind: "seen", events: [], isClosed: false };
}

/** Fills of something else under its id have not been added to it. */
function endUnderAlarm({ store }: With<"store">, { leg, accountId }: Sought, missedSinceMs: number): Sight {
  if (!areFillsAll(findProvenWholeTo(store, accountId), missedSinceMs)) return { kind: "not_found" };
  const filled = { size: leg.filledSize, notional: leg.filledNotional };
  const reason = "The exchange keeps no record of it.";
  return { kind: "seen", events: [{ type: "canceled", oid: leg.oid, reason, filled }], isClosed: true };
}

/** A fill that is shown later is heeded later (`reduce`). */
function sizeless(looked: Sight): Sight {
  const untouched = looked.kind === "unfinished" ? looked.untouched : null;
  return untouched === null ? looked : { kind: "seen", events: [untouched], isClosed: true };
}

function factsOf(attempt: Attempt, replacement: Leg, isShown: boolean): ModifyFacts {
  const isTaken = wasTaken(replacement);
  const hasPlaced = isTaken || (isShown && isRefused(replacement));
  return { isAlwaysPlace: isAlwaysPlace(attempt), isTaken, hasPlaced, refusal: refusalOf(attempt, replacement) };
}

/**
 * The end of an original that is known to be canceled, by the look of a cancel or by its feed, while the answer to this look is of
 * before that. Where its record is kept no longer, whose cancel it was is told by the exchange's word to one of ours, or by nothing.
 */
function endedElsewhere(world: With<"store">, replaced: Leg, isRecordForgotten: boolean): ToldEnd | null {
  if (replaced.state !== "canceled") return null;
  if (!isRecordForgotten) return { kind: "any", endedAtMs: null };
  return isCarriedOut(world, replaced) ? { kind: "own", endedAtMs: null } : null;
}

function isForgotten({ kind }: OrderStatusAnswer, { looksMissed }: Pursuit): boolean {
  return kind === "not_found" && looksMissed + 1 >= LOOKS_BEHIND;
}

type LookedOriginal = { pursuit: Pursuit; look: OriginalLook };

/** What closed the original was seen, or that it is open after all the modify did. */
export async function isOriginalsEndKnown(
  tools: Tools,
  attempt: Attempt,
  { pursuit, look }: LookedOriginal,
): Promise<boolean> {
  const { world } = tools;
  const { replaced, replacement } = legsOfModify(world, attempt);
  if (isClosed(replaced)) return true;
  if (isSaidOver(replaced) || isOriginalOver(look.facts)) return false;
  pursuit.looksAtOpen += 1;
  pursuit.firstOpenElapsedMs ??= world.clock.elapsedMs();
  const openForMs = world.clock.elapsedMs() - pursuit.firstOpenElapsedMs;
  const hasNeverRun = replacement.state === "absent" && attempt.seal === "noop";
  const sinceSignedMs = world.exchange.nowMs() - attempt.nonce;
  const isFilled = isFilledSince(world, attempt, replaced);
  const told = { hasNeverRun, refusal: look.facts.refusal, isFilledSince: isFilled };
  const seen = { ...told, looks: pursuit.looksAtOpen, openForMs, sinceSignedMs };
  if (isLeftOpen({ ...seen, isShownSince: false })) return true;
  return isLeftOpen({ ...seen, isShownSince: await isShownSince(tools, attempt, pursuit) });
}

/** By its native id, which the exchange gives once, and by the fill's own time: no store has to be up to date for that. */
function isFilledSince(world: With<"store">, attempt: Attempt, { oid }: Leg): boolean {
  const { order } = legsOfModify(world, attempt);
  const fills = oid === null ? [] : listFillsOf(world.store, attempt.accountId, oid);
  const isOwn = (fill: StoredFill) => fill.market === order.market && fill.side === order.side;
  return fills.some((fill) => isOwn(fill) && fill.timeMs > endsAtMs(attempt));
}

/** Looks that may show an original that the modify has canceled, before everything of the account is read. */
const LOOKS_AT_OPEN = 3;

/** One answer that shows the original open and holds something from after the modify: it is from after it as well. */
async function isShownSince(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  if (pursuit.looksAtOpen < LOOKS_AT_OPEN) return false;
  const options = { purpose: "settle", onNewConnection: true } as const;
  const sweep = await sweepWhenDue(tools, { attempt, user: tools.soughtOf(attempt).user, options }, pursuit);
  if (sweep === null || typeof sweep === "string") return false;
  return showsOpenSince(sweep, attempt, legsOfModify(tools.world, attempt));
}

function showsOpenSince({ open, history }: Sweep, attempt: Attempt, { order, replacement }: ModifyLegs): boolean {
  const { targetOid } = attempt;
  const { cloid, oid } = replacement;
  const isNamed = (shown: FrontendOrder) => shown.cloid === cloid || (oid !== null && shown.oid === oid);
  const placing = { ...askedTerms(order), leg: replacement };
  const isPlaced = (shown: FrontendOrder) => isNamed(shown) && differenceFrom(placing, shown) === null;
  const endMs = endsAtMs(attempt);
  // Every dex has a list of its own.
  const list = open.filter(({ coin }) => dexOf(coin) === dexOf(order.market));
  const isListNewer = list.some((shown) => isPlaced(shown) || shown.timestampMs > endMs);
  if (isListNewer) return list.some((shown) => shown.oid === targetOid);
  const isNewer = history.some((past) => isPlaced(past.order) || past.statusTimestampMs > endMs);
  const ofOriginal = history.filter((past) => past.order.oid === targetOid);
  return isNewer && ofOriginal.length > 0 && ofOriginal.every(({ status }) => statusMeaning(status) === "open");
}
