/** What this process's own transactions tell of the disk: whether the last write succeeded, and with which code it failed. */
import { DiskFault } from "./disk.ts";
import { codeOf, saysDisk, saysFile } from "./fault-codes.ts";
import type { Store } from "./open.ts";

/** Whether something failed because of the disk that it was to be written to. */
export function isOfDisk(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return saysDisk(codeOf(error)) || error instanceof DiskFault || isOfDisk(error.cause);
}

/** Of SQLite and of the system: there is no room where something was to be written. */
const NO_ROOM = /^(SQLITE_FULL|ENOSPC|EDQUOT)/;

/** Whether something failed for want of room alone, wherever it was to be written. */
export function hadNoRoom(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return ("code" in error && NO_ROOM.test(String(error.code))) || hadNoRoom(error.cause);
}

/** SQLite's code of the last write where that failed; null where it succeeded. */
export function failedWith({ memory }: Store): string | null {
  return memory.refusedWith;
}

/** How many writes the disk has refused: one more says that what was known of its room is old. */
export function countRefusals({ memory }: Store): number {
  return memory.refusals;
}

export function noteCommit({ memory }: Store): void {
  memory.refusedWith = null;
}

/** Remembers what a transaction has thrown, where that is the disk's fault. */
export function noteRefusedWrite({ memory }: Store, error: unknown): void {
  const code = codeOf(error);
  if (!saysFile(code)) return;
  memory.refusedWith = code;
  memory.refusals += 1;
}
