/**
 * What the passphrase vouches for. Who can write the database can write any row, so the instance, every account, agent,
 * key, revocation and stop stands a second time in `sealed_rows`, whose digest is in the seal of the audit log. Whoever has the
 * passphrase reads that table once, when the seal has been checked, and from then on believes this memory: a row that
 * is not like its sealed one is not believed, one that has none was planted, and one that is gone was deleted.
 *
 * A connection without the passphrase has no such memory: it believes what it reads, and only shows it.
 */
import { createHash } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { forget, noteSettledWritten } from "./remembered.ts";
import type { apiKeys } from "./schema.ts";
import { sealedRows } from "./schema-audit.ts";

export type SealedRow = typeof sealedRows.$inferSelect;
export type RowKind = SealedRow["kind"];

/** Something in the database that is not as it was sealed; `what` in plain words, with the row's name. */
export type RowFault = { kind: RowKind; id: string; what: string };

/** What an owner signed, as a key's row keeps it; scopes sorted and joined by commas. */
export type SignedKey = Omit<typeof apiKeys.$inferSelect, "state" | "lastUsedAtMs" | "registeredAtMs">;

/** What needs the passphrase or the owner's signature, done for a store that knows neither. */
export type Sealer = {
  /** Seals the rows as they now are, inside the transaction that has changed them. */
  seal(store: Store): void;
  /** Whether this is the owner's signature of this grant. */
  isGranted(row: SignedKey, ownerAddress: string): boolean;
  /** A fault that was met, each once. */
  tell(fault: RowFault): void;
};

export type SealedMemory = {
  sealer: Sealer;
  rows: ReadonlyMap<RowKind, Map<string, string>>;
  /** Null after a change. */
  digest: string | null;
  /** What to put back, newest last, should the transaction fail. */
  undo: { kind: RowKind; id: string; before: string | null }[];
  /** Grants whose signature was checked in this process, and what came out. */
  granted: Map<string, boolean>;
  told: Set<string>;
};

const KINDS: readonly RowKind[] = [
  "instance",
  "account",
  "agent",
  "key",
  "revocation",
  "stop",
  "trip",
  "narrowing",
  "trade",
  "hook",
  "proposal",
];

/** From now on this connection believes these rows and no others, and seals what it changes. */
export function believe(store: Store, rows: readonly SealedRow[], sealer: Sealer): void {
  const kept = new Map(KINDS.map((kind) => [kind, new Map<string, string>()]));
  for (const { kind, id, content } of rows) kept.get(kind)?.set(id, content);
  // What was read before was believed without any proof.
  forget(store);
  store.memory.sealed = { sealer, rows: kept, digest: null, undo: [], granted: new Map(), told: new Set() };
}

/** False for a connection without the passphrase. */
export function hasSealedRows({ memory }: Store): boolean {
  return memory.sealed !== null;
}

/** The sealed form of a row; null when there is none. */
export function findSealed({ memory }: Store, kind: RowKind, id: string): string | null {
  return memory.sealed?.rows.get(kind)?.get(id) ?? null;
}

export function listSealed({ memory }: Store, kind: RowKind): [id: string, content: string][] {
  return [...(memory.sealed?.rows.get(kind) ?? [])];
}

const put = prepared((store) =>
  store
    .insert(sealedRows)
    .values(placeholders(sealedRows))
    .onConflictDoUpdate({
      target: [sealedRows.kind, sealedRows.id],
      set: { content: sql`excluded.content` },
    })
    .prepare(),
);

/**
 * Notes what a row was changed to, null for one that was deleted. Callers say what they meant to write and never what
 * they read back, which may be somebody else's.
 */
export function vouch(store: Store, kind: RowKind, id: string, content: string | null): void {
  const { sealed } = store.memory;
  const rows = sealed?.rows.get(kind);
  if (sealed === null || rows === undefined) return;
  const before = rows.get(id) ?? null;
  if (before === content) return;
  sealed.undo.push({ kind, id, before });
  noteSettledWritten(store);
  sealed.digest = null;
  if (content === null) {
    rows.delete(id);
    store
      .delete(sealedRows)
      .where(and(eq(sealedRows.kind, kind), eq(sealedRows.id, id)))
      .run();
  } else {
    rows.set(id, content);
    put(store).run({ kind, id, content });
  }
  if (!store.memory.isWriting) {
    sealChanges(store);
    keepChanges(store);
  }
}

/** For `commit.ts`, last thing in a transaction: the seal belongs to the change. */
export function sealChanges(store: Store): void {
  const { sealed } = store.memory;
  if (sealed !== null && sealed.undo.length > 0) sealed.sealer.seal(store);
}

/** For `commit.ts`, once the transaction is committed. */
export function keepChanges({ memory }: Pick<Store, "memory">): void {
  memory.sealed?.undo.splice(0);
}

/** How many changes would be put back now; for a part of a transaction that may be rolled back by itself. */
export function countChanges({ memory }: Pick<Store, "memory">): number {
  return memory.sealed?.undo.length ?? 0;
}

/** For who rolls back, right after it. `from`: what `countChanges` said when that part of the transaction began. */
export function undoChanges({ memory }: Pick<Store, "memory">, from = 0): void {
  const { sealed } = memory;
  if (sealed === null) return;
  sealed.digest = null;
  for (const { kind, id, before } of sealed.undo.splice(from).reverse()) {
    if (before === null) sealed.rows.get(kind)?.delete(id);
    else sealed.rows.get(kind)?.set(id, before);
  }
}

/** Of what this connection believes; null when it believes what it reads. */
export function digestOfBelieved({ memory }: Store): string | null {
  const { sealed } = memory;
  if (sealed === null) return null;
  const all = () =>
    [...sealed.rows].flatMap(([kind, kept]) => [...kept].map(([id, content]) => ({ kind, id, content })));
  sealed.digest ??= digestOfRows(all());
  return sealed.digest;
}

/** Hex SHA-256 over all rows, in whatever order they come. */
export function digestOfRows(rows: readonly SealedRow[]): string {
  const lines = rows.map(({ kind, id, content }) => JSON.stringify([kind, id, content])).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/** The table as it stands, which anybody may have written. */
export function readSealedRows(store: Store): SealedRow[] {
  return store.select().from(sealedRows).all();
}

/** Whether the table has a row of this, whoever wrote it. */
export function isSealedInTable(store: Store, kind: RowKind, id: string): boolean {
  const isThis = and(eq(sealedRows.kind, kind), eq(sealedRows.id, id));
  return store.select({ id: sealedRows.id }).from(sealedRows).where(isThis).get() !== undefined;
}

/** Whether the owner has signed it, found out once. */
export function isGranted({ memory }: Store, row: SignedKey, ownerAddress: string): boolean {
  const { sealed } = memory;
  if (sealed === null) return true;
  const { keyHash, accountId, scopes, issuedAtMs, audience, network, expiresAtMs, signature, limitedGrant } = row;
  const signed = { keyHash, accountId, scopes, issuedAtMs, audience, network, expiresAtMs, signature, limitedGrant };
  const name = JSON.stringify([signed, ownerAddress]);
  const known = sealed.granted.get(name);
  if (known !== undefined) return known;
  const found = sealed.sealer.isGranted(signed, ownerAddress);
  if (sealed.granted.size >= MAX_GRANTED) sealed.granted.clear();
  sealed.granted.set(name, found);
  return found;
}

/** Answers about grants that are kept at once, at most. */
const MAX_GRANTED = 10_000;

/** Says once in the life of this process what was found. */
export function tellFault({ memory }: Store, fault: RowFault): void {
  const { sealed } = memory;
  const name = `${fault.kind} ${fault.id} ${fault.what}`;
  if (sealed === null || sealed.told.has(name)) return;
  if (sealed.told.size < MAX_TOLD) sealed.told.add(name);
  sealed.sealer.tell(fault);
}

/** Faults that are kept in mind as told, at most. */
const MAX_TOLD = 1_000;
