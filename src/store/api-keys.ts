import { and, asc, eq, sql } from "drizzle-orm";
import type { ApiKey, Scope } from "../core/account.ts";
import type { EventType } from "../core/event.ts";
import { type KeyState, listedKeyResource } from "../core/resource.ts";
import { appendEvent } from "./events.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, remembered } from "./remembered.ts";
import { apiKeys, revocations } from "./schema.ts";

export type StoredKey = ApiKey & {
  state: KeyState;
  /** To the minute, unix milliseconds; null before its first request. */
  lastUsedAtMs: number | null;
};

function toKey(row: typeof apiKeys.$inferSelect, revoked: boolean): StoredKey {
  // The column holds only what `insertApiKey` wrote: scopes joined by commas.
  const scopes = row.scopes.split(",") as Scope[];
  return { ...row, scopes, state: revoked ? "revoked" : row.state };
}

const byHash = prepared((store) =>
  store
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.keyHash, sql.placeholder("keyHash")))
    .prepare(),
);

const keyOf = remembered<StoredKey>((store, keyHash) => {
  const row = byHash(store).get({ keyHash });
  return row === undefined ? null : toKey(row, isRevoked(store, row.accountId, keyHash));
});

export function findApiKey(store: Store, keyHash: string): StoredKey | null {
  return keyOf.find(store, keyHash);
}

/** Oldest first. */
export function listApiKeys(store: Store, accountId: string): StoredKey[] {
  return store
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(asc(apiKeys.registeredAtMs), asc(apiKeys.keyHash))
    .all()
    .map((row) => toKey(row, isRevoked(store, accountId, row.keyHash)));
}

export function insertApiKey(store: Store, key: ApiKey): void {
  store
    .insert(apiKeys)
    .values({ ...key, scopes: [...key.scopes].sort().join(","), state: "active" })
    .run();
  forget(store);
  tellKey(store, key.keyHash, "key.registered", key.registeredAtMs);
}

/** For callers that know the key. */
function tellKey(store: Store, keyHash: string, type: EventType, atMs: number): void {
  const key = findApiKey(store, keyHash);
  if (key === null) return;
  const payload = JSON.stringify(listedKeyResource(key));
  appendEvent(store, { accountId: key.accountId, atMs, type, resourceId: keyHash, payload });
}

/** Notes that a key was used; callers do so once a minute at most. */
export function noteKeyUse(store: Store, keyHash: string, lastUsedAtMs: number): void {
  store.update(apiKeys).set({ lastUsedAtMs }).where(eq(apiKeys.keyHash, keyHash)).run();
  forget(store);
}

const STATE_EVENT = { active: "key.released", blocked: "key.blocked", held: "key.held" } as const;

/** Sets what the operator, or a restore, says of a key. A revocation is a row of its own and outlives this. */
export function setKeyState(store: Store, keyHash: string, state: keyof typeof STATE_EVENT, atMs: number): void {
  store.update(apiKeys).set({ state }).where(eq(apiKeys.keyHash, keyHash)).run();
  forget(store);
  tellKey(store, keyHash, STATE_EVENT[state], atMs);
}

const revocationOf = prepared((store) =>
  store
    .select({ at: revocations.revokedAtMs })
    .from(revocations)
    .where(
      and(eq(revocations.accountId, sql.placeholder("accountId")), eq(revocations.keyHash, sql.placeholder("keyHash"))),
    )
    .prepare(),
);

export function isRevoked(store: Store, accountId: string, keyHash: string): boolean {
  return revocationOf(store).get({ accountId, keyHash }) !== undefined;
}

/** One-way; works before the key was registered, and again. */
export function revokeApiKey(store: Store, accountId: string, keyHash: string, revokedAtMs: number): void {
  const revocation = { accountId, keyHash, revokedAtMs };
  const added = store.insert(revocations).values(revocation).onConflictDoNothing().returning().all();
  if (added.length === 0) return;
  forget(store);
  const key = findApiKey(store, keyHash);
  // A hash that was never registered for this account has nothing to show but itself.
  const isOwn = key !== null && key.accountId === accountId;
  const shown = isOwn
    ? listedKeyResource(key)
    : { object: "api_key", account: accountId, key_hash: keyHash, state: "revoked" };
  const payload = JSON.stringify(shown);
  appendEvent(store, { accountId, atMs: revokedAtMs, type: "key.revoked", resourceId: keyHash, payload });
}
