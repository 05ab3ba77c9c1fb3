import type { Attempt } from "../../core/attempt.ts";
import { uuidOfCloid } from "../../core/cloid.ts";
import { type Excess, excessOf, isTakingOff } from "../../core/excess.ts";
import type { ModifyRefusal } from "../../core/modify-evidence.ts";
import { isClosed, type Leg, type LegEvent, wasTaken } from "../../core/order.ts";
import { orderText } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf, updateAttempt } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { storeAnswer } from "../../store/idempotency.ts";
import { findLegByCloid, listLegs, moveLeg, updateLeg } from "../../store/legs.ts";
import { appendNote, listNotes } from "../../store/notes.ts";
import type { Store } from "../../store/open.ts";
import { findOrder, insertUntold, type StoredOrder } from "../../store/orders.ts";
import { mayLeaveNumber, modifyRefusal } from "../../wire/answer/refusal.ts";
import type { Reply } from "../../wire/answer/reply.ts";
import { DIFFERENCE } from "../evidence/namesake.ts";
import { asFarAsNamed, isOpenStill, readPlaceReply, recordLost } from "../place/place.ts";
import { deriveOrder, finishOrderAttempt, recordLegEvent, sealOf } from "../record/record.ts";

/** The leg that a modify replaces and the one that it places. */
export type ModifyLegs = { order: StoredOrder; replaced: Leg; replacement: Leg };

export function legsOfModify(world: With<"store">, attempt: Attempt): ModifyLegs {
  const order = findOrder(world.store, attempt.resource.id);
  const replacement = attempt.cloid === null ? null : findLegByCloid(world.store, attempt.cloid);
  // By native id: the leg before it may be the replacement of an earlier modify that never arrived.
  const replaced = listLegs(world.store, attempt.resource.id).find((leg) => leg.oid === attempt.targetOid);
  if (order === null || replacement === null || replaced === undefined)
    throw new Error("bug: a modify without its legs");
  return { order, replaced, replacement };
}

/**
 * Writes down what the exchange answered to a modify. It never settles it: whatever the answer says of the
 * replacement, what became of the original has to be looked up.
 */
export function recordModifyReply(world: With<"clock" | "store">, attempt: Attempt, reply: Reply): void {
  const { replaced, replacement } = legsOfModify(world, attempt);
  const nowMs = world.clock.nowMs();
  const said = asFarAsNamed(readPlaceReply(replacement, reply), reply);
  const event = namesOriginal(said, replaced) ? NAMES_ORIGINAL : said;
  inTransaction(world.store, () => {
    if (isOpenStill(event)) return recordLost(world.store, attempt, { leg: replacement, event, reply, nowMs });
    const answerText = tellingRefusal(reply);
    const change = { state: "ambiguous", sentAtMs: attempt.createdAtMs, answerText, ...sealOf(event) } as const;
    updateAttempt(world.store, attempt, change);
    recordLegEvent(world.store, replacement.cloid, event, nowMs);
  });
}

/** What replaces an order has a native id of its own. */
function namesOriginal(said: LegEvent, { oid }: Leg): boolean {
  return "oid" in said && said.oid !== null && said.oid === oid;
}

const NAMES_ORIGINAL: LegEvent = {
  type: "lost",
  reason: "the exchange answered a modify with the native id of what it replaces",
};

/** The exchange's words where they tell what became of the original, or that a copy may still be executed; kept, because a later process has to know them. */
function tellingRefusal(reply: Reply): string | null {
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  const text = reply.kind === "refused" ? reply.text : entry?.kind === "error" ? entry.text : null;
  if (text === null) return null;
  const isTelling = modifyRefusal(text, reply.kind === "refused") !== null;
  return isTelling || (reply.kind === "refused" && mayLeaveNumber(text)) ? text : null;
}

/** What the exchange's answer to a refused modify says of its original. */
export function refusalOf({ answerText }: Attempt, replacement: Leg): ModifyRefusal {
  const isRefused = replacement.state === "rejected" || replacement.state === "absent";
  return !isRefused || answerText === null ? null : modifyRefusal(answerText, true);
}

/**
 * True while what the modify placed beside its original is live and a cancel of the order is armed: the cancel is for
 * everything that was out when it was asked for, and finds it only as a leg of the order.
 */
export function isToBeCanceled(world: With<"store">, attempt: Attempt): boolean {
  const { replaced, replacement } = legsOfModify(world, attempt);
  const isBeside = replaced.state !== "canceled" || attempt.isTargetClosed;
  if (!isBeside || isClosed(replacement)) return false;
  return listAttemptsOf(world.store, attempt.resource.id).some(
    ({ kind, state }) => kind === "cancel" && state !== "done",
  );
}

/** Until then the order is shown as it ended itself. */
export function keepApart(world: With<"clock" | "store">, attempt: Attempt): void {
  const { order, replaced } = legsOfModify(world, attempt);
  inTransaction(world.store, () => {
    updateAttempt(world.store, attempt, { isTargetClosed: true });
    deriveOrder(world.store, { ...order, ...originalTerms(order, replaced) }, world.clock.nowMs());
  });
}

/** Where a modify stands once both legs are known; `excess` asks for the reduction that a race may need. */
export type ModifyEnd = { kind: "ended" } | { kind: "excess"; excess: Excess & { kind: "live" } };

/**
 * Ends a modify whose two legs are known, in one transaction. What was taken although this modify did not cancel the
 * original is an order of its own, also where it was refused when its trigger fired.
 *
 * @param isCanceledByIt the modify is known to have canceled its original, although what it placed was refused
 */
export function finishModify(world: With<"clock" | "store">, attempt: Attempt, isCanceledByIt: boolean): ModifyEnd {
  const { order, replaced, replacement } = legsOfModify(world, attempt);
  const isTaken = wasTaken(replacement);
  const isRefused = replacement.state === "rejected" || replacement.state === "absent";
  const isReplaced = replaced.state === "canceled" && !attempt.isTargetClosed;
  const attempts = listAttemptsOf(world.store, order.id);
  const isReduction = isTakingOff(attempt, attempts);
  if (isRefused ? isReduction : isReplaced) {
    const excess = excessOf(listLegs(world.store, order.id), isRefused ? replaced : replacement, attempt.intendedTotal);
    if (excess.kind === "live") return { kind: "excess", excess };
    if (excess.kind === "past") tellPast(world, excess);
  }
  inTransaction(world.store, () => {
    const nowMs = world.clock.nowMs();
    if (isTaken && !isReplaced) return splitOff(world, attempt, { order, replaced, replacement });
    const isTold = isRefused && isReplaced && isCanceledByIt && replaced.reason === null;
    const refusal = replacement.reason ?? "no reason given";
    if (isTold) {
      const what = isReduction ? REDUCED : "The modify canceled the order and its replacement was refused";
      const reason = `${what}: ${refusal}`;
      updateLeg(world.store, { ...replaced, reason });
    }
    // That what it had placed could not be reduced says nothing against the modify that a client asked for.
    const error = isRefused && !isTold && !isReduction ? `The modify was not carried out: ${refusal}` : null;
    finishOrderAttempt(world.store, attempt, { nowMs, error });
  });
  return { kind: "ended" };
}

const REDUCED = "The order was canceled to take off what the modify had placed too much, and the rest was refused";

/** What has been filled beyond what was asked for, in words that stay with the order. */
export function tellPast(world: With<"clock" | "store">, { leg, by }: Excess & { kind: "past" }): void {
  const reason = `${by} more than asked for was filled: the order was filled further while it was being replaced.`;
  const nowMs = world.clock.nowMs();
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, { type: "doubted", reason }, nowMs));
}

/** The replacement becomes an order of its own, under the UUID of its client order id; the original keeps its state. */
function splitOff(world: With<"clock" | "store">, attempt: Attempt, legs: ModifyLegs): void {
  const { store } = world;
  const { order, replaced, replacement } = legs;
  const nowMs = world.clock.nowMs();
  const id = uuidOfCloid(replacement.cloid);
  if (id === null) throw new Error("bug: a client order id of ours that is no uuid");
  const fresh: StoredOrder = {
    ...order,
    id,
    size: replacement.size,
    price: replacement.price,
    timeInForce: replacement.timeInForce,
    trigger: replacement.trigger,
    status: "unknown",
    exchangeOrderId: null,
    filledSize: null,
    averagePrice: null,
    error: null,
    // Whoever has read all that came before this would not find one of before that.
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    releasedAtMs: null,
    idempotencyKey: attempt.idempotencyKey,
    // It was asked for by itself, whatever it was to replace.
    batchId: null,
    batchIndex: 0,
    version: 0,
  };
  // First, because an open modify keeps its order `unknown`.
  updateAttempt(store, attempt, { state: "done", settledAtMs: nowMs });
  insertUntold(store, fresh);
  moveLeg(store, replacement.cloid, { orderId: id, ordinal: 0 });
  copyDifferences(store, { cloid: replacement.cloid, from: order.id, to: id });
  const split = deriveOrder(store, fresh, nowMs, "order.created");
  // Back to its own terms: the newer leg is no longer one of its legs.
  deriveOrder(store, { ...order, ...originalTerms(order, replaced) }, nowMs);
  storeAnswer(store, attempt, { status: 200, body: orderText(split) });
}

/** What was shown under its client order id goes along: that a namesake stands there is asked of the leg's own order. */
function copyDifferences(store: Store, { cloid, from, to }: { cloid: string; from: string; to: string }): void {
  const own = listNotes(store, from).filter(({ what, detail }) => what === DIFFERENCE && detail.startsWith(cloid));
  for (const note of own) appendNote(store, { ...note, resourceId: to, attemptId: null });
}

function originalTerms(
  order: StoredOrder,
  leg: Leg,
): Pick<Leg, "price" | "timeInForce" | "trigger"> & { size: string } {
  const { price, timeInForce, trigger } = leg;
  // `size` of a first leg is the order's as sent; of a later one it is derived from the legs.
  return { size: leg.ordinal === 0 ? leg.size : order.size, price, timeInForce, trigger };
}
