/** Hooks by the owner's signature: made with an address that only its maker has, and ended for good. */
import { ApiError } from "../../core/errors.ts";
import type { Hook, WantedHook } from "../../core/hook/hook.ts";
import { faultOfHook } from "../../core/hook/wanted-hook.ts";
import { newUuid } from "../../core/uuid.ts";
import type { With } from "../../deps.ts";
import { findAccountFault } from "../../store/account-faults.ts";
import { inTransaction } from "../../store/commit.ts";
import { findHook, findHookBySecret, insertHook, revokeHook } from "../../store/hooks.ts";
import { hookKey, hookObstacle } from "../../store/new-hook.ts";
import type { Store } from "../../store/open.ts";
import { hookDigest, hookRevocationDigest, signerOf } from "../../wire/grant.ts";
import { changedOutside } from "../../write/changed-outside.ts";
import { grantingAccount, requireFresh } from "../register-key.ts";
import { hookResource } from "./list-hooks.ts";

/** As the owner signed it; ids lower case. */
export type SignedHook = {
  accountId: string;
  hook: WantedHook;
  /** Hex SHA-256. */
  secretHash: string;
  issuedAtMs: number;
  signature: string;
};

const ID_BYTES = 16;

/** The same grant again gives the same answer. */
export function registerHook(
  deps: With<"clock" | "randomBytes" | "settings" | "store">,
  { accountId, hook: wanted, secretHash, issuedAtMs, signature }: SignedHook,
): string {
  const fault = faultOfHook(wanted);
  if (fault !== null) throw new ApiError("invalid_parameter", `${fault}.`);
  const account = grantingAccount(deps, accountId);
  const { audience } = deps.settings;
  const digest = hookDigest({ audience, accountId, hook: wanted, secretHash, issuedAtMs });
  if (signerOf(digest, signature) !== account.ownerAddress) throw notSigned("grant of a hook");
  const outside = findAccountFault(deps.store, account.id);
  if (outside !== null) throw new ApiError("storage_unavailable", changedOutside(outside));
  const nowMs = deps.clock.nowMs();
  const id = newUuid(deps.randomBytes(ID_BYTES));
  const made: Hook = { ...wanted, id, accountId, secretHash, state: "active", createdAtMs: nowMs };
  return inTransaction(deps.store, (store) =>
    JSON.stringify(hookResource({ store }, settleHook(store, made, issuedAtMs))),
  );
}

function settleHook(store: Store, hook: Hook, issuedAtMs: number): Hook {
  const known = findHookBySecret(store, hook.secretHash);
  if (known !== null) return requireSame(known, hook);
  requireFresh(issuedAtMs, hook.createdAtMs);
  const as = hookKey(store, hook.keyHash);
  if (as.kind === "fault") throw refused(as.words);
  if (as.accountId !== hook.accountId) throw refused("no key with this hash is registered and active");
  const obstacle = hookObstacle(store, hook, as.bot);
  if (obstacle !== null) throw refused(obstacle);
  insertHook(store, hook, "owner");
  return hook;
}

function requireSame(known: Hook, wanted: Hook): Hook {
  if (termsOf(known) === termsOf(wanted)) return known;
  throw refused("the secret is that of another hook, or of one that was revoked or is on hold: make a new one");
}

function termsOf({ accountId, name, keyHash, mode, market, sources, isRehearsal, state, ...hook }: Hook): string {
  const figures = [hook.maxAgeMs, hook.sameWithinMs, hook.maxSlippageBps];
  return JSON.stringify([accountId, name, keyHash, mode, market, ...figures, sources, isRehearsal, state]);
}

function refused(words: string): ApiError {
  return new ApiError("hook_refused", `${words}. No hook was made.`);
}

function notSigned(what: string): ApiError {
  return new ApiError(
    "invalid_signature",
    `signature is not the account owner's signature of this ${what} for this gateway (65 bytes, or 64 as EIP-2098 has it; low s).`,
  );
}

export type SignedHookRevocation = { accountId: string; hookId: string; signature: string };

/** What it has been sent and has not carried out goes with it; orders stay. */
export function revokeHookByOwner(
  deps: With<"clock" | "settings" | "store">,
  { accountId, hookId, signature }: SignedHookRevocation,
): string {
  const account = grantingAccount(deps, accountId);
  const { audience } = deps.settings;
  const digest = hookRevocationDigest({ audience, accountId, hookId });
  if (signerOf(digest, signature) !== account.ownerAddress) throw notSigned("end of a hook");
  const atMs = deps.clock.nowMs();
  return inTransaction(deps.store, (store) => {
    const hook = findHook(store, hookId);
    if (hook === null || hook.accountId !== accountId)
      throw new ApiError("hook_not_found", "There is no such hook on this account.");
    if (hook.state !== "revoked") revokeHook(store, hook, { actor: "owner", atMs });
    return JSON.stringify(hookResource({ store }, { ...hook, state: "revoked" }));
  });
}
