import type { Attempt } from "../core/attempt.ts";
import { isoTime } from "../core/resource.ts";
import { listAttemptsOf, updateAttempt } from "../store/attempts.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { appendNote } from "../store/notes.ts";
import type { Store } from "../store/open.ts";
import { findOperation, type StoredOperation, updateOperation } from "../store/operations.ts";
import { findOrder, type StoredOrder, updateOrder } from "../store/orders.ts";
import { type Operator, OperatorError } from "./operator.ts";

/** Nothing is given up before it has been unknown for so long, milliseconds: a day in which the exchange was asked. */
export const UNKNOWN_FOR_MS = 24 * 60 * 60 * 1_000;

export type Released = { kind: "order" | "operation"; id: string; accountId: string; releasedAtMs: number };

/**
 * Gives up an outcome that nobody could learn: it stays `unknown` and says so, nothing is looked up or sent for it any more,
 * and it no longer counts where unknown outcomes are counted. A later report overrules this, as it overrules everything
 * that is not the exchange's own word.
 */
export function releaseUnknown(operator: Operator, id: string): Released {
  return inTransaction(operator.store, (store) => {
    const order = findOrder(store, id);
    if (order !== null) return releaseOrder(operator, store, order);
    const operation = findOperation(store, id);
    if (operation !== null) return releaseOperation(operator, store, operation);
    throw new OperatorError(`there is no order or operation ${id} in this data directory`);
  });
}

function releaseOrder({ clock }: Operator, store: Store, order: StoredOrder): Released {
  const { id, accountId, status } = order;
  if (order.releasedAtMs !== null) return { kind: "order", id, accountId, releasedAtMs: order.releasedAtMs };
  const nowMs = clock.nowMs();
  requireLongUnknown({ what: `order ${id}`, status, sinceMs: unknownSince(order, listAttemptsOf(store, id)), nowMs });
  const error = released(order.error, nowMs);
  const isUpdated = updateOrder(store, { ...order, releasedAtMs: nowMs, error });
  if (!isUpdated) throw new Error("bug: an order changed inside its own transaction");
  tell(store, { kind: "order", id, accountId, releasedAtMs: nowMs });
  return { kind: "order", id, accountId, releasedAtMs: nowMs };
}

/** From the last word of the exchange about it, or from the last thing that was sent to place or change it. */
function unknownSince({ createdAtMs, seenAtMs }: StoredOrder, attempts: readonly Attempt[]): number {
  const placing = attempts.filter(({ kind, state }) => kind !== "cancel" && state !== "done");
  return Math.max(createdAtMs, seenAtMs ?? 0, ...placing.map((attempt) => attempt.createdAtMs));
}

/** What settling gave up long ago, or could not even ask for, counts until somebody has read it. */
function releaseOperation({ clock }: Operator, store: Store, operation: StoredOperation): Released {
  const { id, accountId, status, createdAtMs, exchangeId } = operation;
  if (operation.releasedAtMs !== null) {
    return { kind: "operation", id, accountId, releasedAtMs: operation.releasedAtMs };
  }
  const nowMs = clock.nowMs();
  requireLongUnknown({ what: `operation ${id}`, status, sinceMs: createdAtMs, nowMs });
  for (const attempt of listAttemptsOf(store, id)) {
    updateAttempt(store, attempt, { state: "done", settledAtMs: nowMs });
  }
  const error = released(operation.error, nowMs);
  updateOperation(store, id, { status: "unknown", exchangeId, error, releasedAtMs: nowMs }, nowMs);
  tell(store, { kind: "operation", id, accountId, releasedAtMs: nowMs });
  return { kind: "operation", id, accountId, releasedAtMs: nowMs };
}

type UnknownStanding = { what: string; status: string; sinceMs: number; nowMs: number };

function requireLongUnknown({ what, status, sinceMs, nowMs }: UnknownStanding): void {
  if (status !== "unknown") throw new OperatorError(`${what} is ${status}: only what is unknown can be released`);
  if (nowMs - sinceMs >= UNKNOWN_FOR_MS) return;
  const since = `${what} has been unknown since ${isoTime(sinceMs)} and is still being looked up`;
  throw new OperatorError(`${since}; it can be released after 24 hours, from ${isoTime(sinceMs + UNKNOWN_FOR_MS)} on`);
}

function released(error: string | null, nowMs: number): string {
  const words = `Released by the operator on ${isoTime(nowMs)}: its outcome was never learned.`;
  return error === null ? words : `${words} Before that: ${error}`;
}

function tell(store: Store, { kind, id, accountId, releasedAtMs: atMs }: Released): void {
  const detail =
    "by the operator: its outcome was never learned, and it is no longer looked up; a later report still counts";
  appendNote(store, { resourceId: id, attemptId: null, atMs, what: "released", detail });
  appendAudit(store, {
    atMs,
    actor: "operator",
    event: "unknown_released",
    reference: id,
    detail: { kind, account: accountId },
  });
}
