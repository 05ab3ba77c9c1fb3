import { hash } from "node:crypto";
import { and, desc, eq, gt, gte, inArray, lt, lte, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { remembered } from "./remembered.ts";
import { audit } from "./schema-audit.ts";

export type AuditEntry = {
  atMs: number;
  /** Key hash, `owner`, `operator` or `gateway`. */
  actor: string;
  event: string;
  /** Id of the order, operation, key or agent. */
  reference: string;
  /** Facts; never a key, a signature or a secret. */
  detail: Readonly<Record<string, string | number | boolean | null>>;
};

/** The last row of the log: whoever knows it can tell whether anything before it was changed. */
export type AuditHead = { rowId: number; chain: string };

export const FIRST_CHAIN = "0".repeat(64);

const newest = prepared((store) =>
  store.select({ chain: audit.chain }).from(audit).orderBy(desc(audit.id)).limit(1).prepare(),
);
const insert = prepared((store) => store.insert(audit).values(placeholders(audit)).prepare());

const head = remembered<string>((store) => newest(store).get()?.chain ?? null);
/** There is one log. */
const THE_LOG = "";

/** Appends one row whose hash covers the row before it: an edit, a deletion or a swap breaks the chain. */
export function appendAudit(store: Store, entry: AuditEntry): void {
  const detail = JSON.stringify(entry.detail);
  const chain = linkAudit(head.find(store, THE_LOG) ?? FIRST_CHAIN, { ...entry, detail });
  insert(store).run({ ...entry, id: null, detail, chain });
  head.put(store, THE_LOG, chain);
}

export function linkAudit(previous: string, row: Omit<AuditEntry, "detail"> & { detail: string }): string {
  const text = JSON.stringify([previous, row.atMs, row.actor, row.event, row.reference, row.detail]);
  return hash("sha256", text, "hex");
}

/** The last row as it stands; row 0 of an empty log. */
export function findAuditHead(store: Store): AuditHead {
  const last = store.select({ rowId: audit.id, chain: audit.chain }).from(audit).orderBy(desc(audit.id)).limit(1).get();
  return last ?? { rowId: 0, chain: FIRST_CHAIN };
}

/** What the newest row of this event says; null where there is none. Looks back through the log: for a command. */
export function findNewestDetail(store: Store, event: string): AuditEntry["detail"] | null {
  const row = store
    .select({ detail: audit.detail })
    .from(audit)
    .where(eq(audit.event, event))
    .orderBy(desc(audit.id))
    .limit(1)
    .get();
  // Written by `appendAudit` and by nothing else.
  return row === undefined ? null : (JSON.parse(row.detail) as AuditEntry["detail"]);
}

/** The chain up to this row, or null when there is no such row. */
export function findAuditChain(store: Store, rowId: number): string | null {
  if (rowId === 0) return FIRST_CHAIN;
  return store.select({ chain: audit.chain }).from(audit).where(eq(audit.id, rowId)).get()?.chain ?? null;
}

/** How many rows were ever written: SQLite counts it apart from the rows, so that cutting off the last ones shows. */
export function countAuditRowsEverWritten(store: Store): number {
  const statement = store.$client.prepare<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'audit'");
  const row = statement.get();
  statement.finalize();
  return row?.seq ?? 0;
}

/** The rows of these events behind one row and up to another, oldest first. */
export function listAuditOf(
  store: Store,
  events: readonly string[],
  { after, upTo }: { after: number; upTo: number },
): AuditRow[] {
  const isAsked = and(inArray(audit.event, [...events]), gt(audit.id, after), lte(audit.id, upTo));
  return store.select().from(audit).where(isAsked).orderBy(audit.id).all();
}

/**
 * The next rows of a time, oldest first; `lastId` is the last that was looked at, null at the end of the log. The log has no index
 * of times, because every intent would pay for it: a command that looks for an hour of it reads it all.
 */
export function listAuditPage(
  store: Store,
  { after, sinceMs, untilMs }: { after: number; sinceMs: number; untilMs: number },
): { rows: AuditRow[]; lastId: number | null } {
  const page = store.select().from(audit).where(gt(audit.id, after)).orderBy(audit.id).limit(VERIFY_PAGE_ROWS).all();
  const rows = page.filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs);
  return { rows, lastId: page.at(-1)?.id ?? null };
}

/** A row's place in the list of what was no signing, newest first. */
export type AuditPlace = { atMs: number; id: number };

export type AuditSpan = { sinceMs: number | null; untilMs: number | null; after: AuditPlace | null };

/** Newest first, without what was signed for orders and operations: those tell it, and it is most of the log. */
export function listToldAudit(store: Store, { sinceMs, untilMs, after }: AuditSpan, count: number): AuditRow[] {
  const isTold = sql`event not glob 'sign_*'`;
  const isBehind = after === null ? undefined : sql`(${audit.atMs}, ${audit.id}) < (${after.atMs}, ${after.id})`;
  const isSince = sinceMs === null ? undefined : gte(audit.atMs, sinceMs);
  const isBefore = untilMs === null ? undefined : lt(audit.atMs, untilMs);
  return store
    .select()
    .from(audit)
    .where(and(isTold, isBehind, isSince, isBefore))
    .orderBy(desc(audit.atMs), desc(audit.id))
    .limit(count)
    .all();
}

export type AuditRow = typeof audit.$inferSelect;

/** Rows read at a time while verifying. */
const VERIFY_PAGE_ROWS = 1_000;

/**
 * Id of the first row that does not follow from the one before it, or of the first that is missing at the end; null
 * when the whole log holds. `from` is a row that is trusted already.
 */
export function findBrokenAuditRow(store: Store, from: AuditHead = { rowId: 0, chain: FIRST_CHAIN }): number | null {
  let previous = from.chain;
  let after = from.rowId;
  for (;;) {
    const rows = store.select().from(audit).where(gt(audit.id, after)).orderBy(audit.id).limit(VERIFY_PAGE_ROWS).all();
    for (const row of rows) {
      if (row.id !== after + 1 || row.chain !== linkAudit(previous, row)) return row.id;
      previous = row.chain;
      after = row.id;
    }
    if (rows.length < VERIFY_PAGE_ROWS) return countAuditRowsEverWritten(store) === after ? null : after + 1;
  }
}
