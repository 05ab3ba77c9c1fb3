import { withdrawalOf, withdrawKey } from "../settle/stop/begin-stop.ts";
import { findApiKey, setKeyState } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { type Operator, OperatorError } from "./operator.ts";

export type Blocked = {
  accountId: string;
  /** The stop that withdraws what the key has placed; null where none was asked for. */
  stopId: string | null;
};

/** The emergency brake: refuses a key at once, without the owner's signature, for good; where it is asked for, its orders go. */
export function blockKey(operator: Operator, keyHash: string, isToCancel = false): Blocked {
  const nowMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const key = findApiKey(store, keyHash);
    if (key === null) throw new OperatorError("no key with this hash is registered");
    const { accountId } = key;
    if (key.state !== "blocked") {
      setKeyState(store, keyHash, "blocked", nowMs);
      const detail = { account: accountId };
      appendAudit(store, { atMs: nowMs, actor: "operator", event: "key_blocked", reference: keyHash, detail });
    }
    const ended = { accountId, keyHash, cause: "key_blocked", actor: "operator" } as const;
    // Blocked once more without the word, what was begun goes on.
    const withdrawal = isToCancel ? withdrawKey(store, operator, ended) : withdrawalOf(store, ended);
    return { accountId, stopId: withdrawal?.id ?? null };
  });
}
