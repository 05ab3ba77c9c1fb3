import { and, asc, eq, sql } from "drizzle-orm";
import type { ApiKey, Scope } from "../core/account.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { apiKeys, revocations } from "./schema.ts";

/** `revoked` by the owner, `blocked` by the operator, `held` after a restore until the owner or operator speaks. */
export type StoredKey = ApiKey & { state: "active" | "revoked" | "blocked" | "held" };

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

export function findApiKey(store: Store, keyHash: string): StoredKey | null {
  const row = byHash(store).get({ keyHash });
  return row === undefined ? null : toKey(row, isRevoked(store, row.accountId, keyHash));
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
}

/** Sets what the operator, or a restore, says of a key. A revocation is a row of its own and outlives this. */
export function setKeyState(store: Store, keyHash: string, state: "active" | "blocked" | "held"): void {
  store.update(apiKeys).set({ state }).where(eq(apiKeys.keyHash, keyHash)).run();
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
  store.insert(revocations).values({ accountId, keyHash, revokedAtMs }).onConflictDoNothing().run();
}
