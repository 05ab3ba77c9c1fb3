/**
 * Orders that leave as one action under one number. Each is a placing like any other, with an attempt, evidence and an end of its
 * own; here is what they share: what is known of their number, and the answer of their key.
 */
import type { Attempt } from "../../core/attempt.ts";
import type { KeyAnswer } from "../../core/idempotency.ts";
import { isNamedByLead, type Leg } from "../../core/order.ts";
import { batchText } from "../../core/resource.ts";
import { type AttemptChange, listSameAction, updateAttempt } from "../../store/attempts.ts";
import { listBatch, listUnsettledOfBatch } from "../../store/batches.ts";
import { findKeyRecord, storeAnswer } from "../../store/idempotency.ts";
import { findLegByCloid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";

/** Writes down what was learned of the number of an action: of everything that left under it. */
export function updateNumber(
  store: Store,
  attempt: Attempt,
  change: Pick<AttemptChange, "noops" | "seal" | "hasLanded">,
): void {
  for (const each of listSameAction(store, attempt)) updateAttempt(store, each, change);
}

/** Of what left with this one: those that are known to be at the exchange, or to have been. An order of its own has no others. */
export function listShownBeside(store: Store, attempt: Attempt): Leg[] {
  return listSameAction(store, attempt).flatMap(({ id, cloid }) => {
    const leg = id === attempt.id || cloid === null ? null : findLegByCloid(store, cloid);
    return leg !== null && isShown(leg) ? [leg] : [];
  });
}

/** A fill alone is a lead: it may be somebody else's. */
function isShown(leg: Leg): boolean {
  return leg.oid !== null && !isNamedByLead(leg);
}

/**
 * Fixes what the key of a batch answers, once the outcome of each of its orders is known; null before, and where it is fixed. An order
 * that was settled may have become unknown again while others were out: it is over, and its size is being read.
 */
export function answerBatch(store: Store, batchId: string): KeyAnswer | null {
  if (listUnsettledOfBatch(store, batchId).length > 0) return null;
  const orders = listBatch(store, batchId);
  if (orders.some(({ status }) => status === "unknown")) return null;
  const [first] = orders;
  const idempotencyKey = first?.idempotencyKey ?? null;
  if (first === undefined || idempotencyKey === null) throw new Error("bug: a batch without its orders");
  const { accountId } = first;
  // After a restore the key may answer something else.
  if (findKeyRecord(store, accountId, idempotencyKey)?.resource.id !== batchId) return null;
  const answer: KeyAnswer = { status: 201, body: batchText(orders) };
  return storeAnswer(store, { accountId, idempotencyKey }, answer) ? answer : null;
}
