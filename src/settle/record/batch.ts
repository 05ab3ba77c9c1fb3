/**
 * Orders that leave as one action under one number. Each is a placing like any other, with an attempt, evidence and an end of its
 * own; here is what they share: what is known of their number, and the answer of their key.
 */
import type { Attempt, AttemptChange } from "../../core/attempt.ts";
import type { KeyAnswer } from "../../core/idempotency.ts";
import { isNamedByLead, type Leg } from "../../core/order.ts";
import { batchText } from "../../core/resource.ts";
import { listSameAction, updateAttempt } from "../../store/attempts.ts";
import { listBatch, listUnsettledOfBatch } from "../../store/batches.ts";
import { findKeyRecord, storeAnswer } from "../../store/idempotency.ts";
import { findLegByCloid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";

/** Writes down what was learned of an action's number, in every attempt that left under it. */
export function updateNumber(
  store: Store,
  attempt: Attempt,
  change: Pick<AttemptChange, "noops" | "seal" | "hasLanded">,
): void {
  for (const each of listSameAction(store, attempt)) updateAttempt(store, each, change);
}

/** Legs of the other orders of its batch that are, or have been, at the exchange; none for an order that left alone. */
export function listShownBeside(store: Store, attempt: Attempt): Leg[] {
  return listSameAction(store, attempt).flatMap(({ id, cloid }) => {
    const leg = id === attempt.id || cloid === null ? null : findLegByCloid(store, cloid);
    return leg !== null && isShown(leg) ? [leg] : [];
  });
}

/** True where more than a fill names the leg: a fill alone is a lead, and may be somebody else's. */
function isShown(leg: Leg): boolean {
  return leg.oid !== null && !isNamedByLead(leg);
}

/**
 * Fixes what the key of a batch answers, once the outcome of each of its orders is known. Null before that, and where
 * it was fixed before. An order that was settled may be `unknown` again while others are out: it is over, and its size
 * is still being read.
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
