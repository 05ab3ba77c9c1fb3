/** What the owner signs to grant or revoke an API key of this gateway or to end a stop, and what the gateway is sent then. */
import { API_NETWORK, type Scope } from "../../core/account.ts";
import { grantTypedData } from "../../wire/grant-data.ts";
import type { TypedData } from "../../wire/wallet-form.ts";

export type PlainGrant = { account: string; keyHash: string; scopes: readonly Scope[]; issuedAtMs: number };

export function grantToSign({ account, ...grant }: PlainGrant, audience: string): TypedData {
  return grantTypedData({ ...grant, audience, accountId: account, network: API_NETWORK, expiresAtMs: null });
}

/** Body of the registration; a repeat of the identical grant is answered with the same object. */
export function grantBody({ account, keyHash, scopes, issuedAtMs }: PlainGrant, signature: string): string {
  const consent = {
    account,
    network: API_NETWORK,
    key_hash: keyHash,
    policy: { scopes: [...scopes].sort() },
    issued_at: issuedAtMs,
    expires_at: null,
  };
  return JSON.stringify({ consent, signature });
}
