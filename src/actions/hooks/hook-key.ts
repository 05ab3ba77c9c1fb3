import type { ApiKey } from "../../core/account.ts";
import type { Hook } from "../../core/hook/hook.ts";
import { findApiKey } from "../../store/api-keys.ts";
import { railsOf } from "../../store/narrowings.ts";
import type { Store } from "../../store/open.ts";

/** The key as which a hook acts, as long as a request with it would be let in; the bot is the key's. */
export type HookKey = { key: ApiKey; bot: string; sources: readonly string[] | null };

/** Null where it may not act: blocked, revoked, held after a restore, changed from outside, or without rails. */
export function hookKey(store: Store, { keyHash, accountId }: Pick<Hook, "keyHash" | "accountId">): HookKey | null {
  const key = findApiKey(store, keyHash);
  if (key === null || key.fault !== null || key.state !== "active" || key.limited === null) return null;
  if (key.accountId !== accountId || !key.scopes.includes("trading:write")) return null;
  const { bot, sources } = railsOf(store, key, key.limited);
  return { key, bot, sources };
}
