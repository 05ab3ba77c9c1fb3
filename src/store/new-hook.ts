/** Whether a hook may be made beside those that are there. */
import { type Hook, MAX_HOOKS } from "../core/hook/hook.ts";
import { findApiKey } from "./api-keys.ts";
import { botOf } from "./bots.ts";
import { listHooks } from "./hooks.ts";
import type { Store } from "./open.ts";

/** As whom a hook acts: what it may do its owner has signed. `kind: "fault"` says in words why it acts as nobody. */
export type NewHookKey = { kind: "bot"; accountId: string; bot: string } | { kind: "fault"; words: string };

export function hookKey(store: Store, keyHash: string): NewHookKey {
  const key = findApiKey(store, keyHash);
  const bot = botOf(store, keyHash);
  const fault = (words: string): NewHookKey => ({ kind: "fault", words });
  if (key === null || key.state !== "active" || key.fault !== null)
    return fault("no key with this hash is registered and active");
  if (bot === null) return fault("this key has no rails: a hook acts as a bot whose rails its owner has signed");
  if (!key.scopes.includes("trading:write")) return fault("this key may not write");
  return { kind: "bot", accountId: key.accountId, bot };
}

/** What stands in its way, in words; null where nothing does. */
export function hookObstacle(store: Store, hook: Hook, bot: string): string | null {
  const others = listHooks(store, hook.accountId).filter(({ state }) => state !== "revoked");
  if (others.length >= MAX_HOOKS) return `an account has at most ${MAX_HOOKS} hooks: revoke one`;
  if (others.some(({ name }) => name === hook.name)) return `there is a hook ${hook.name} already`;
  if (hook.mode !== "target" || hook.isRehearsal) return null;
  // Each would undo what the other says.
  const rival = others.find(
    ({ mode, market, keyHash, isRehearsal }) =>
      mode === "target" &&
      !isRehearsal &&
      botOf(store, keyHash) === bot &&
      (market === null || hook.market === null || market === hook.market),
  );
  return rival === undefined
    ? null
    : `hook ${rival.name} says already what bot ${bot} is to hold there: one bot, one target`;
}
