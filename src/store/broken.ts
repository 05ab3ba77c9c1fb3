/**
 * A database that can no longer be trusted is not written again by this process. After a failed wait for the disk
 * nobody knows which pages are on it, and asking again would be told that all is well; only a new start, which reads
 * what is really there, goes on. A full disk or a lock passes by itself.
 */
import { DiskFault } from "./disk.ts";
import { noteRefusedWrite } from "./heard-writes.ts";
import { NUMBER_USED_TWICE } from "./nonces.ts";
import type { Store } from "./open.ts";

export type BrokenWatch = { because: string | null; listener: (because: string) => void };

/** Tells `listener`, once, why the database is written no more; at once where that was found before anybody listened. */
export function onBroken({ memory }: Store, listener: (because: string) => void): void {
  const { because } = memory.broken;
  memory.broken = { because, listener };
  if (because !== null) listener(because);
}

/** Why the database is not written any more; null while it is. */
export function whyBroken({ memory }: Store): string | null {
  return memory.broken.because;
}

/** Before every transaction: throws where an earlier one has failed for good. */
export function requireWhole(store: Store): void {
  const because = whyBroken(store);
  if (because !== null) throw new Error(`the database is not written any more: ${because}`);
}

/** Looks at what a transaction has thrown. */
export function noteFailure(store: Store, error: unknown): void {
  const { memory } = store;
  noteRefusedWrite(store, error);
  const because = lastingFault(error);
  if (because === null || memory.broken.because !== null) return;
  memory.broken = { ...memory.broken, because };
  memory.broken.listener(because);
}

/** Beginnings of SQLite's codes after which it is in doubt what is on the disk. */
const LASTING_CODES = ["SQLITE_IOERR", "SQLITE_CORRUPT", "SQLITE_NOTADB"];
/** A write that was refused has left nothing behind: the next one tries again. */
const PASSING_CODES = ["SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE", "SQLITE_IOERR_NOMEM", "SQLITE_IOERR_LOCK"];
/** Two actions under one number, or a commit that did not wait: nothing that we believe of the database is safe. */
const BROKEN_INVARIANTS = [
  "UNIQUE constraint failed: attempts.signer, attempts.nonce",
  "UNIQUE constraint failed: orders.signer, orders.nonce, orders.batch_index",
  NUMBER_USED_TWICE,
  "bug: commits do not wait for the disk",
];

function lastingFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof DiskFault) return error.message;
  const code = "code" in error ? String(error.code) : "";
  const isLasting = LASTING_CODES.some((start) => code.startsWith(start)) && !PASSING_CODES.includes(code);
  if (isLasting || BROKEN_INVARIANTS.some((text) => error.message.startsWith(text))) {
    return code === "" ? error.message : `${error.message} (${code})`;
  }
  return null;
}
