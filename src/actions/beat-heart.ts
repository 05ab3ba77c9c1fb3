import { ApiError } from "../core/errors.ts";
import { heartbeatResource, noHeartbeatResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findApiKey } from "../store/api-keys.ts";
import { botOf } from "../store/bots.ts";
import { findHeartbeat, heartbeatHolder } from "../store/heartbeats.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";

/**
 * `PUT /v1/heartbeat`: the bot of this key lives, and is silent for longer than this only when it does not. Null takes it
 * back. It is heard in every state but a trial: nobody should be taken for dead because we have just started.
 */
export function beatHeart(
  deps: With<"heartbeats" | "store">,
  { account, key }: Caller,
  { withinS }: { withinS: number | null },
): string {
  // It may have been revoked or blocked since it was let in: whoever holds it has no say any more in how long it may be silent.
  const known = findApiKey(deps.store, key.keyHash);
  if (known?.state !== "active" || known.fault !== null)
    throw new ApiError("revoked_api_key", "This API key has been revoked. Nothing was armed.");
  const withinMs = withinS === null ? null : withinS * 1_000;
  return JSON.stringify(heartbeatResource(deps.heartbeats.beat(account.id, key.keyHash, withinMs)));
}

/** `GET /v1/heartbeat`: what is listened for of this key, or of its bot. */
export function getHeartbeat({ store }: With<"store">, { account, key: { keyHash } }: Caller): ReadAnswer {
  const heartbeat = findHeartbeat(store, account.id, heartbeatHolder(store, keyHash));
  const bot = botOf(store, keyHash);
  const shown = heartbeat === null ? noHeartbeatResource(account.id, { keyHash, bot }) : heartbeatResource(heartbeat);
  return { body: JSON.stringify(shown), asOfMs: null };
}
