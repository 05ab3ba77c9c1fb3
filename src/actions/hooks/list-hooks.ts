import type { Hook } from "../../core/hook/hook.ts";
import { isoTime, listText } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import { botOf } from "../../store/bots.ts";
import { listDeliveries } from "../../store/hook-deliveries.ts";
import { listHooks as listStored } from "../../store/hooks.ts";
import type { Caller } from "../../write/caller.ts";
import type { ReadAnswer } from "../answer.ts";

/** Ended ones that are shown, of the newest. */
const MAX_REVOKED = 20;

/** `GET /v1/hooks`: oldest first; of those that have ended the last. */
export function listHooks(deps: With<"store">, { account }: Caller): ReadAnswer {
  const hooks = listStored(deps.store, account.id);
  const ended = hooks.filter(({ state }) => state === "revoked").slice(-MAX_REVOKED);
  const shown = hooks.filter((hook) => hook.state !== "revoked" || ended.includes(hook));
  return {
    body: listText(
      shown.map((hook) => hookResource(deps, hook)),
      null,
    ),
    asOfMs: null,
  };
}

export function hookResource({ store }: With<"store">, hook: Hook) {
  const { id, accountId, name, keyHash, mode, market, maxAgeMs, sameWithinMs, maxSlippageBps, sources } = hook;
  const [last] = listDeliveries(store, id, { before: null, limit: 1 });
  return {
    object: "hook" as const,
    id,
    account: accountId,
    name,
    bot: botOf(store, keyHash),
    key_hash: keyHash,
    mode,
    market,
    max_age_s: maxAgeMs / 1_000,
    same_within_s: sameWithinMs / 1_000,
    max_slippage_bps: maxSlippageBps,
    sources,
    rehearsal: hook.isRehearsal,
    state: hook.state,
    last_alert_at: last === undefined ? null : isoTime(last.receivedAtMs),
    last_alert_status: last?.status ?? null,
    last_alert_reason: last?.reason ?? null,
    created_at: isoTime(hook.createdAtMs),
  };
}
