/** What the transactions of this process tell of the disk: each one that went through, and why one did not. */
import type { Database } from "bun:sqlite";
import type { Store } from "./open.ts";

/** SQLite's codes for a disk or a file that takes no write; what a statement itself did wrong is none of them. */
const REFUSED = /^SQLITE_(FULL|READONLY|IOERR|BUSY|LOCKED|CANTOPEN|PERM|AUTH|NOMEM|CORRUPT|NOTADB)/;

/** Databases whose last write did not get through, with SQLite's code for it. */
const failing = new WeakMap<Database, string>();

/** SQLite's code of the last write, when it did not get through; null when it did. */
export function failedWith({ $client: client }: Store): string | null {
  return failing.get(client) ?? null;
}

export function noteCommit({ $client: client }: Store): void {
  failing.delete(client);
}

/** What a transaction has thrown. */
export function noteRefusedWrite({ $client: client }: Store, error: unknown): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (REFUSED.test(code)) failing.set(client, code);
}
