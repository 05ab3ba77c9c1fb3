/** What this process's own transactions tell of the disk: whether the last write succeeded, and with which code it failed. */
import type { Store } from "./open.ts";

/** SQLite's codes for a disk or a file that takes no write, as opposed to errors of the statement itself. */
const REFUSED = /^SQLITE_(FULL|READONLY|IOERR|BUSY|LOCKED|CANTOPEN|PERM|AUTH|NOMEM|CORRUPT|NOTADB)/;

/** SQLite's code of the last write where that failed; null where it succeeded. */
export function failedWith({ memory }: Store): string | null {
  return memory.refusedWith;
}

export function noteCommit({ memory }: Store): void {
  memory.refusedWith = null;
}

/** Remembers what a transaction has thrown, where that is the disk's fault. */
export function noteRefusedWrite({ memory }: Store, error: unknown): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (REFUSED.test(code)) memory.refusedWith = code;
}
