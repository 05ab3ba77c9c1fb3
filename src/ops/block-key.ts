import { findApiKey, setKeyState } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { type Operator, OperatorError } from "./operator.ts";

/** The emergency brake: refuses a key at once, without the owner's signature, for good. */
export function blockKey(operator: Operator, keyHash: string): { accountId: string } {
  const nowMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const key = findApiKey(store, keyHash);
    if (key === null) throw new OperatorError("no key with this hash is registered");
    if (key.state === "blocked") return { accountId: key.accountId };
    setKeyState(store, keyHash, "blocked", nowMs);
    const detail = { account: key.accountId };
    appendAudit(store, { atMs: nowMs, actor: "operator", event: "key_blocked", reference: keyHash, detail });
    return { accountId: key.accountId };
  });
}
