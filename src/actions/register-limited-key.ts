import type { Account } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import type { Universe } from "../core/market.ts";
import {
  LIMITED_GRANT_MEMBERS,
  type LimitedGrant,
  type LimitedGrantMember,
  type LimitedGrantText,
  parseLimitedGrant,
} from "../core/rails/limited-grant.ts";
import { memberName } from "../core/rails/member-name.ts";
import { misnamedIn } from "../core/rails/misnamed-markets.ts";
import { railsResource } from "../core/rails/rails-resource.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { giveToBots } from "../settle/restore/bot-marks.ts";
import { findAccountFault } from "../store/account-faults.ts";
import {
  findApiKey,
  insertApiKey,
  listApiKeys,
  type OwnersGrant,
  putApiKey,
  type StoredKey,
  sealedKeyState,
  setKeyState,
} from "../store/api-keys.ts";
import { appendAudit } from "../store/audit.ts";
import { listBotGrants } from "../store/bots.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { isRevoked } from "../store/revocations.ts";
import { countDayAsUsed } from "../store/trips.ts";
import { limitedGrantDigest, signerOf } from "../wire/grant.ts";
import { normalisedSignature } from "../wire/signature.ts";
import { changedOutside } from "../write/changed-outside.ts";
import { grantingAccount, requireFresh } from "./register-key.ts";

/** All that is signed but the audience, which is this gateway's own to say. */
export type SignedLimitedGrant = { text: Omit<LimitedGrantText, "audience">; signature: string };

/** A grant always ends, and not later than this after it was signed, milliseconds. */
const MAX_LIFE_MS = 365 * 86_400_000;
/** Keys of one bot that open something at the same time: the one in use, and the one that takes its place. */
const MAX_KEYS_OF_BOT = 2;

/**
 * Registers a key with rails by its owner's signature; the same grant again gives the same answer. A newer grant for the same
 * bot replaces its rails, which is the only way in which they are ever loosened.
 */
export function registerLimitedKey(
  deps: With<"clock" | "instance" | "markets" | "settings" | "store">,
  { text: given, signature }: SignedLimitedGrant,
): string {
  const text: LimitedGrantText = { ...given, audience: deps.settings.audience };
  const grant = requireGrant(text);
  const account = grantingAccount(deps, grant.accountId);
  requireOfAccount(deps, account, grant);
  if (signerOf(limitedGrantDigest(text), signature) !== account.ownerAddress) {
    throw new ApiError(
      "invalid_signature",
      "signature is not the account owner's signature of this grant for this gateway.",
    );
  }
  const fault = findAccountFault(deps.store, account.id);
  if (fault !== null) throw new ApiError("storage_unavailable", changedOutside(fault));
  const nowMs = deps.clock.nowMs();
  const { audience, network, expiresAtMs } = grant;
  const kept = normalisedSignature(signature) ?? signature;
  const proof: OwnersGrant = { audience, network, expiresAtMs, signature: kept, limited: text };
  return inTransaction(deps.store, (store) => {
    settleKey(store, { grant, proof, universe: deps.markets.current(), nowMs });
    giveToBots(deps, grant.accountId);
    return JSON.stringify(limitedKeyResource(text));
  });
}

/** Its own forms first, so that what is wrong with it is said whoever signed it. */
function requireGrant(text: LimitedGrantText): LimitedGrant {
  const parsed = parseLimitedGrant(text);
  if (parsed.kind === "fault") throw wrong(parsed.member, `must be ${parsed.rule}`);
  const { grant } = parsed;
  const lifeMs = grant.expiresAtMs - grant.issuedAtMs;
  if (lifeMs <= 0 || lifeMs > MAX_LIFE_MS) throw wrong("expiresAt", "must be after issued_at, by at most 365 days");
  return grant;
}

function requireOfAccount(
  { settings, clock }: With<"clock" | "settings">,
  account: Account,
  grant: LimitedGrant,
): void {
  const { ownerAddress, tradingAddress } = account;
  if (grant.network !== settings.network) throw wrong("network", `must be ${settings.network}, as this gateway trades`);
  if (grant.ownerAddress !== ownerAddress) throw wrong("owner", `must be the account's, ${ownerAddress}`);
  if (grant.tradingAddress !== tradingAddress)
    throw wrong("tradingAddress", `must be the account's, ${tradingAddress}`);
  if (clock.nowMs() >= grant.expiresAtMs) throw wrong("expiresAt", "has passed");
}

function wrong(member: LimitedGrantMember, rule: string): ApiError {
  return new ApiError("invalid_parameter", `grant.${memberName(member)} ${rule}.`);
}

type ProvenLimitedGrant = {
  grant: LimitedGrant;
  proof: OwnersGrant;
  /** Null while the markets have not been read. */
  universe: Universe | null;
  nowMs: number;
};

/** The look-up and the insert are one transaction. */
function settleKey(store: Store, { grant, proof, universe, nowMs }: ProvenLimitedGrant): void {
  const { keyHash, accountId, rails } = grant;
  const found = findApiKey(store, keyHash);
  const stored = found?.fault === null ? found : null;
  const isKnown = stored !== null && isSame(stored, proof);
  if (isKnown && stored.state === "active") return;
  if (!isKnown) requireOwnNames(universe, grant);
  requireFresh(grant.issuedAtMs, nowMs);
  const state = stored?.state ?? sealedKeyState(store, keyHash);
  if (state === "blocked" || state === "revoked" || isRevoked(store, accountId, keyHash)) {
    throw new ApiError("key_revoked", "This key was revoked for this account; revocation is one-way. Make a new key.");
  }
  if (stored !== null && !isOfBot(stored, grant)) {
    throw new ApiError(
      "key_already_registered",
      "key_hash is registered as a plain key, or for another account or bot.",
    );
  }
  requireNewest(store, grant, proof);
  requireRoom(store, grant, nowMs);
  const { scopes, issuedAtMs } = grant;
  const key = { keyHash, accountId, scopes, issuedAtMs, registeredAtMs: stored?.registeredAtMs ?? nowMs };
  if (stored === null) insertApiKey(store, key, proof);
  else putApiKey(store, key, proof);
  if (stored?.state === "held") release(store, grant, nowMs);
  const about = { account: accountId, scopes: scopes.join(","), issued_at: issuedAtMs, bot: rails.bot };
  const detail = { ...about, grant: JSON.stringify(proof.limited) };
  appendAudit(store, { atMs: nowMs, actor: "owner", event: "limited_key_granted", reference: keyHash, detail });
}

function isSame({ grant }: StoredKey, { limited }: OwnersGrant): boolean {
  const [kept, given] = [grant?.limited ?? null, limited];
  return kept !== null && given !== null && LIMITED_GRANT_MEMBERS.every((member) => kept[member] === given[member]);
}

function isOfBot({ accountId, limited }: StoredKey, grant: LimitedGrant): boolean {
  return accountId === grant.accountId && limited?.rails.bot === grant.rails.bot;
}

/** While the markets are not known every name passes: it opens nothing more than it names. */
function requireOwnNames(universe: Universe | null, { rails }: LimitedGrant): void {
  const wrongName = misnamedIn(universe, rails.markets);
  if (wrongName !== null) throw wrong("markets", wrongName);
}

/** An older grant of the same bot may be looser: what is kept of it somewhere must not come back. */
function requireNewest(store: Store, { accountId, rails, issuedAtMs }: LimitedGrant, { limited }: OwnersGrant): void {
  const [newest] = listBotGrants(store, accountId, rails.bot);
  if (newest === undefined || newest.issuedAtMs < issuedAtMs || isoTime(newest.issuedAtMs) === limited?.issuedAt)
    return;
  throw new ApiError("key_already_registered", "A newer grant of this bot is registered. Sign a new one.");
}

function requireRoom(store: Store, { accountId, rails, keyHash }: LimitedGrant, nowMs: number): void {
  const standing = listApiKeys(store, accountId).filter(
    ({ state, limited, keyHash: hash }) =>
      (state === "active" || state === "held") &&
      limited?.rails.bot === rails.bot &&
      limited.expiresAtMs > nowMs &&
      hash !== keyHash,
  );
  if (standing.length < MAX_KEYS_OF_BOT) return;
  const words = `The bot ${rails.bot} has ${MAX_KEYS_OF_BOT} keys already; revoke or block one of them first.`;
  throw new ApiError("key_already_registered", words);
}

/** What was traded and lost since the snapshot nobody knows: the day counts as used. */
function release(store: Store, { keyHash, accountId, rails }: LimitedGrant, nowMs: number): void {
  setKeyState(store, keyHash, "active", nowMs);
  countDayAsUsed(store, { accountId, bot: rails.bot }, { atMs: nowMs, actor: "owner" });
}

/** What the owner has signed, in the words of the interface. */
export function limitedKeyResource(text: LimitedGrantText) {
  const { tradingAddress: trading_address, keyHash: key_hash, issuedAt: issued_at, expiresAt: expires_at } = text;
  return {
    object: "limited_api_key" as const,
    account: text.account,
    network: text.network,
    owner: text.owner,
    trading_address,
    key_hash,
    scopes: text.scopes,
    ...railsResource(text),
    issued_at,
    expires_at,
  };
}
