import { ApiError } from "../core/errors.ts";
import { revocationResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { revokeApiKey } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { isRevoked } from "../store/revocations.ts";
import { revocationDigest, signerOf } from "../wire/grant.ts";
import { normalisedSignature } from "../wire/signature.ts";

/** A revocation as the owner signed it; ids lower case. */
export type SignedRevocation = { accountId: string; keyHash: string; signature: string };

/**
 * Refuses a key hash for an account, for ever, whether or not it was ever registered. It belongs to (account, hash):
 * signed for one account, it never touches a key of another. Orders stay as they are.
 */
export function revokeKey(
  deps: With<"clock" | "settings" | "store">,
  { accountId, keyHash, signature }: SignedRevocation,
): string {
  const account = findAccount(deps.store, accountId);
  if (account === null) throw new ApiError("account_not_found", "account is not an account of this gateway.");
  const { audience } = deps.settings;
  const digest = revocationDigest({ audience, accountId, keyHash });
  if (signerOf(digest, signature) !== account.ownerAddress) {
    throw new ApiError(
      "invalid_signature",
      "signature is not the account owner's signature of this revocation for this gateway (65 bytes, or 64 as EIP-2098 has it; low s).",
    );
  }
  const nowMs = deps.clock.nowMs();
  inTransaction(deps.store, (store) => {
    if (isRevoked(store, accountId, keyHash)) return;
    const kept = normalisedSignature(signature) ?? signature;
    revokeApiKey(store, { accountId, keyHash, revokedAtMs: nowMs, audience, signature: kept });
    const detail = { account: accountId };
    appendAudit(store, { atMs: nowMs, actor: "owner", event: "key_revoked", reference: keyHash, detail });
  });
  return JSON.stringify(revocationResource(keyHash));
}
