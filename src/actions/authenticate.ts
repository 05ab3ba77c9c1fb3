import { timingSafeEqual } from "node:crypto";
import type { Account, ApiKey, Scope } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { keyOfBot } from "../core/idempotency.ts";
import { NOTHING_GRANTED } from "../core/rails/limited-grant.ts";
import { isWithin } from "../core/rails/networks.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { findApiKey, noteKeyUse, type StoredKey } from "../store/api-keys.ts";
import { botOf } from "../store/bots.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { lookAnew } from "../store/data-version.ts";
import { railsOf } from "../store/narrowings.ts";
import { keyHash } from "../wire/grant.ts";
import { changedOutside } from "../write/changed-outside.ts";
import { tellRefusal } from "../write/tell-refusal.ts";

/** The scheme in either case, one space or more, one key; two headers arrive joined by a comma and do not fit. */
const BEARER = /^bearer +(api_trade_[0-9a-fA-F]{64})$/i;

type Authenticated = { account: Account; key: ApiKey };

/**
 * Whose key the Authorization header holds. Throws `missing_api_key`, `invalid_api_key` or `revoked_api_key`, and of a limited
 * key `expired_api_key` and `source_not_allowed`.
 *
 * @param address whence the request comes; empty where it came over no connection
 */
export function authenticate(
  deps: With<"clock" | "log" | "metrics" | "state" | "store">,
  authorization: string | null,
  address = "",
): Authenticated {
  if (authorization === null) {
    throw new ApiError("missing_api_key", "Authorization header required: Bearer and an API key.");
  }
  const apiKey = BEARER.exec(authorization)?.[1];
  // The scheme may come in either case, the key's prefix may not: the key is hashed as sent.
  if (apiKey === undefined || !apiKey.startsWith("api_trade_")) {
    throw new ApiError(
      "invalid_api_key",
      "Authorization must be one header: Bearer, api_trade_ and 64 hex characters.",
    );
  }
  const hash = keyHash(apiKey);
  lookAnew(deps.store);
  const key = findApiKey(deps.store, hash);
  if (key === null || !isSameHash(key.keyHash, hash)) {
    throw new ApiError("invalid_api_key", "This API key is not registered here.");
  }
  if (key.fault !== null) throw new ApiError("storage_unavailable", changedOutside(key.fault));
  if (key.state !== "active") throw new ApiError("revoked_api_key", REFUSED[key.state]);
  const account = findAccount(deps.store, key.accountId);
  if (account === null) throw new Error("bug: API key without its account");
  requireWithinRails(deps, key, address);
  noteUse(deps, key);
  return { account, key };
}

/** A key's own name for a write, as it is kept: a bot's names are the bot's. */
export function keptKey({ store }: With<"store">, { keyHash: hash }: ApiKey, sent: string): string {
  return keyOfBot(botOf(store, hash), sent);
}

const UNREADABLE_GRANT =
  'What this API key is held to cannot be read by this version of Postern, so it opens nothing. Nothing was done. Its operator finds more with "postern doctor".';

/** What holds for all that a limited key asks, reads among it. */
function requireWithinRails(
  deps: With<"clock" | "log" | "metrics" | "state" | "store">,
  key: StoredKey,
  address: string,
): void {
  const { clock, store } = deps;
  const { limited, keyHash: hash } = key;
  if (limited === null) return;
  if (limited === NOTHING_GRANTED) throw new ApiError("storage_unavailable", UNREADABLE_GRANT);
  if (clock.nowMs() >= limited.expiresAtMs) {
    throw new ApiError("expired_api_key", `This API key expired at ${isoTime(limited.expiresAtMs)}.`);
  }
  const { sources } = railsOf(store, key, limited);
  if (sources !== null && !isWithin(address, sources)) {
    // Somebody else may have the key.
    tellRefusal(deps, { keyHash: hash, rail: "sources", limit: sources.join(","), use: address });
    throw new ApiError("source_not_allowed", "This API key may not be used from this address. Nothing was done.");
  }
}

/** A key's last use is told to the minute, so that most requests write nothing for it. Milliseconds. */
const USE_PRECISION_MS = 60_000;

/** Nobody is refused because this cannot be written down. */
function noteUse(
  { store, clock, state, log }: With<"clock" | "log" | "state" | "store">,
  { keyHash: hash, lastUsedAtMs }: StoredKey,
): void {
  const nowMs = clock.nowMs();
  const isFresh = lastUsedAtMs !== null && Math.abs(nowMs - lastUsedAtMs) < USE_PRECISION_MS;
  if (isFresh || state.phase === "trial") return;
  try {
    inTransactionNotWaiting(store, (within) => noteKeyUse(within, hash, nowMs - (nowMs % USE_PRECISION_MS)));
  } catch (error) {
    log.debug({ error: String(error) }, "the last use of a key could not be noted");
  }
}

const REFUSED = {
  revoked: "This API key was revoked by the account's owner.",
  blocked: "This API key was blocked by the operator of this gateway.",
  held: "This API key is on hold after a restore until its owner's grant arrives again or the operator keeps it.",
} as const;

function isSameHash(stored: string, given: string): boolean {
  const [a, b] = [Buffer.from(stored, "ascii"), Buffer.from(given, "ascii")];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Throws `insufficient_scope` unless the key was granted the scope. */
export function requireScope(key: ApiKey, scope: Scope): void {
  if (!key.scopes.includes(scope)) throw new ApiError("insufficient_scope", `This API key lacks the scope ${scope}.`);
}
