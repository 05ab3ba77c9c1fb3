import { and, asc, count, eq, isNotNull, isNull, max, ne, sql } from "drizzle-orm";
import { listAccounts } from "./accounts.ts";
import { retireAgent } from "./agents.ts";
import { limitedGrantOf, listKeyRows, setKeyState } from "./api-keys.ts";
import { findFillCursor } from "./fills.ts";
import { holdHooks } from "./hooks.ts";
import { raiseNonces } from "./nonces.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget } from "./remembered.ts";
import { agents, apiKeys } from "./schema.ts";
import { audit } from "./schema-audit.ts";
import { adoptions, restores, takeUps } from "./schema-restore.ts";
import { setupTokens } from "./schema-setup.ts";
import { everyAttempt } from "./schema-views.ts";
import { countDayAsUsed } from "./trips.ts";

/** Where an account stands after its database was restored. */
export type TakeUp = {
  accountId: string;
  /** The newest thing that the snapshot knew of, wall time. */
  snapshotAtMs: number;
  restoredAtMs: number;
  /** Null while nothing may be written for the account. */
  takenUpAtMs: number | null;
  /** What the lost machine did after the snapshot is of this or later, and was read up to this: by the exchange's time. */
  between: { sinceMs: number; toMs: number | null };
};

/** The lost machine's clock and the exchange's may have differed by this much, milliseconds; by more where its fills say when it was. */
const CLOCK_LEAD_MS = 60 * 60_000;

/** An order of ours whose key the database does not know. */
export type Adoption = typeof adoptions.$inferSelect;

/** What a write has to know of restores, in memory: the one connection of the one process decides it. */
export type KnownRestores = { hasRestores: boolean; awaiting: ReadonlySet<string> };

function knownOf(store: Store): KnownRestores {
  if (store.memory.restores !== null) return store.memory.restores;
  const awaiting = store.select().from(takeUps).where(isNull(takeUps.takenUpAtMs)).all();
  const made = { hasRestores: countRestores(store) > 0, awaiting: new Set(awaiting.map((row) => row.accountId)) };
  store.memory.restores = made;
  return made;
}

/** How often this database took the place of a lost one. */
export function countRestores(store: Store): number {
  return store.select({ restores: count() }).from(restores).get()?.restores ?? 0;
}

export function hasRestores(store: Store): boolean {
  return knownOf(store).hasRestores;
}

/** True while the account's orders since the snapshot have not been read from the exchange. */
export function awaitsTakeUp(store: Store, accountId: string): boolean {
  return knownOf(store).awaiting.has(accountId);
}

export function countAwaiting(store: Store): number {
  return knownOf(store).awaiting.size;
}

/** Null for an account that no restore has touched. */
export function findTakeUp(store: Store, accountId: string): TakeUp | null {
  const row = store
    .select({ takeUp: takeUps, restoredAtMs: restores.restoredAtMs })
    .from(takeUps)
    .innerJoin(restores, eq(restores.id, takeUps.restoreId))
    .where(eq(takeUps.accountId, accountId))
    .get();
  if (row === undefined) return null;
  const { snapshotAtMs, takenUpAtMs, filledToMs, readToMs } = row.takeUp;
  const sinceMs = Math.min(snapshotAtMs - CLOCK_LEAD_MS, (filledToMs ?? Infinity) + 1);
  const between = { sinceMs, toMs: readToMs ?? takenUpAtMs };
  return { accountId, snapshotAtMs, takenUpAtMs, restoredAtMs: row.restoredAtMs, between };
}

/**
 * True for what was made before the account was taken up after a restore. What the lost machine bought or sold after the snapshot is
 * in no bot's books: they do not tell what such a thing protects.
 *
 * @param createdAtMs by the clock of the machine that made it, which the newest thing of the snapshot has as well
 */
export function isFromBeforeTakeUp(store: Store, accountId: string, createdAtMs: number): boolean {
  const takeUp = hasRestores(store) ? findTakeUp(store, accountId) : null;
  if (takeUp === null) return false;
  return takeUp.takenUpAtMs === null || createdAtMs <= Math.max(takeUp.takenUpAtMs, takeUp.snapshotAtMs);
}

export type Restored = { snapshotAtMs: number; keysHeld: number; hooksHeld: number; agentsRetired: number };

/**
 * Makes a snapshot fit to take the place of its lost original, inside the caller's transaction: no key and no
 * hook opens it, no agent of the original signs, and every account waits to be taken up.
 */
export function markRestored(store: Store, restoredAtMs: number): Restored {
  const snapshotAtMs = newestKnownMs(store) ?? restoredAtMs;
  const { id: restoreId } = store.insert(restores).values({ restoredAtMs }).returning({ id: restores.id }).get();
  for (const { id: accountId } of listAccounts(store)) {
    const pending = store.select().from(takeUps).where(eq(takeUps.accountId, accountId)).get();
    // What an earlier restore never read is still missing.
    const sinceMs = pending?.takenUpAtMs === null ? Math.min(pending.snapshotAtMs, snapshotAtMs) : snapshotAtMs;
    const cursorMs = findFillCursor(store, accountId);
    // An account without a fill is read to the end, and its cursor stands at the beginning of time.
    const known = [cursorMs === 0 ? null : cursorMs, pending?.takenUpAtMs === null ? pending.filledToMs : null];
    const fills = known.filter((atMs) => atMs !== null);
    const filledToMs = fills.length === 0 ? null : Math.min(...fills);
    const row = { restoreId, snapshotAtMs: sinceMs, takenUpAtMs: null, filledToMs, readToMs: null };
    store
      .insert(takeUps)
      .values({ accountId, ...row })
      .onConflictDoUpdate({ target: takeUps.accountId, set: row })
      .run();
  }
  const held = store.select({ hash: apiKeys.keyHash }).from(apiKeys).where(eq(apiKeys.state, "active")).all();
  for (const { hash } of held) setKeyState(store, hash, "held", restoredAtMs);
  const hooksHeld = holdHooks(store);
  // What the lost machine has traded and lost today nobody knows.
  for (const of of listBots(store)) countDayAsUsed(store, of, { atMs: restoredAtMs, actor: "operator" });
  const living = store.select({ address: agents.address }).from(agents).where(ne(agents.state, "retired")).all();
  for (const { address } of living) retireAgent(store, address);
  // Whoever holds a link or a session of the set-up may hold it from the lost machine.
  store.delete(setupTokens).run();
  // The lost machine may have signed with these numbers, and more of them, since the snapshot.
  raiseNonces(store, restoredAtMs);
  forget(store);
  store.memory.restores = null;
  return { snapshotAtMs, keysHeld: held.length, hooksHeld, agentsRetired: living.length };
}

/** Of every key with rails, once. */
function listBots(store: Store): { accountId: string; bot: string }[] {
  const grants = listKeyRows(store).flatMap((row) => limitedGrantOf(row) ?? []);
  const bots = new Map(grants.map(({ accountId, rails: { bot } }) => [`${accountId} ${bot}`, { accountId, bot }]));
  return [...bots.values()];
}

function newestKnownMs(store: Store): number | null {
  const written =
    store
      .select({ atMs: max(audit.atMs) })
      .from(audit)
      .get()?.atMs ?? null;
  const signed = store
    .select({ atMs: max(everyAttempt.createdAtMs) })
    .from(everyAttempt)
    .get()?.atMs;
  const all = [written, signed].filter((atMs) => atMs !== null && atMs !== undefined);
  return all.length === 0 ? null : Math.max(...all);
}

const awaited = prepared((store) =>
  store
    .select({ accountId: takeUps.accountId })
    .from(takeUps)
    .where(isNull(takeUps.takenUpAtMs))
    .orderBy(asc(takeUps.accountId))
    .prepare(),
);

/** Accounts that wait to be taken up, in the order of their ids. */
export function listAwaiting(store: Store): string[] {
  return awaited(store)
    .all()
    .map((row) => row.accountId);
}

/** The last statement of its transaction: from here on the account trades. */
export function markTakenUp(
  store: Store,
  accountId: string,
  { takenUpAtMs, readToMs }: { takenUpAtMs: number; readToMs: number },
): void {
  store.update(takeUps).set({ takenUpAtMs, readToMs }).where(eq(takeUps.accountId, accountId)).run();
  store.memory.restores = null;
}

/** Notes whose key an order answers, once. */
export function insertAdoption(store: Store, adoption: Adoption): void {
  store.insert(adoptions).values(adoption).onConflictDoNothing().run();
}

const byDigits = prepared((store) =>
  store
    .select()
    .from(adoptions)
    .where(
      and(eq(adoptions.accountId, sql.placeholder("accountId")), eq(adoptions.keyDigits, sql.placeholder("keyDigits"))),
    )
    .prepare(),
);

/** Once a database was restored, each write asks for some thirty keys: what it may have been sent as in a batch or a trade. */
export function findAdoption(store: Store, accountId: string, keyDigits: string): Adoption | null {
  return byDigits(store).get({ accountId, keyDigits }) ?? null;
}

/** Client order ids that this database has signed for an account. */
export function signedCloids(store: Store, accountId: string): Set<string> {
  const rows = store
    .select({ cloid: everyAttempt.cloid })
    .from(everyAttempt)
    .where(and(eq(everyAttempt.accountId, accountId), isNotNull(everyAttempt.cloid)))
    .all();
  return new Set(rows.flatMap(({ cloid }) => (cloid === null ? [] : [cloid])));
}
