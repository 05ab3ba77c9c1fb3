import { type AuditHead, findAuditChain, findAuditHead, findBrokenAuditRow } from "../store/audit.ts";
import type { AuditSeal } from "../store/audit-seal.ts";
import { inSnapshot } from "../store/commit.ts";
import type { Store } from "../store/open.ts";

export type AuditReport = {
  head: AuditHead;
  /** What is wrong, in plain words; null when everything that could be checked holds. */
  fault: string | null;
};

export type AuditEvidence = {
  /** The seal as it stands, and whether it was made with the passphrase: null when that cannot be told here. */
  seal: AuditSeal | null;
  isGenuine: boolean | null;
  /** A head that was printed earlier and kept elsewhere, its hash possibly cut short; null for none. */
  earlier: AuditHead | null;
};

/** Reads the whole audit log and says whether a row of it was edited, deleted, moved or cut off. */
export function verifyAudit(store: Store, { seal, isGenuine, earlier }: AuditEvidence): AuditReport {
  return inSnapshot(store, () => ({
    head: findAuditHead(store),
    fault: chainFault(store) ?? sealFault(store, seal, isGenuine) ?? earlierFault(store, earlier),
  }));
}

function chainFault(store: Store): string | null {
  const broken = findBrokenAuditRow(store);
  return broken === null ? null : `row ${broken} was changed, or one before it was deleted, moved or cut off`;
}

function sealFault(store: Store, seal: AuditSeal | null, isGenuine: boolean | null): string | null {
  if (seal === null) return "its seal is missing, and every set-up makes one: it was deleted";
  if (isGenuine === false) return "its seal was not made with this directory's passphrase: the log was written anew";
  const isThere = findAuditChain(store, seal.rowId) === seal.chain;
  return isThere ? null : `row ${seal.rowId} is not the one that was sealed: the log was written anew`;
}

function earlierFault(store: Store, earlier: AuditHead | null): string | null {
  if (earlier === null || findAuditChain(store, earlier.rowId)?.startsWith(earlier.chain) === true) return null;
  return `row ${earlier.rowId} is not the one that was printed earlier: the log was written anew, or an older database was put in its place`;
}
