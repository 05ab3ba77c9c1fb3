import { createHash } from "node:crypto";
import { desc, gt } from "drizzle-orm";
import type { Store } from "./open.ts";
import { audit } from "./schema.ts";

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

const FIRST_CHAIN = "0".repeat(64);

/** Appends one row whose hash covers the row before it: an edit, a deletion or a swap breaks the chain. */
export function appendAudit(store: Store, entry: AuditEntry): void {
  const last = store.select({ chain: audit.chain }).from(audit).orderBy(desc(audit.id)).limit(1).get();
  const detail = JSON.stringify(entry.detail);
  const chain = link(last?.chain ?? FIRST_CHAIN, { ...entry, detail });
  store
    .insert(audit)
    .values({ ...entry, detail, chain })
    .run();
}

function link(previous: string, row: Omit<AuditEntry, "detail"> & { detail: string }): string {
  const text = JSON.stringify([previous, row.atMs, row.actor, row.event, row.reference, row.detail]);
  return createHash("sha256").update(text).digest("hex");
}

/** Rows read at a time while verifying. */
const VERIFY_PAGE_ROWS = 1_000;

/** Id of the first row that does not follow from the one before it, or null when the whole chain holds. */
export function findBrokenAuditRow(store: Store): number | null {
  let previous = FIRST_CHAIN;
  let after = 0;
  for (;;) {
    const rows = store.select().from(audit).where(gt(audit.id, after)).orderBy(audit.id).limit(VERIFY_PAGE_ROWS).all();
    for (const row of rows) {
      if (row.id !== after + 1 || row.chain !== link(previous, row)) return row.id;
      previous = row.chain;
      after = row.id;
    }
    if (rows.length < VERIFY_PAGE_ROWS) return null;
  }
}
