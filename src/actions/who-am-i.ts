import { exchangePlaceOf } from "../core/exchange-place.ts";
import type { With } from "../deps.ts";
import type { Caller } from "../write/caller.ts";
import type { ToShowBooks } from "../write/rails-facts.ts";
import type { ReadAnswer } from "./answer.ts";
import { limitsResource } from "./bot-limits.ts";

/** What a key is good for, and on which network: here the true one, which the spec's own objects never say. */
export function whoAmI(deps: ToShowBooks & With<"instance" | "settings">, caller: Caller): ReadAnswer {
  return { body: JSON.stringify(whoAmIResource(deps, caller)), asOfMs: null };
}

export function whoAmIResource(deps: ToShowBooks & With<"instance" | "settings">, { account, key }: Caller) {
  return {
    object: "whoami" as const,
    account: account.id,
    label: account.label,
    kind: account.kind,
    owner_address: account.ownerAddress,
    trading_address: account.tradingAddress,
    network: deps.settings.network,
    exchange: exchangePlaceOf(deps.instance),
    key_hash: key.keyHash,
    scopes: [...key.scopes].sort(),
    limits: limitsResource(deps, key.keyHash),
  };
}
