import type { Account, ApiKey, Scope } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { apiKeyResource } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { findApiKey, insertApiKey, isRevoked, type StoredKey, setKeyState } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { grantDigest, signerOf } from "../wire/grant.ts";

/** A grant as the owner signed it; ids lower case. */
export type SignedGrant = {
  accountId: string;
  network: "exchange_mainnet" | "exchange_testnet";
  keyHash: string;
  scopes: readonly Scope[];
  issuedAtMs: number;
  signature: string;
};

/** How old a grant may be, milliseconds: long enough to sign it on a hardware wallet in another room. */
const MAX_AGE_MS = 60 * 60 * 1_000;
/** How far a wallet's clock may be ahead of ours, milliseconds. */
const MAX_AHEAD_MS = 60 * 1_000;

/**
 * Registers an API key by its owner's signature; the same grant again gives the same answer. The order of the
 * checks is part of the interface: what a stranger learns before the signature is only whether an account exists.
 */
export function registerKey(deps: Deps, grant: SignedGrant): string {
  if (grant.network !== "exchange_mainnet") {
    throw new ApiError("mainnet_required", "consent.network must be exchange_mainnet.");
  }
  const account = grantingAccount(deps, grant.accountId);
  requireOwnersSignature(deps, account, grant);
  const nowMs = deps.clock.nowMs();
  const { accountId, keyHash, issuedAtMs } = grant;
  const key = { accountId, keyHash, scopes: [...grant.scopes].sort(), issuedAtMs, registeredAtMs: nowMs };
  return inTransaction(deps.store, (store) => JSON.stringify(apiKeyResource(settleKey(store, key, nowMs))));
}

function grantingAccount(deps: Deps, accountId: string): Account {
  const account = findAccount(deps.store, accountId);
  if (account === null) throw new ApiError("account_not_found", "consent.account is not an account of this gateway.");
  if (account.kind === "copy") {
    throw new ApiError("main_account_required", "Keys cannot be registered for a copy wallet; use the main account.");
  }
  return account;
}

function requireOwnersSignature(deps: Deps, account: Account, grant: SignedGrant): void {
  const digest = grantDigest({ ...grant, audience: deps.settings.audience, expiresAtMs: null });
  if (signerOf(digest, grant.signature) !== account.ownerAddress) {
    throw new ApiError(
      "invalid_signature",
      "signature is not the account owner's signature of this grant for this gateway (65 bytes, low s, v 27 or 28).",
    );
  }
}

/** The key as it is registered afterwards; the look-up and the insert are one transaction. */
function settleKey(store: Store, key: ApiKey, nowMs: number): ApiKey {
  const stored = findApiKey(store, key.keyHash);
  const isSame = stored !== null && isSameGrant(stored, key);
  if (isSame && stored.state === "active") return stored;
  requireFresh(key.issuedAtMs, nowMs);
  const isBlocked = stored?.state === "blocked" && stored.accountId === key.accountId;
  if (isBlocked || isRevoked(store, key.accountId, key.keyHash)) {
    throw new ApiError("key_revoked", "This key was revoked for this account; revocation is one-way. Make a new key.");
  }
  if (isSame) return releaseHeldKey(store, stored, nowMs);
  if (stored !== null) {
    throw new ApiError("key_already_registered", "key_hash is registered with another account or other scopes.");
  }
  insertApiKey(store, key);
  audit(store, key, "key_registered", nowMs);
  return key;
}

function isSameGrant(a: ApiKey, b: ApiKey): boolean {
  return a.accountId === b.accountId && [...a.scopes].sort().join(",") === [...b.scopes].sort().join(",");
}

function requireFresh(issuedAtMs: number, nowMs: number): void {
  if (issuedAtMs < nowMs - MAX_AGE_MS) {
    throw new ApiError("grant_expired", "consent.issued_at is more than 60 minutes ago; sign a new grant.");
  }
  if (issuedAtMs > nowMs + MAX_AHEAD_MS) {
    throw new ApiError(
      "issued_at_in_future",
      "consent.issued_at is more than 60 seconds ahead of this gateway's clock.",
    );
  }
}

/** After a restore nobody knows which revocations were lost: the owner's fresh grant says that this key stands. */
function releaseHeldKey(store: Store, key: StoredKey, nowMs: number): ApiKey {
  setKeyState(store, key.keyHash, "active", nowMs);
  audit(store, key, "key_released", nowMs);
  return key;
}

function audit(store: Store, key: ApiKey, event: string, nowMs: number): void {
  const detail = { account: key.accountId, scopes: key.scopes.join(","), issued_at: key.issuedAtMs };
  appendAudit(store, { atMs: nowMs, actor: "owner", event, reference: key.keyHash, detail });
}
