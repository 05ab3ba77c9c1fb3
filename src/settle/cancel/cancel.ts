import type { Account } from "../../core/account.ts";
import type { Attempt } from "../../core/attempt.ts";
import { isTakingOff } from "../../core/excess.ts";
import { isClosed, isLive, isPerhapsOver, type Leg, wasListedSince } from "../../core/order.ts";
import type { Slot, ToSign, With } from "../../deps.ts";
import type { MarketDoubt } from "../../exchange/exchange.ts";
import { listAttemptsOf, updateAttempt } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid, listLegs } from "../../store/legs.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";
import { cancelAction, cancelByCloidAction } from "../../wire/action/cancel.ts";
import { isListedRefusal, plainWords } from "../../wire/answer/refusal.ts";
import { type Reply, wordsWithoutProof } from "../../wire/answer/reply.ts";
import { mayHaveNamesake } from "../evidence/namesake.ts";
import { liveLeg } from "../look/apply-sight.ts";
import { finishOrderAttempt, recordOver } from "../record/record.ts";
import { actionOf, type Intended, isAlwaysPlace, signerOfToday, storeAttempt } from "../send/intent.ts";
import { assetIdOf, listedAssetId } from "./asset-id.ts";

/** What has to be known to cancel one leg of an order. */
export type CancelTarget = { order: StoredOrder; account: Account; leg: Leg; idempotencyKey: string; actor: string };

/**
 * The newest leg that the exchange has confirmed as live: a replacement that is still out may never arrive, and is
 * stopped by a noop at the same moment.
 */
export function legToCancel(legs: readonly Leg[]): Leg | null {
  return legs.findLast((leg) => mayRest(leg)) ?? liveLeg(legs);
}

/** The exchange has confirmed it, and has not said that it is over. */
export function mayRest(leg: Leg): boolean {
  return leg.state === "resting" || leg.state === "armed" || isPerhapsOver(leg);
}

/**
 * True while there may be something to cancel of it: it may live itself, or it has ended, and lists of after its end show it all the
 * same, or a modify that places in any case is still out. What that places becomes an order of its own only once it is settled: until then
 * it is a leg of this one.
 */
export function mayBeCanceled({ store }: With<"store">, { id, status }: StoredOrder): boolean {
  if (isLive(status)) return true;
  const legs = listLegs(store, id);
  if (legs.some(wasListedSince)) return true;
  const open = new Set(legs.flatMap((leg) => (isClosed(leg) ? [] : leg.cloid)));
  return unsettledPlacings({ store }, id).some(
    (attempt) => attempt.cloid !== null && open.has(attempt.cloid) && isAlwaysPlace(attempt),
  );
}

/** By native id; by client order id while the exchange has not named it. */
export function intendedCancel(
  world: With<"markets" | "settings" | "store">,
  { order, account, leg, idempotencyKey, actor }: CancelTarget,
  assetId = assetIdOf(world, order),
): Intended {
  const isFast = mayBeFast(world, order, leg);
  return {
    kind: "cancel",
    account,
    resource: { kind: "order", id: order.id },
    idempotencyKey,
    actor,
    action: leg.oid === null ? cancelByCloidAction(assetId, leg.cloid, isFast) : cancelAction(assetId, leg.oid, isFast),
    cloid: null,
    targetOid: leg.oid,
  };
}

/** The fast lane takes no triggers, fired or not; and where it was of no avail once, the next cancel goes without it. */
function mayBeFast({ settings, store }: With<"settings" | "store">, order: StoredOrder, leg: Leg): boolean {
  if (!settings.areCancelsFast || order.trigger !== null || leg.trigger !== null) return false;
  const attempts = listAttemptsOf(store, order.id);
  const wasOfNoAvail = ({ state, hasLanded }: Attempt) => state !== "prepared" && !hasLanded;
  return !attempts.some((attempt) => isFastCancel(attempt) && isAimedAt(attempt, leg) && wasOfNoAvail(attempt));
}

function isFastCancel(attempt: Attempt): boolean {
  const action = actionOf(attempt);
  return (action?.type === "cancel" || action?.type === "cancelByCloid") && action.f === true;
}

/** The leg that a stored cancel was aimed at. */
export function canceledLeg(world: With<"store">, attempt: Attempt): Leg | null {
  const action = actionOf(attempt);
  if (action?.type === "cancelByCloid") return findLegByCloid(world.store, action.cancels[0]?.cloid ?? "");
  const legs = listLegs(world.store, attempt.resource.id);
  return legs.find((leg) => leg.oid === attempt.targetOid) ?? liveLeg(legs);
}

const NEVER_PLACED = /never placed, already canceled, or filled/;

/** True when the exchange answered this cancel that there is nothing to cancel. */
export function foundNothing({ answerText }: Pick<Attempt, "answerText">): boolean {
  return answerText !== null && NEVER_PLACED.test(answerText);
}

/** What contradicts the list of markets where an order is listed, or shown, and a cancel under the list's number has not found it. */
export const NOT_FOUND_THERE: MarketDoubt = {
  because: "an open order that a cancel does not find there",
  isCertain: false,
};

/** True when it has ended because the exchange refused it: what it was for may rest still. */
export function wasRefused(cancel: Attempt): boolean {
  const { state, hasLanded, answerText } = cancel;
  if (state !== "done" || hasLanded || answerText === null || foundNothing(cancel)) return false;
  return isListedRefusal(answerText);
}

/** The number of the market under which the exchange found nothing of a leg by this cancel; null where it did not say so. */
export function missedUnder(attempt: Attempt, leg: Leg): number | null {
  return foundNothing(attempt) && isAimedAt(attempt, leg) ? assetIdIn(attempt) : null;
}

/**
 * Writes down what the exchange answered to a cancel. Returns true when the cancel has ended; else it stays armed
 * until every leg of the order is closed.
 */
export function recordCancelReply(world: With<"clock" | "store">, attempt: Attempt, reply: Reply): boolean {
  const nowMs = world.clock.nowMs();
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  if (entry?.kind === "success") {
    // It is told as canceled when it is known what had been filled by then.
    const change = { state: "ambiguous", sentAtMs: attempt.createdAtMs, hasLanded: true } as const;
    inTransaction(world.store, () => updateAttempt(world.store, attempt, change));
    return false;
  }
  const refusal = reply.kind === "refused" ? reply.text : entry?.kind === "error" ? entry.text : null;
  // While it is not known what the order is, no answer is final: the cancel stays armed.
  const isShown = findOrder(world.store, attempt.resource.id)?.status !== "unknown";
  const isKnown = isShown && unsettledPlacings(world, attempt.resource.id).length === 0 && !isOfModify(world, attempt);
  if (isKnown && refusal !== null && isListedRefusal(refusal) && !NEVER_PLACED.test(refusal)) {
    inTransaction(world.store, () => {
      finishOrderAttempt(world.store, attempt, {
        nowMs,
        error: `The cancel was refused: ${plainWords(refusal)}`,
        change: { sentAtMs: attempt.createdAtMs, answerText: refusal },
      });
    });
    return true;
  }
  inTransaction(world.store, () => {
    const answerText = refusal ?? (reply.kind === "ambiguous" ? wordsWithoutProof(reply) : null);
    updateAttempt(world.store, attempt, { state: "ambiguous", sentAtMs: attempt.createdAtMs, answerText });
  });
  return false;
}

/** It takes off what a modify placed too much: a refusal of it is no answer to the modify, whose key it has. */
function isOfModify({ store }: With<"store">, attempt: Attempt): boolean {
  return isTakingOff(attempt, listAttemptsOf(store, attempt.resource.id));
}

/** Placings and modifies of an order of which it is not known what became of them. */
export function unsettledPlacings({ store }: With<"store">, orderId: string): Attempt[] {
  return listAttemptsOf(store, orderId).filter(({ state, kind }) => state !== "done" && kind !== "cancel");
}

/** True when nothing of the order can be live any more: every leg closed, every placing and modify settled. */
export function isOver(world: With<"store">, orderId: string): boolean {
  if (unsettledPlacings(world, orderId).length > 0) return false;
  return listLegs(world.store, orderId).every(isClosed);
}

/**
 * The number for a cancel after the last of a leg. Where that found nothing its number may be the wrong one of the two that
 * there are, the list's and the last that was confirmed: the other one is tried, and can cancel no order but this.
 */
function nextAssetId(world: With<"markets" | "store">, order: StoredOrder, leg: Leg): number {
  const usual = assetIdOf(world, order);
  const last = lastCancelOf(world, leg);
  if (last === null || !foundNothing(last)) return usual;
  const listed = listedAssetId(world, order) ?? usual;
  const tried = assetIdIn(last);
  return [usual, listed, order.assetId].find((assetId) => assetId !== tried) ?? usual;
}

function assetIdIn(attempt: Attempt): number | null {
  const action = actionOf(attempt);
  if (action?.type === "cancel") return action.cancels[0]?.a ?? null;
  return action?.type === "cancelByCloid" ? (action.cancels[0]?.asset ?? null) : null;
}

/**
 * Replaces a cancel that has not closed the order by a new one under a new nonce, in one transaction. Cancels may be
 * repeated freely: a late copy can only cancel the same order again.
 */
export function reissueCancel(
  world: ToSign & With<"markets">,
  attempt: Attempt,
  target: CancelTarget,
  slot: Slot,
): Attempt {
  return inTransaction(world.store, () => {
    updateAttempt(world.store, attempt, { state: "done", settledAtMs: world.clock.nowMs() });
    const signer = signerOfToday(world, target.account, attempt);
    const intended = intendedCancel(world, target, nextAssetId(world, target.order, target.leg));
    return storeAttempt(world, intended, { signer, slot });
  });
}

/**
 * The exchange said that it carried the cancel out, and its stores do not show it, or not all that was filled before:
 * until they do, the order is `unknown`.
 */
export function noteCarriedOut(world: With<"clock" | "store">, leg: Leg): void {
  if (!isClosed(leg) && isCarriedOut(world, leg)) recordOver(world, leg);
}

/**
 * True when the exchange said that it carried out a cancel of this leg, whatever it shows of it. By client order id it cancels
 * what bears that: where another order is shown under it, its word may be of that one.
 */
export function isCarriedOut(world: With<"store">, leg: Leg): boolean {
  const isShared = mayHaveNamesake(world, leg);
  return listAttemptsOf(world.store, leg.orderId).some(
    (attempt) =>
      attempt.kind === "cancel" &&
      attempt.hasLanded &&
      isAimedAt(attempt, leg) &&
      (attempt.targetOid !== null || !isShared),
  );
}

/**
 * True when only a cancel by client order id was carried out, of an order that has been named since: what bore that id may have been
 * another's. A cancel by its own id tells, and finds nothing where the first has closed it.
 */
export function isCanceledByNameAlone({ store }: With<"store">, leg: Leg): boolean {
  if (leg.oid === null || isClosed(leg)) return false;
  const cancels = listAttemptsOf(store, leg.orderId).filter((each) => each.kind === "cancel" && isAimedAt(each, leg));
  const isOwn = ({ targetOid, answerText, hasLanded }: Attempt) =>
    targetOid !== null && (hasLanded || foundNothing({ answerText }));
  return cancels.some(({ targetOid, hasLanded }) => targetOid === null && hasLanded) && !cancels.some(isOwn);
}

/** The newest cancel that names a leg; null where there is none. */
export function lastCancelOf({ store }: With<"store">, leg: Leg): Attempt | null {
  const attempts = listAttemptsOf(store, leg.orderId);
  return attempts.findLast((attempt) => attempt.kind === "cancel" && isAimedAt(attempt, leg)) ?? null;
}

/** True when this cancel names that leg. */
export function isAimedAt(attempt: Attempt, { oid, cloid }: Leg): boolean {
  if (attempt.targetOid !== null) return attempt.targetOid === oid;
  const action = actionOf(attempt);
  return action?.type === "cancelByCloid" && action.cancels[0]?.cloid === cloid;
}

/** Ends a cancel whose order is over: the answer is the order as it truly ended. */
export function finishCancel(world: With<"clock" | "store">, attempt: Attempt): void {
  const order = findOrder(world.store, attempt.resource.id);
  if (order === null) throw new Error("bug: a cancel without its order");
  inTransaction(world.store, () => {
    finishOrderAttempt(world.store, attempt, { nowMs: world.clock.nowMs() });
  });
}
