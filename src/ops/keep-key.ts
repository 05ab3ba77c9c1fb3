import { findApiKey, setKeyState } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { type Operator, OperatorError } from "./operator.ts";

/** What was traded since the snapshot is not known, and with it how much of its rails is used. */
const OWNERS_TO_SAY =
  "a key with rails comes back by its owner's grant, and by nothing else: postern key grant --bot …";

/** Releases a key that a restore put on hold. Nothing brings back a revoked or blocked one. */
export function keepKey(operator: Operator, keyHash: string): { accountId: string } {
  const nowMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const key = findApiKey(store, keyHash);
    if (key === null) throw new OperatorError("no key with this hash is registered");
    if (key.state === "active") return { accountId: key.accountId };
    if (key.limited !== null) throw new OperatorError(OWNERS_TO_SAY);
    if (key.state !== "held") throw new OperatorError(`the key is ${key.state}, and that is one-way`);
    setKeyState(store, keyHash, "active", nowMs);
    const detail = { account: key.accountId };
    appendAudit(store, { atMs: nowMs, actor: "operator", event: "key_kept", reference: keyHash, detail });
    return { accountId: key.accountId };
  });
}
