/** A further key of the demo, without a wallet: its owner's key is the gateway's own. */
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import { railsOfKey } from "../store/narrowings.ts";
import { grantDigest } from "../wire/grant.ts";
import type { Caller } from "../write/caller.ts";
import { registerKey } from "./register-key.ts";

type ToRegister = With<"clock" | "demoOwner" | "settings" | "store">;

/** Throws `demo_required` where the owner's key is nobody's but the owner's, and `rail_refused` for a key with rails. */
export function registerDemoKey(deps: ToRegister, { account, key }: Caller, keyHash: string): string {
  const { clock, demoOwner, settings, store } = deps;
  if (demoOwner === undefined)
    throw new ApiError("demo_required", "The owner of this account has a wallet: sign the key's grant with it.");
  if (railsOfKey(store, key.keyHash) !== null)
    throw new ApiError("rail_refused", "A key with rails makes no key. Nothing was made.");
  const scopes = ["trading:read", "trading:write"] as const;
  const terms = {
    accountId: account.id,
    network: "exchange_mainnet",
    keyHash,
    scopes,
    issuedAtMs: clock.nowMs(),
  } as const;
  const signature = demoOwner.sign(grantDigest({ ...terms, audience: settings.audience, expiresAtMs: null }));
  return registerKey(deps, { ...terms, signature });
}
