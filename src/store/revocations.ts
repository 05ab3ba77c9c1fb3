import { and, eq, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget } from "./remembered.ts";
import { revocations } from "./schema.ts";
import { findSealed, listSealed, type RowFault, tellFault, vouch } from "./sealed-rows.ts";

export type StoredRevocation = typeof revocations.$inferInsert;

const revocationOf = prepared((store) =>
  store
    .select({ at: revocations.revokedAtMs })
    .from(revocations)
    .where(
      and(eq(revocations.accountId, sql.placeholder("accountId")), eq(revocations.keyHash, sql.placeholder("keyHash"))),
    )
    .prepare(),
);

function hasRow(store: Store, { accountId, keyHash }: Pick<StoredRevocation, "accountId" | "keyHash">): boolean {
  return revocationOf(store).get({ accountId, keyHash }) !== undefined;
}

/** A row is obeyed without any proof, and one that was sealed although it is gone. */
export function isRevoked(store: Store, accountId: string, keyHash: string): boolean {
  if (hasRow(store, { accountId, keyHash })) return true;
  const id = revocationId({ accountId, keyHash });
  if (findSealed(store, "revocation", id) === null) return false;
  tellFault(store, revocationGone(id));
  return true;
}

/** Those that were sealed and are gone. */
export function listRevocationFaults(store: Store): RowFault[] {
  const there = new Set(listRevocations(store).map(revocationId));
  return listSealed(store, "revocation").flatMap(([id]) => (there.has(id) ? [] : [revocationGone(id)]));
}

function revocationGone(id: string): RowFault {
  const keyHash = id.split(" ")[1] ?? "";
  const what = `the revocation of API key ${keyHash.slice(0, SHOWN_DIGITS)}… was deleted: the key stays revoked`;
  return { kind: "revocation", id, what };
}

/** Digits of a hash that are enough to find it by. */
const SHOWN_DIGITS = 16;

/** One-way; works before the key was registered, and again. True when it is new. */
export function insertRevocation(store: Store, revocation: StoredRevocation): boolean {
  const added = store.insert(revocations).values(revocation).onConflictDoNothing().returning().all();
  if (added.length === 0) return false;
  vouch(store, "revocation", revocationId(revocation), "{}");
  forget(store);
  return true;
}

export function revocationId({ accountId, keyHash }: Pick<StoredRevocation, "accountId" | "keyHash">): string {
  return `${accountId} ${keyHash}`;
}

export function listRevocations(store: Store): StoredRevocation[] {
  return store.select().from(revocations).all();
}
