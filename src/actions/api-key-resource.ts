import { API_NETWORK, type ApiKey, type Scope } from "../core/account.ts";

/** Spec 2.5. */
export type ApiKeyResource = {
  object: "api_key";
  account: string;
  network: typeof API_NETWORK;
  key_hash: string;
  scopes: readonly Scope[];
  expires_at: null;
};

export function apiKeyResource(key: ApiKey): ApiKeyResource {
  return {
    object: "api_key",
    account: key.accountId,
    network: API_NETWORK,
    key_hash: key.keyHash,
    scopes: [...key.scopes].sort(),
    expires_at: null,
  };
}
