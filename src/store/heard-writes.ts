/** What the transactions of this process tell of the disk: each one that went through, and why one did not. */
import type { Store } from "./open.ts";

/** SQLite's codes for a disk or a file that takes no write; what a statement itself did wrong is none of them. */
const REFUSED = /^SQLITE_(FULL|READONLY|IOERR|BUSY|LOCKED|CANTOPEN|PERM|AUTH|NOMEM|CORRUPT|NOTADB)/;

/** SQLite's code of the last write, when it did not get through; null when it did. */
export function failedWith({ memory }: Store): string | null {
  return memory.refusedWith;
}

export function noteCommit({ memory }: Store): void {
  memory.refusedWith = null;
}

/** What a transaction has thrown. */
export function noteRefusedWrite({ memory }: Store, error: unknown): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (REFUSED.test(code)) memory.refusedWith = code;
}
