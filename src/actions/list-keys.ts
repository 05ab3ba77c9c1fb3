import { apiKeyResource, listText } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import { listApiKeys } from "../store/api-keys.ts";
import type { Caller, ReadAnswer } from "./answer.ts";

/** The keys of the caller's account that open something: hashes and scopes, never a key. Oldest first. */
export function listKeys(deps: Deps, caller: Caller): ReadAnswer {
  const active = listApiKeys(deps.store, caller.account.id).filter((key) => key.state === "active");
  return { body: listText(active.map(apiKeyResource), null), asOfMs: null };
}
