import { ApiError } from "../core/errors.ts";
import type { Flatten } from "../core/flatten.ts";
import type { Stop } from "../core/stop.ts";
import { DEFAULT_SLIPPAGE_BPS } from "../core/worst-price.ts";
import type { With } from "../deps.ts";
import { beginFlatten, whyNotFlat } from "../settle/stop/begin-flatten.ts";
import { findApiKey } from "../store/api-keys.ts";
import { botOf } from "../store/bots.ts";
import { inTransaction } from "../store/commit.ts";
import { railsOfKey } from "../store/narrowings.ts";
import type { Store } from "../store/open.ts";
import type { Caller } from "../write/caller.ts";
import { requireStop, stopShown } from "./stop-trading.ts";

type ToFlattenStop = With<"clock" | "flattener" | "stopper" | "store">;

/**
 * `POST /v1/stops/{id}/flatten`: what is held by whom the stop covers is closed once nothing can increase it. Asked for again
 * while it goes on it is the same; afterwards it begins anew with what is left.
 */
export function flattenStop(
  deps: ToFlattenStop,
  caller: Caller,
  { id, maxSlippageBps }: { id: string; maxSlippageBps: number | null },
): { status: 202; body: string; isReplay: boolean } {
  const stop = requireStop(deps, caller.account.id, id);
  inTransaction(deps.store, (store): Flatten => {
    requireMay(store, caller, stop);
    const why = whyNotFlat(store, stop);
    if (why !== null) throw new ApiError("stop_not_flattenable", `${why} Nothing was closed.`);
    const asked = { actor: caller.key.keyHash, askedBy: caller.key.keyHash };
    return beginFlatten(store, deps, { stop, ...asked, maxSlippageBps: maxSlippageBps ?? DEFAULT_SLIPPAGE_BPS });
  });
  deps.flattener.heed();
  return { status: 202, body: JSON.stringify(stopShown(deps, stop)), isReplay: false };
}

/** It may have been revoked since it was let in; and a bot that is held to rails closes what is its own. */
function requireMay(store: Store, { key: { keyHash } }: Caller, stop: Stop): void {
  const key = findApiKey(store, keyHash);
  if (key?.state !== "active" || key.fault !== null)
    throw new ApiError("revoked_api_key", "This API key has been revoked. Nothing was closed.");
  const rails = railsOfKey(store, keyHash);
  if (rails === null) return;
  const isOwn = stop.scope === "bot" && botOf(store, stop.keyHash) === rails.bot;
  if (isOwn && rails.may.includes("reduce")) return;
  throw new ApiError(
    "rail_refused",
    "A key with rails flattens the stops of its own bot, where it may reduce. Nothing was closed.",
  );
}
