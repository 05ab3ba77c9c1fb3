import type { AuditHead } from "./audit.ts";
import type { Store } from "./open.ts";
import { auditSeal } from "./schema-audit.ts";

export type AuditSeal = AuditHead & {
  sealedAtMs: number;
  /** Digest of all sealed rows; null in a seal of before there were any. */
  rowsDigest: string | null;
  /** Hex HMAC-SHA256 under a key that only the passphrase gives. */
  mac: string;
};

const ONLY_ROW = 1;

/** Null before the first one. */
export function findAuditSeal(store: Store): AuditSeal | null {
  const row = store.select().from(auditSeal).get();
  if (row === undefined) return null;
  const { id: _id, ...seal } = row;
  return seal;
}

export function putAuditSeal(store: Store, seal: AuditSeal): void {
  store
    .insert(auditSeal)
    .values({ ...seal, id: ONLY_ROW })
    .onConflictDoUpdate({ target: auditSeal.id, set: seal })
    .run();
}
