import { stopResource } from "../core/resource.ts";
import { MAX_SLIPPAGE_BPS } from "../core/worst-price.ts";
import { beginFlatten, whyNotFlat } from "../settle/stop/begin-flatten.ts";
import { beginStop, listAlike } from "../settle/stop/begin-stop.ts";
import { findAccount } from "../store/accounts.ts";
import { findApiKey } from "../store/api-keys.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { findStop, listStandingStops, resumeStops } from "../store/stops.ts";
import { type Operator, OperatorError } from "./operator.ts";

export type OperatorsStop = {
  accountId: string;
  /** Of the API key whose orders it is to cover; null for the whole account. */
  keyHash: string | null;
  keepsProtection: boolean;
};

/** Stops an account, or an API key, at once; what was signed before is withdrawn by the running gateway, or by the next one. */
export function stopByOperator(
  operator: Operator,
  { accountId, keyHash, keepsProtection }: OperatorsStop,
  actor = "operator",
) {
  return inTransaction(operator.store, (store) => {
    if (findAccount(store, accountId) === null) throw new OperatorError(`there is no account ${accountId}`);
    if (keyHash !== null && findApiKey(store, keyHash)?.accountId !== accountId)
      throw new OperatorError("no key with this hash is registered for the account");
    const asked = { accountId, scope: keyHash === null ? "account" : "bot", keyHash, keepsProtection } as const;
    const wanted = { ...asked, cause: "asked", actor, idempotencyKey: null } as const;
    return stopResource(listAlike(store, asked)[0] ?? beginStop(store, operator, wanted));
  });
}

export type OperatorsFlatten = { accountId: string; stopId: string; maxSlippageBps: number };

/** What is held by whom a stop covers is closed by the running gateway, or by the next one. */
export function flattenByOperator(operator: Operator, { accountId, stopId, maxSlippageBps }: OperatorsFlatten) {
  const isBps = Number.isInteger(maxSlippageBps) && maxSlippageBps >= 1 && maxSlippageBps <= MAX_SLIPPAGE_BPS;
  if (!isBps) throw new OperatorError(`the slippage is a whole number of basis points, 1 to ${MAX_SLIPPAGE_BPS}`);
  return inTransaction(operator.store, (store) => {
    const stop = findStop(store, stopId);
    if (stop === null || stop.accountId !== accountId) throw new OperatorError(`there is no stop ${stopId}`);
    const why = whyNotFlat(store, stop);
    if (why !== null) throw new OperatorError(`${why} Stop ${stopId} stays as it is.`);
    beginFlatten(store, operator, { stop, actor: "operator", askedBy: null, maxSlippageBps });
    return { account: accountId, stop: stopId, max_slippage_bps: maxSlippageBps };
  });
}

/** Ends one stop of an account, or all that stand. What was canceled stays canceled. */
export function resumeTrading(operator: Operator, given: { accountId: string; stopId: string | null }) {
  const atMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const ids = idsToResume(store, given);
    resumeStops(store, ids, { actor: "operator", atMs });
    return { account: given.accountId, resumed: ids };
  });
}

function idsToResume(store: Store, { accountId, stopId }: { accountId: string; stopId: string | null }): string[] {
  // One whose row was changed stands twice: as it was sealed, and as it is.
  const standing = [...new Set(listStandingStops(store, accountId).map(({ id }) => id))];
  if (stopId === null) return standing;
  if (!standing.includes(stopId)) throw new OperatorError(`stop ${stopId} does not stand`);
  return [stopId];
}
