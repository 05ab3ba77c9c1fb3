import { ApiError } from "../core/errors.ts";
import { revocationResource, withdrawnKeyResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { withdrawKey } from "../settle/stop/begin-stop.ts";
import { revokeApiKey } from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { isRevoked } from "../store/revocations.ts";
import { revocationDigest, signerOf } from "../wire/grant.ts";
import { normalisedSignature } from "../wire/signature.ts";
import { signedAccount } from "./find-account.ts";

/** A revocation as the owner signed it; ids lower case. */
export type SignedRevocation = { accountId: string; keyHash: string; signature: string };

/**
 * Refuses a key hash for an account, for ever, whether or not it was ever registered. It belongs to (account, hash):
 * signed for one account, it never touches a key of another. Orders stay as they are.
 *
 * @param besides what belongs to it, in the same transaction
 */
export function revokeKey(
  deps: With<"clock" | "settings" | "store">,
  { accountId, keyHash, signature }: SignedRevocation,
  besides: (store: Store) => void = () => undefined,
): string {
  const account = signedAccount(deps, accountId);
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
    besides(store);
    if (isRevoked(store, accountId, keyHash)) return;
    const kept = normalisedSignature(signature) ?? signature;
    revokeApiKey(store, { accountId, keyHash, revokedAtMs: nowMs, audience, signature: kept });
    const detail = { account: accountId };
    appendAudit(store, { atMs: nowMs, actor: "owner", event: "key_revoked", reference: keyHash, detail });
  });
  return JSON.stringify(revocationResource(keyHash));
}

/**
 * Revokes a key and withdraws, in one transaction, what it has placed and could still increase: neither is without the
 * other.
 */
export function revokeAndCancel(
  deps: With<"clock" | "randomBytes" | "settings" | "stopper" | "store">,
  signed: SignedRevocation,
): string {
  const { accountId, keyHash } = signed;
  let stopId = "";
  revokeKey(deps, signed, (store) => {
    stopId = withdrawKey(store, deps, { accountId, keyHash, cause: "key_revoked", actor: "owner" }).id;
  });
  deps.stopper.heed();
  return JSON.stringify(withdrawnKeyResource(keyHash, stopId));
}
