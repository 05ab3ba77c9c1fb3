/** What the owner signs to grant or revoke an API key: the gateway's own description, filled in. */
import { request } from "../api/request.ts";
import type { Scope, TypedData, TypedDataDescription } from "../api/resources.ts";

export type Grant = { account: string; keyHash: string; scopes: readonly Scope[]; issuedAtMs: number };

/** Requests and answers of the interface say so whatever the network is. */
const API_NETWORK = "exchange_mainnet";

export async function grantTypedData(grant: Grant): Promise<TypedData | { failure: string }> {
  return fill("ApiKeyGrant", (audience) => ({
    audience,
    account: grant.account,
    network: API_NETWORK,
    keyHash: `0x${grant.keyHash}`,
    scopes: [...grant.scopes].sort().join(","),
    issuedAt: grant.issuedAtMs,
    expiresAt: 0,
  }));
}

export async function revocationTypedData(account: string, keyHash: string): Promise<TypedData | { failure: string }> {
  return fill("ApiKeyRevocation", (audience) => ({ audience, account, keyHash: `0x${keyHash}` }));
}

async function fill(
  primaryType: string,
  message: (audience: string) => Record<string, unknown>,
): Promise<TypedData | { failure: string }> {
  const answer = await request<TypedDataDescription>({ method: "GET", path: "/v1/api-keys/typed-data", bearer: null });
  if (answer.kind !== "ok") return { failure: answer.message };
  const { domain, types, audience } = answer.body;
  return { domain, types: { [primaryType]: types[primaryType] ?? [] }, primaryType, message: message(audience) };
}

/** Body of the registration; a repeat of the identical grant is answered with the same object. */
export function grantBody({ account, keyHash, scopes, issuedAtMs }: Grant, signature: string): string {
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
