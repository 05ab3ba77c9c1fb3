import { advanceLeg } from "../../core/advance-leg.ts";
import { alarmIn } from "../../core/alarm.ts";
import type { Attempt, AttemptChange } from "../../core/attempt.ts";
import { excessWords, isTakingOff, REMOVED_WORDS, standingExcess } from "../../core/excess.ts";
import type { KeyAnswer } from "../../core/idempotency.ts";
import { isNamedByLead, isSaidOver, type Leg, type LegEvent } from "../../core/order.ts";
import { orderFromLegs } from "../../core/order-of-legs.ts";
import { IDLE_WORDS, isOfIdle } from "../../core/rails/idle-reduction.ts";
import { orderText } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import { findAttempt, findAttemptByCloid, listAttemptsOf, reopenAttempt, updateAttempt } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { sumFillsOf } from "../../store/fills.ts";
import { deleteKeyRecord, findKeyRecord, storeAnswer } from "../../store/idempotency.ts";
import { findLegByCloid, listLegs, updateLeg } from "../../store/legs.ts";
import { appendNote } from "../../store/notes.ts";
import type { Store } from "../../store/open.ts";
import type { OrderEventType } from "../../store/order-events.ts";
import { findOrder, type Placing, type StoredOrder, settleOrder, updateOrder } from "../../store/orders.ts";
import { hasRestores } from "../../store/restores.ts";
import { mayHaveNamesake } from "../evidence/namesake.ts";
import { isAlwaysPlace } from "../send/intent.ts";
import { answerBatch } from "./batch.ts";
import { OVERRULED } from "./note.ts";

/**
 * Writes down that a leg is over by the exchange's own word: no record that shows it open is believed any more. How much of it was filled
 * by then is for a look to say.
 */
export function recordOver(world: With<"clock" | "store">, leg: Leg): void {
  if (isSaidOver(leg)) return;
  const event = { type: "closing", oid: leg.oid } as const;
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, event, world.clock.nowMs()));
}

/**
 * Applies a fact about one leg (of an answer, a look-up, the feed or a start) to the rows as they stand in the caller's
 * transaction, and derives the order anew. `settlePlacing` does so in one statement. An order also changes without a
 * new fact: by `deriveOrder`, where an attempt ends, a replacement is taken back or a released order is asked for
 * again; by `ops/release-unknown`, which writes its row.
 */
export function recordLegEvent(store: Store, cloid: string, event: LegEvent, nowMs: number): StoredOrder {
  const leg = findLegByCloid(store, cloid);
  const order = leg === null ? null : findOrder(store, leg.orderId);
  if (leg === null || order === null) throw new Error("bug: a report about a leg that we do not have");
  const told = event.type === "proven_absent" ? { ...event, mayHaveNamesake: mayHaveNamesake({ store }, leg) } : event;
  const next = withFillsBefore(store, order, leg, advanceLeg(leg, told));
  if (next === null) {
    noteContradiction(store, { leg, event, nowMs });
    return order;
  }
  if (next === leg) return order;
  if (leg.state === "absent") noteOverruled(store, { leg, event, nowMs });
  if (leg.state === "absent" && next.state !== "rejected") pursueAgain(store, leg);
  if (order.releasedAtMs !== null) noteHeardAgain(store, { leg, event, nowMs });
  updateLeg(store, next, leg);
  return deriveOrder(store, { ...order, releasedAtMs: null }, nowMs);
}

/**
 * Adds the fills that were indexed, and told, under a native id before it was known, or confirmed, that the id is the leg's: whatever
 * shows the order may be from before them.
 */
function withFillsBefore(store: Store, order: StoredOrder, leg: Leg, next: Leg | null): Leg | null {
  if (next === null || next.oid === null || isNamedByLead(next)) return next;
  if (next.oid === leg.oid && !isNamedByLead(leg)) return next;
  if (next.state === "rejected") return next;
  return (
    advanceLeg(next, { type: "fills_seen", filled: sumFillsOf(store, order.accountId, { ...order, oid: next.oid }) }) ??
    next
  );
}

/**
 * `recordLegEvent` and `finishOrderAttempt` in one statement, for the answer that settles a placing, which is most
 * often its first and last news. Returns the answer of its key; null, with nothing changed, where the event brings
 * nothing new or the row is no longer as this process has stored it.
 */
export function settlePlacing(store: Store, placing: Placing, event: LegEvent, nowMs: number): KeyAnswer | null {
  const { order, leg } = placing;
  const next = advanceLeg(leg, event);
  if (next === null || next === leg) return null;
  const derived = { ...orderFromLegs(order, [next], "no"), seenAtMs: nowMs };
  const answer: KeyAnswer = { status: 201, body: orderText(derived) };
  // No leg changes without its order, and no order is modified before its placing is settled: so the order's version
  // speaks for its leg and attempt as well.
  const { seal = null } = sealOf(event);
  return settleOrder(store, placing, { order: derived, leg: next, seal }, answer) ? answer : null;
}

/** What an answer to a placing says of its number: a refusal that was tried has used it, and no copy of it can be taken. */
export function sealOf(event: LegEvent): Pick<AttemptChange, "seal"> {
  return event.type === "turned_away" && event.isNumberUsed ? { seal: "nonce_taken" } : {};
}

/** Brings an order's row in line with its legs and attempts. */
export function deriveOrder(
  store: Store,
  order: StoredOrder,
  nowMs: number,
  told: OrderEventType = "order.updated",
): StoredOrder {
  const attempts = listAttemptsOf(store, order.id);
  const modifies = attempts.filter(({ kind, state }) => kind === "modify" && state !== "done");
  // What a modify places once its original was closed becomes an order of its own: this one stays as it ended.
  const apart = modifies.filter(({ isTargetClosed }) => isTargetClosed);
  const isApart = (leg: Leg) => apart.some(({ cloid }) => cloid === leg.cloid);
  const all = listLegs(store, order.id);
  const legs = all.filter((leg) => !isApart(leg));
  const replacing = modifies.filter(({ isTargetClosed }) => !isTargetClosed);
  const inAnyCase = replacing.some(isAlwaysPlace) ? "in_any_case" : "if_canceled";
  const shown = orderFromLegs(order, legs, replacing.length === 0 ? "no" : inAnyCase);
  const own = shown.error ?? unaskedWords(shown, legs, attempts);
  const derived = { ...shown, error: withAlarms(own, all.filter(isApart)), seenAtMs: nowMs };
  if (!updateOrder(store, derived, order, told)) throw new Error("bug: an order changed inside its own transaction");
  // The key of its batch may still be without an answer, because it was not known how much of this order was filled.
  if (order.batchId !== null && order.status === "unknown" && derived.status !== "unknown")
    answerBatch(store, order.batchId);
  return { ...derived, version: order.version + 1 };
}

/** Adds the alarms of legs that will be orders of their own: until then nothing else tells them. */
function withAlarms(own: string | null, apart: readonly Leg[]): string | null {
  const alarms = apart.flatMap(({ reason }) => alarmIn(reason) ?? []).filter((alarm) => own?.includes(alarm) !== true);
  const words = own === null ? alarms : [own, ...alarms];
  return words.length === 0 ? null : words.join("; ");
}

/** Words for an order's `error` that no leg has: it is more than the order has left, or the gateway has canceled it. */
function unaskedWords(
  { status, exchangeOrderId }: StoredOrder,
  legs: readonly Leg[],
  attempts: readonly Attempt[],
): string | null {
  const isRemoved = attempts.some(
    (each) =>
      each.kind === "cancel" && each.hasLanded && each.targetOid === exchangeOrderId && isTakingOff(each, attempts),
  );
  if (status === "canceled") {
    if (isRemoved) return REMOVED_WORDS;
    return attempts.some((each) => isOfIdle(each) && each.hasLanded) ? IDLE_WORDS : null;
  }
  const isOpen = status === "open" || status === "waiting_for_trigger";
  const excess = isOpen ? standingExcess(legs, attempts) : null;
  return excess?.kind === "live" ? excessWords(excess.by) : null;
}

/** Notes a report that contradicts what the exchange itself has said: kept as evidence, never applied. */
function noteContradiction(store: Store, seen: { leg: Leg; event: LegEvent; nowMs: number }): void {
  appendNote(store, {
    resourceId: seen.leg.orderId,
    attemptId: null,
    atMs: seen.nowMs,
    what: "contradiction",
    detail: `${seen.leg.cloid} is ${seen.leg.state} by the exchange's word, then reported ${seen.event.type}`,
  });
}

/** Notes that there is news of an order that the operator had given up as unknown: it is looked up again. */
function noteHeardAgain(store: Store, seen: { leg: Leg; event: LegEvent; nowMs: number }): void {
  appendNote(store, {
    resourceId: seen.leg.orderId,
    attemptId: null,
    atMs: seen.nowMs,
    what: "heard of again",
    detail: `${seen.leg.cloid} was released as unknown, then reported ${seen.event.type}`,
  });
}

/** Notes that the exchange shows what we had concluded never arrived: the exchange is right. */
function noteOverruled(store: Store, seen: { leg: Leg; event: LegEvent; nowMs: number }): void {
  appendNote(store, {
    resourceId: seen.leg.orderId,
    attemptId: null,
    atMs: seen.nowMs,
    what: OVERRULED,
    detail: `${seen.leg.cloid} was concluded absent (${seen.leg.reason ?? "no reason"}), then reported ${seen.event.type}`,
  });
}

/** Opens a settled attempt again that placed the leg after all: it is pursued like one whose answer was lost. */
function pursueAgain(store: Store, { cloid }: Leg): void {
  const attempt = findAttemptByCloid(store, cloid);
  if (attempt?.state === "done" && attempt.seal !== "noop") reopenAttempt(store, attempt);
}

/**
 * Ends an attempt and fixes the answer of its key: the order as it stands now. Returns that answer; null where it was
 * fixed before, or is not this order's to give. `error` stands in for the order's own where the answer says what the
 * order does not keep (a refused cancel); `order` is the order as it stands in this transaction, for a caller that has
 * it.
 */
export function finishOrderAttempt(
  store: Store,
  attempt: Attempt,
  end: { nowMs: number; error?: string | null; change?: AttemptChange; order?: StoredOrder },
): KeyAnswer | null {
  const before = end.order?.id === attempt.resource.id ? end.order : findOrder(store, attempt.resource.id);
  if (before === null) throw new Error("bug: an attempt without its order");
  const isFirst = updateAttempt(store, attempt, { ...end.change, state: "done", settledAtMs: end.nowMs });
  if (!isFirst) return null;
  if (attempt.kind === "place" && before.batchId !== null) return answerBatch(store, before.batchId);
  // An open modify may be what kept the order `unknown`: that ends with it, before it is answered.
  const order = attempt.kind === "modify" ? deriveOrder(store, before, end.nowMs) : before;
  // After a restore the key may have been passed on to the order that it placed since the snapshot.
  const record = hasRestores(store) ? findKeyRecord(store, attempt.accountId, attempt.idempotencyKey) : null;
  if (record !== null && record.resource.id !== attempt.resource.id) return null;
  const shown = end.error === undefined || end.error === null ? order : { ...order, error: end.error };
  const answer: KeyAnswer = { status: attempt.kind === "place" ? 201 : 200, body: orderText(shown) };
  const isFixed = storeAnswer(store, attempt, answer);
  return isFixed ? answer : null;
}

/** Marks an attempt whose outcome is lost: its order is `unknown` until a look-up or a seal says otherwise. */
export function markAmbiguous(
  store: Store,
  attempt: Attempt,
  lost: { reason: string; text: string | null; nowMs: number },
): void {
  updateAttempt(store, attempt, {
    state: "ambiguous",
    sentAtMs: attempt.createdAtMs,
    ...(lost.text === null ? {} : { answerText: lost.text }),
  });
  appendNote(store, {
    resourceId: attempt.resource.id,
    attemptId: attempt.id,
    atMs: lost.nowMs,
    what: "outcome lost",
    detail: lost.text === null ? lost.reason : `${lost.reason} (${lost.text})`,
  });
  if (attempt.cloid !== null) recordLegEvent(store, attempt.cloid, { type: "lost", reason: lost.reason }, lost.nowMs);
}

/** The attempt as it stands now, or null once it is done or taken back, or while its order is given up. */
export function openAttempt(store: Store, id: number): Attempt | null {
  const attempt = findAttempt(store, id);
  return attempt === null || attempt.state === "done" || isReleased(store, attempt) ? null : attempt;
}

function isReleased(store: Store, { resource }: Attempt): boolean {
  return resource.kind === "order" && (findOrder(store, resource.id)?.releasedAtMs ?? null) !== null;
}

/** Gives a key back, inside the caller's transaction, when it is proven that no byte of its request left. */
export function releaseKey(store: Store, attempt: Attempt): void {
  deleteKeyRecord(store, attempt.accountId, attempt.idempotencyKey);
}
