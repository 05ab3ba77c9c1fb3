import { findApiKey, setKeyState } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { countDayAsUsed } from "../store/trips.ts";
import { type Operator, OperatorError } from "./operator.ts";
import { knownUntilMs } from "./since-backup.ts";

/** What was traded since the snapshot is not known, and with it how much of its rails is used. */
const OWNERS_TO_SAY =
  "what its owner has signed or narrowed since the snapshot is not known: have the owner sign its grant again (postern key grant --bot …), or take the older rails with --accept-older-rails";

/** `knownUntilMs`: what was taken away later, by a stop for one, is not known; null where no restore was. */
export type KeptKey = { accountId: string; knownUntilMs: number | null };

/** Releases a key that a restore put on hold. Nothing brings back a revoked or blocked one. */
export function keepKey(operator: Operator, keyHash: string, takesOlderRails = false): KeptKey {
  const nowMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const key = findApiKey(store, keyHash);
    if (key === null) throw new OperatorError("no key with this hash is registered");
    const kept = { accountId: key.accountId, knownUntilMs: knownUntilMs(store, key.accountId) };
    if (key.state === "active") return kept;
    if (key.limited !== null && !takesOlderRails) throw new OperatorError(OWNERS_TO_SAY);
    if (key.state !== "held") throw new OperatorError(`the key is ${key.state}, and that is one-way`);
    setKeyState(store, keyHash, "active", nowMs);
    if (key.limited !== null) {
      const of = { accountId: key.accountId, bot: key.limited.rails.bot };
      countDayAsUsed(store, of, { atMs: nowMs, actor: "operator" });
    }
    const detail = { account: key.accountId };
    appendAudit(store, { atMs: nowMs, actor: "operator", event: "key_kept", reference: keyHash, detail });
    return kept;
  });
}
