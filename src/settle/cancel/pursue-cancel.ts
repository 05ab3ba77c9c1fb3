import type { Attempt } from "../../core/attempt.ts";
import { BEHIND_MS, isGoneByCancels } from "../../core/evidence.ts";
import { isClosed, isPerhapsOver, type Leg } from "../../core/order.ts";
import type { Slot, ToSign, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { findLegByCloid, listLegs } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import { isOutOfActions } from "../../wire/answer/refusal.ts";
import { applySight } from "../look/apply-sight.ts";
import { isMissedBy, lookAtLeg } from "../look/look.ts";
import { LOOKS_BEHIND } from "../look/look-beyond-record.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { openAttempt, recordOver } from "../record/record.ts";
import { sendOwn } from "../send/send-own.ts";
import { listedAssetId } from "./asset-id.ts";
import {
  canceledLeg,
  finishCancel,
  foundNothing,
  isAimedAt,
  isCanceledByNameAlone,
  isCarriedOut,
  isOver,
  lastCancelOf,
  mayRest,
  missedUnder,
  NOT_FOUND_THERE,
  noteCarriedOut,
  recordCancelReply,
  reissueCancel,
} from "./cancel.ts";
import { giveUpCancel, groundOf } from "./grounds.ts";
import { type CancelMisses, cancelsWord, countMissed, isToAskByName } from "./misses.ts";

/** Shortest time between two cancels of one order, elapsed milliseconds; it doubles, so that a refusal costs little. */
const REISSUE_AFTER_MS = 1_000;
const MAX_REISSUE_AFTER_MS = 60_000;
/** Between two cancels of what nothing shows, elapsed milliseconds: a newer list of markets is read as often. */
const ASK_BY_NAME_AFTER_MS = 60_000;
/** Looks at a canceled leg before it is given up to read what had been filled by then: some minutes. */
const MAX_LOOKS_AT_CLOSED = 60;

/**
 * One step of an armed cancel: it ends only when every leg of the order is closed and everything that could still
 * place one is settled. Until then each leg found live is canceled again.
 */
export async function stepCancel(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  await world.point("settle_before_look");
  const target = canceledLeg(world, attempt);
  // A closed leg is looked at once more: the cancel's answer does not say what had been filled by then.
  const legs = listLegs(world.store, attempt.resource.id);
  // What earlier cancels did not find may have been shown since.
  if (pursuit.looks === 0) for (const { cloid } of legs) tools.misses.delete(cloid);
  const toLook = legs.filter((leg) => !isClosed(leg) || leg.cloid === target?.cloid);
  const looks = new Map<string, LegLook>();
  const beganElapsedMs = world.clock.elapsedMs();
  for (const leg of toLook) looks.set(leg.cloid, await lookAndRecord(tools, attempt, { pursuit, leg }));
  const targetLook = looks.get(target?.cloid ?? "") ?? "read";
  if (target !== null && targetLook === "closing")
    pursuit.concludesInMs = tools.evidence.finalInMs(target.cloid, beganElapsedMs);
  if (openAttempt(world.store, attempt.id) === null) return true;
  if (isOver(world, attempt.resource.id)) {
    if (targetLook !== "read") pursuit.looksAtClosed += 1;
    if (targetLook !== "read" && pursuit.looksAtClosed < MAX_LOOKS_AT_CLOSED) return false;
    finishCancel(world, attempt);
    return true;
  }
  if (pursuit.looks >= LOOKS_BEFORE_TOLD) noteAllCarriedOut(tools, attempt);
  // What the exchange said it has canceled is canceled, however late its stores show it.
  const now = listLegs(world.store, attempt.resource.id);
  const shown = now.filter((leg) => {
    if (looks.get(leg.cloid) === "closing") return false;
    return isCanceledByNameAlone(world, leg) || (mayRest(leg) && !isCarriedOut(world, leg));
  });
  // Of what nothing shows the exchange alone can say that it is not there; what is shown comes first.
  const alive = shown.length > 0 ? shown : now.filter((leg) => isToAskByName(world, tools.misses, leg));
  // A leg that only a record from before shows open keeps no other from its turn.
  const lastTurn = foundNothing(attempt) ? alive.findIndex((leg) => isAimedAt(attempt, leg)) : -1;
  const live = alive[(lastTurn + 1) % alive.length];
  if (live === undefined) return false;
  if ((await groundOf(tools, attempt)) === "lapsed") return giveUpCancel(world, attempt, pursuit);
  const isShown = looks.get(live.cloid) === "shown";
  await cancelAgain(tools, attempt, { pursuit, live, isShown });
  return false;
}

/** Looks that may show an order open that the exchange has canceled, before it is shown as `unknown`. */
const LOOKS_BEFORE_TOLD = 2;

function noteAllCarriedOut({ world }: Tools, attempt: Attempt): void {
  for (const leg of listLegs(world.store, attempt.resource.id)) noteCarriedOut(world, leg);
}

/**
 * `read`: its end is known, or it never rested. `closing`: the exchange shows it closed, and not yet all its fills. `shown`: it was
 * shown open just now. `open`: it is open by what is known.
 */
type LegLook = "read" | "closing" | "shown" | "open";

async function lookAndRecord(
  tools: Tools,
  attempt: Attempt,
  { pursuit, leg }: { pursuit: Pursuit; leg: Leg },
): Promise<LegLook> {
  const sought = { ...tools.soughtOf(attempt), leg };
  const onNewConnection = pursuit.looks % 2 === 1;
  const seen = await lookAtLeg(tools.world, tools.evidence, sought, { purpose: "settle", onNewConnection });
  if (seen.kind === "seen" || seen.kind === "unfinished") tools.vanished.shown(leg.cloid);
  const isMissing = isMissedBy(seen, leg) && pursuit.looks >= LOOKS_BEHIND;
  // The alarm about somebody else's order is raised in any case, also where ours is found beside it.
  if (isMissing && seen.kind === "foreign") applySight(tools.world, leg, seen);
  // What a cancel by client order id does not find may be that other order, which is over: its word is none about ours.
  const word = seen.kind === "foreign" ? null : cancelsWord(tools.world, tools.misses, leg);
  const sight = isMissing ? await tools.vanished.look(sought, word) : seen;
  applySight(tools.world, leg, sight);
  if (sight.kind === "seen" && sight.isClosed) return "read";
  const now = findLegByCloid(tools.world.store, leg.cloid);
  if (sight.kind === "unfinished") {
    if (now !== null) noteGoneByCancels(tools, now);
    if (pursuit.looks >= LOOKS_BEFORE_TOLD) noteAllCarriedOut(tools, attempt);
    return now !== null && isPerhapsOver(now) ? "open" : "closing";
  }
  if (now === null || now.state === "rejected" || now.state === "absent") return "read";
  // Its end is known, and the exchange has forgotten it: there is nothing more to read.
  if (isMissing && isClosed(now)) return "read";
  return sight.kind === "seen" ? "shown" : "open";
}

/**
 * Its record has a word that nobody knows, or alone tells an end, and in a quiet account no newer list will come: cancels by its id that
 * find nothing for so long are the exchange's own word that it is over. What a trigger has placed may stand under another id.
 */
function noteGoneByCancels({ world, misses }: Tools, leg: Leg): void {
  if (!isPerhapsOver(leg) || leg.oid === null || leg.trigger !== null) return;
  const word = cancelsWord(world, misses, leg);
  if (isGoneByCancels(word, false, word?.forMs ?? 0)) recordOver(world, leg);
}

/** `isShown`: it was shown open just now. */
type Again = { pursuit: Pursuit; live: Leg; isShown: boolean };

async function cancelAgain(tools: Tools, attempt: Attempt, { pursuit, live, isShown }: Again): Promise<void> {
  const { world, grounds, misses } = tools;
  const isKnown = live.state !== "sent" && live.state !== "lost";
  const elapsedMs = world.clock.elapsedMs();
  const last = lastCancelOf(world, live);
  const missedAt = last === null ? null : missedUnder(last, live);
  // The answer that nothing was found there is not a second old: most of the time the order's record is only behind.
  if (foundNothing(attempt)) pursuit.lastSentElapsedMs ??= elapsedMs;
  const pauseMs = isKnown ? reissueAfterMs(pursuit) : ASK_BY_NAME_AFTER_MS;
  if (pursuit.lastSentElapsedMs !== null && elapsedMs - pursuit.lastSentElapsedMs < pauseMs) return;
  if (missedAt !== null && isKnown)
    await doubtMarket(world, attempt, { missedAt, isContradicted: isShown && isMissedLongSince(world, misses, live) });
  let listReadElapsedMs = 0;
  const store = (slot: Slot) => {
    if (openAttempt(world.store, attempt.id) === null || grounds.judge(attempt) !== "stands") return null;
    pursuit.lastSentElapsedMs = elapsedMs;
    pursuit.takenByMs = null;
    pursuit.reissues += 1;
    const stored = reissue(world, attempt, { live, slot });
    pursuit.attemptId = stored.id;
    listReadElapsedMs = listReadAt(world);
    return stored;
  };
  const sent = await sendOwn(world, { accountId: attempt.accountId, purpose: "cancel", store });
  if (sent === null) return;
  const { attempt: next, result } = sent;
  // Not sent, or out of actions for now, is no reason to stop: a later step tries again.
  if (result.kind === "not_sent") return;
  if (result.kind === "refused" && isOutOfActions(result.text)) return;
  recordCancelReply(world, next, result);
  countMissed(world, misses, { attemptId: next.id, leg: live, listReadElapsedMs });
}

/** Our monotonic time at which the list of markets was read last, milliseconds. */
function listReadAt({ markets, clock }: With<"clock" | "markets">): number {
  return clock.elapsedMs() - (markets.ageMs() ?? 0);
}

/** No server is so far behind that it would still show open what had ended before these cancels did not find it. */
function isMissedLongSince({ clock }: With<"clock">, misses: CancelMisses, { cloid }: Leg): boolean {
  const sinceMs = misses.get(cloid)?.sinceElapsedMs ?? null;
  return sinceMs !== null && clock.elapsedMs() - sinceMs >= BEHIND_MS;
}

/**
 * Not to be found where it was looked for: its market may have moved in the list, which is read again. Most of the time a cancel has
 * ended it, and what shows it open is from before that; where it cannot be, the list is contradicted. Only a cancel under the list's
 * own number says anything of it.
 */
async function doubtMarket(
  world: With<"markets" | "store">,
  attempt: Attempt,
  { missedAt, isContradicted }: { missedAt: number; isContradicted: boolean },
): Promise<void> {
  const { store, markets } = world;
  const order = findOrder(store, attempt.resource.id);
  if (order === null) throw new Error("bug: a cancel without its order");
  const isOfList = missedAt === listedAssetId(world, order);
  if (isOfList && isContradicted) markets.doubt(order.market, NOT_FOUND_THERE);
  else if (isOfList) markets.suspect(order.market);
  await markets.refresh();
}

function reissue(
  world: ToSign & With<"markets">,
  attempt: Attempt,
  { live, slot }: { live: Leg; slot: Slot },
): Attempt {
  const order = findOrder(world.store, attempt.resource.id);
  const account = findAccount(world.store, attempt.accountId);
  if (order === null || account === null) throw new Error("bug: a cancel without its order or account");
  const { idempotencyKey } = attempt;
  return reissueCancel(world, attempt, { order, account, leg: live, idempotencyKey, actor: "gateway" }, slot);
}

function reissueAfterMs({ reissues }: Pursuit): number {
  return Math.min(REISSUE_AFTER_MS * 2 ** Math.max(0, reissues - 1), MAX_REISSUE_AFTER_MS);
}
