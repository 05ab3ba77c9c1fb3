import type { Account, ApiKey, Scope } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { apiKeyResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findAccountFault } from "../store/account-faults.ts";
import {
  findApiKey,
  insertApiKey,
  type OwnersGrant,
  putApiKey,
  type StoredKey,
  sealedKeyState,
  setKeyState,
} from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { isRevoked } from "../store/revocations.ts";
import { grantDigest, signerOf } from "../wire/grant.ts";
import { normalisedSignature } from "../wire/signature.ts";
import { changedOutside } from "../write/changed-outside.ts";
import { signedAccount } from "./find-account.ts";

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
export function registerKey(deps: With<"clock" | "settings" | "store">, given: SignedGrant): string {
  // Kept in one spelling, whichever came.
  const grant = { ...given, signature: normalisedSignature(given.signature) ?? given.signature };
  if (grant.network !== "exchange_mainnet") {
    throw new ApiError("mainnet_required", "consent.network must be exchange_mainnet.");
  }
  const account = grantingAccount(deps, grant.accountId);
  requireOwnersSignature(deps, account, grant);
  if (deps.settings.areRailsRequired && grant.scopes.includes("trading:write")) {
    const words = "This gateway registers keys that may write with rails alone: POST /v1/api-keys/limited.";
    throw new ApiError("rails_required", words);
  }
  const fault = findAccountFault(deps.store, account.id);
  if (fault !== null) throw new ApiError("storage_unavailable", changedOutside(fault));
  const nowMs = deps.clock.nowMs();
  const { accountId, keyHash, issuedAtMs, network, signature } = grant;
  const proof = { audience: deps.settings.audience, network, expiresAtMs: null, signature, limited: null };
  const key = { accountId, keyHash, scopes: [...grant.scopes].sort(), issuedAtMs, registeredAtMs: nowMs };
  return inTransaction(deps.store, (store) => JSON.stringify(apiKeyResource(settleKey(store, key, proof))));
}

export function grantingAccount(deps: With<"store">, accountId: string): Account {
  const account = signedAccount(deps, accountId, "consent.account");
  if (account.kind === "copy") {
    throw new ApiError("main_account_required", "Keys cannot be registered for a copy wallet; use the main account.");
  }
  return account;
}

function requireOwnersSignature(deps: With<"settings">, account: Account, grant: SignedGrant): void {
  const digest = grantDigest({ ...grant, audience: deps.settings.audience, expiresAtMs: null });
  if (signerOf(digest, grant.signature) !== account.ownerAddress) {
    throw new ApiError(
      "invalid_signature",
      "signature is not the account owner's signature of this grant for this gateway (65 bytes, or 64 as EIP-2098 has it; low s).",
    );
  }
}

/** The key as it is registered afterwards; the look-up and the insert are one transaction. */
function settleKey(store: Store, key: ApiKey, proof: OwnersGrant): ApiKey {
  const { registeredAtMs: nowMs } = key;
  const found = findApiKey(store, key.keyHash);
  // A row that was changed from outside is none: the owner's word takes its place.
  const stored = found?.fault === null ? found : null;
  const isSame = stored !== null && isSameGrant(stored, key);
  if (isSame && stored.state === "active") return keepProof(store, stored, { key, proof });
  requireFresh(key.issuedAtMs, nowMs);
  const isBlocked =
    stored === null ? sealedKeyState(store, key.keyHash) === "blocked" : isBlockedFor(stored, key.accountId);
  if (isBlocked || isRevoked(store, key.accountId, key.keyHash)) {
    throw new ApiError("key_revoked", "This key was revoked for this account; revocation is one-way. Make a new key.");
  }
  if (isSame) return releaseHeldKey(store, stored, { key, proof });
  if (stored !== null) {
    throw new ApiError("key_already_registered", "key_hash is registered with another account or other scopes.");
  }
  insertApiKey(store, key, proof);
  audit(store, key, "key_registered", nowMs);
  return key;
}

function isBlockedFor({ state, accountId }: StoredKey, wanted: string): boolean {
  return state === "blocked" && accountId === wanted;
}

type ProvenKey = { key: ApiKey; proof: OwnersGrant };

/** A key of before signatures were kept is proven from now on; any other is as it was. */
function keepProof(store: Store, stored: StoredKey, { key, proof }: ProvenKey): ApiKey {
  if (stored.grant !== null) return stored;
  const proven = { ...stored, issuedAtMs: key.issuedAtMs };
  putApiKey(store, proven, proof);
  audit(store, proven, "key_granted_again", key.registeredAtMs);
  return proven;
}

/** A hash is plain or limited for ever. */
function isSameGrant(a: StoredKey, b: ApiKey): boolean {
  if (a.limited !== null) return false;
  return a.accountId === b.accountId && [...a.scopes].sort().join(",") === [...b.scopes].sort().join(",");
}

export function requireFresh(issuedAtMs: number, nowMs: number): void {
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
function releaseHeldKey(store: Store, stored: StoredKey, { key, proof }: ProvenKey): ApiKey {
  const proven = { ...stored, issuedAtMs: key.issuedAtMs };
  putApiKey(store, proven, proof);
  setKeyState(store, key.keyHash, "active", key.registeredAtMs);
  audit(store, proven, "key_released", key.registeredAtMs);
  return proven;
}

function audit(store: Store, key: ApiKey, event: string, nowMs: number): void {
  const detail = { account: key.accountId, scopes: key.scopes.join(","), issued_at: key.issuedAtMs };
  appendAudit(store, { atMs: nowMs, actor: "owner", event, reference: key.keyHash, detail });
}
