import type { Attempt } from "../../core/attempt.ts";
import { deleteAttempt, listSameAction } from "../../store/attempts.ts";
import { appendAudit } from "../../store/audit.ts";
import { inTransaction } from "../../store/commit.ts";
import { deleteLeg } from "../../store/legs.ts";
import { deleteNotes } from "../../store/notes.ts";
import type { Store } from "../../store/open.ts";
import { deleteOperation } from "../../store/operations.ts";
import { deleteOrder, findOrder } from "../../store/orders.ts";
import { deriveOrder, finishOrderAttempt, openAttempt, recordLegEvent, releaseKey } from "./record.ts";

/**
 * Takes an intent back, in one transaction, when it is proven that no byte of it left: the key is as unused as
 * before. The audit log keeps its row and gains one that says so.
 */
export function takeBack(store: Store, attempt: Attempt, why: NotSentCause): void {
  inTransaction(store, () => {
    releaseKey(store, attempt);
    for (const each of listSameAction(store, attempt)) takeBackOne(store, each, why);
  });
}

function takeBackOne(store: Store, attempt: Attempt, why: NotSentCause): void {
  deleteAttempt(store, attempt);
  if (attempt.kind === "place") deleteNotes(store, attempt.resource.id);
  if (attempt.resource.kind === "operation") deleteOperation(store, attempt.resource.id, why.nowMs);
  else if (attempt.kind === "place") deleteOrder(store, attempt.resource.id, why.nowMs);
  else if (attempt.cloid !== null) removeReplacement(store, attempt, { cloid: attempt.cloid, nowMs: why.nowMs });
  auditNotSent(store, attempt, why);
}

/** Deletes the leg that a modify would have placed; the order is no longer `unknown` because of that modify. */
function removeReplacement(
  store: Store,
  { resource }: Attempt,
  { cloid, nowMs }: { cloid: string; nowMs: number },
): void {
  deleteLeg(store, cloid);
  const order = findOrder(store, resource.id);
  if (order?.status === "unknown") deriveOrder(store, order, nowMs);
}

type NotSentCause = { reason: string; nowMs: number };

/**
 * Ends a placing of which it is proven that no byte left, where its order has been shown to somebody already: it stays,
 * as rejected.
 */
export function endUnsent(store: Store, attempt: Attempt, why: NotSentCause): void {
  inTransaction(store, () => {
    for (const each of listSameAction(store, attempt)) endOne(store, each, why);
  });
}

function endOne(store: Store, attempt: Attempt, why: NotSentCause): void {
  // A cancel may have sealed and settled the placing while it was still on its way out.
  if (openAttempt(store, attempt.id) === null) return;
  const { cloid } = attempt;
  if (cloid === null) throw new Error("bug: a placing without a client order id");
  const reason = `The order was never sent: ${why.reason}.`;
  recordLegEvent(store, cloid, { type: "proven_absent", reason, absence: "not_sent" }, why.nowMs);
  finishOrderAttempt(store, attempt, { nowMs: why.nowMs });
  auditNotSent(store, attempt, why);
}

function auditNotSent(store: Store, attempt: Attempt, why: NotSentCause): void {
  appendAudit(store, {
    atMs: why.nowMs,
    actor: "gateway",
    event: "not_sent",
    reference: attempt.resource.id,
    detail: { kind: attempt.kind, nonce: attempt.nonce, reason: why.reason },
  });
}
