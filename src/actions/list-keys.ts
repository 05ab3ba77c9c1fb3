import { type KeyState, listedKeyResource, listText } from "../core/resource.ts";
import { listApiKeys, type StoredKey } from "../store/api-keys.ts";
import type { Caller } from "../write/caller.ts";
import type { ToShowBooks } from "../write/rails-facts.ts";
import type { ReadAnswer } from "./answer.ts";
import { limitsResource } from "./bot-limits.ts";

/** The keys of the caller's account in this state: hashes and scopes, never a key. Oldest first. */
export function listKeys(deps: ToShowBooks, caller: Caller, wanted: KeyState | "all"): ReadAnswer {
  const keys = listApiKeys(deps.store, caller.account.id).filter(({ state }) => wanted === "all" || state === wanted);
  return {
    body: listText(
      keys.map((key) => keyInListResource(deps, key)),
      null,
    ),
    asOfMs: null,
  };
}

export function keyInListResource(deps: ToShowBooks, key: StoredKey) {
  return { ...listedKeyResource(key), limits: limitsResource(deps, key.keyHash) };
}
