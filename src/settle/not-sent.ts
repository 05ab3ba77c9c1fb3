import type { Attempt } from "../core/attempt.ts";
import { deleteAttempt } from "../store/attempts.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { deleteOperation } from "../store/operations.ts";
import { deleteLeg, deleteOrder } from "../store/orders.ts";
import { releaseKey } from "./record.ts";

/**
 * Takes an intent back, in one transaction, when it is proven that no byte of it left: the key is as unused as
 * before. The audit log keeps its row and gains one that says so.
 */
export function takeBack(store: Store, attempt: Attempt, why: { reason: string; nowMs: number }): void {
  inTransaction(store, () => {
    deleteAttempt(store, attempt.id);
    releaseKey(store, attempt);
    if (attempt.resource.kind === "operation") deleteOperation(store, attempt.resource.id);
    else if (attempt.kind === "place") deleteOrder(store, attempt.resource.id);
    else if (attempt.cloid !== null) deleteLeg(store, attempt.cloid);
    appendAudit(store, {
      atMs: why.nowMs,
      actor: "gateway",
      event: "not_sent",
      reference: attempt.resource.id,
      detail: { kind: attempt.kind, nonce: attempt.nonce, reason: why.reason },
    });
  });
}
