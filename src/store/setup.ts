import { eq, lt } from "drizzle-orm";
import type { Store } from "./open.ts";
import { setup, setupTokens } from "./schema-setup.ts";

/** What the owner's page has decided so far. */
export type SetupProgress = { builderSkippedAtMs: number | null; finishedAtMs: number | null };

export type SetupToken = typeof setupTokens.$inferSelect;

const ONLY_ROW = 1;

export function findSetupProgress(store: Store): SetupProgress {
  const row = store.select().from(setup).get();
  return { builderSkippedAtMs: row?.builderSkippedAtMs ?? null, finishedAtMs: row?.finishedAtMs ?? null };
}

export function putSetupProgress(store: Store, progress: Partial<SetupProgress>): void {
  store
    .insert(setup)
    .values({ id: ONLY_ROW, ...progress })
    .onConflictDoUpdate({ target: setup.id, set: progress })
    .run();
}

export function insertSetupToken(store: Store, token: SetupToken): void {
  store.insert(setupTokens).values(token).run();
}

export function findSetupToken(store: Store, tokenHash: string): SetupToken | null {
  return store.select().from(setupTokens).where(eq(setupTokens.tokenHash, tokenHash)).get() ?? null;
}

export function listSetupTokens(store: Store): SetupToken[] {
  return store.select().from(setupTokens).all();
}

export function updateSetupToken(
  store: Store,
  tokenHash: string,
  change: Partial<Pick<SetupToken, "expiresAtMs" | "sessionHash">>,
): void {
  store.update(setupTokens).set(change).where(eq(setupTokens.tokenHash, tokenHash)).run();
}

export function deleteSetupTokensBefore(store: Store, expiresBeforeMs: number): void {
  store.delete(setupTokens).where(lt(setupTokens.expiresAtMs, expiresBeforeMs)).run();
}

export function deleteSetupTokens(store: Store): void {
  store.delete(setupTokens).run();
}
