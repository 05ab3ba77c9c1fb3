/** Makes hooks, keeps and ends them. What may send orders is given away, so it is sealed, which takes the passphrase. */
import type { Hook, WantedHook } from "../core/hook/hook.ts";
import { faultOfHook } from "../core/hook/wanted-hook.ts";
import { newUuid } from "../core/uuid.ts";
import { inTransaction } from "../store/commit.ts";
import { findHook, insertHook, releaseHook, revokeHook } from "../store/hooks.ts";
import { hookKey, hookObstacle } from "../store/new-hook.ts";
import { sha256Hex } from "../wire/sha256.ts";
import { type Operator, OperatorError } from "./operator.ts";
import { knownUntilMs } from "./since-backup.ts";

const SECRET_BYTES = 32;
const ID_BYTES = 16;

/** The secret is in what this returns, and nowhere else ever after. */
export function createHook(operator: Operator, wanted: WantedHook) {
  const fault = faultOfHook(wanted);
  if (fault !== null) throw new OperatorError(fault);
  const secret = `hook_${Buffer.from(operator.randomBytes(SECRET_BYTES)).toString("hex")}`;
  const id = newUuid(operator.randomBytes(ID_BYTES));
  const createdAtMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const as = hookKey(store, wanted.keyHash);
    if (as.kind === "fault") throw new OperatorError(as.words);
    const { accountId, bot } = as;
    const secretHash = sha256Hex(secret);
    const hook: Hook = { ...wanted, id, accountId, secretHash, state: "active", createdAtMs };
    const obstacle = hookObstacle(store, hook, bot);
    if (obstacle !== null) throw new OperatorError(obstacle);
    insertHook(store, hook, "operator");
    return { id, account: accountId, name: hook.name, bot, mode: hook.mode, market: hook.market, secret };
  });
}

/** What it has been sent and has not carried out goes with it; orders stay. */
export function endHook(operator: Operator, { id }: { id: string }) {
  const atMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const hook = findHook(store, id);
    if (hook === null) throw new OperatorError(`there is no hook ${id}`);
    if (hook.state !== "revoked") revokeHook(store, hook, { actor: "operator", atMs });
    return { id, name: hook.name, state: "revoked" };
  });
}

/** Takes a hook off the hold that a restore has put it on. Nothing brings back a revoked one. */
export function keepHook(operator: Operator, { id }: { id: string }) {
  const atMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const hook = findHook(store, id);
    if (hook === null) throw new OperatorError(`there is no hook ${id}`);
    if (hook.state === "revoked") throw new OperatorError("the hook is revoked, and that is one-way");
    const as = hookKey(store, hook.keyHash);
    if (as.kind === "fault")
      throw new OperatorError(`${as.words}: release the key that it acts as first (postern key list)`);
    if (hook.state === "held") releaseHook(store, hook, { actor: "operator", atMs });
    const known = knownUntilMs(store, hook.accountId);
    return { id, account: hook.accountId, name: hook.name, bot: as.bot, state: "active", knownUntilMs: known };
  });
}
