/** By which codes SQLite and the system say that a disk or a file is at fault, in one place: each question names the ones that answer it. */

/** Of the system: there is no room, or nothing may be written there. */
const OF_SYSTEM = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EACCES)/;

/** SQLite's, of a database that is to be written to. */
const OF_DATABASE = /^SQLITE_(FULL|READONLY|IOERR|CANTOPEN)/;

/** SQLite's that a write alone ends with. */
const OF_WRITE = /^SQLITE_(FULL|IOERR_(WRITE|FSYNC|TRUNCATE))$/;

/** SQLite's for a disk or a file that takes no write, as opposed to errors of the statement itself. */
const OF_FILE = /^SQLITE_(FULL|READONLY|IOERR|BUSY|LOCKED|CANTOPEN|PERM|AUTH|NOMEM|CORRUPT|NOTADB)/;

/** Empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function saysDisk(code: string): boolean {
  return OF_SYSTEM.test(code) || OF_DATABASE.test(code);
}

/** Of something that reads one file and writes another: that it is the other one's fault. What either may have is no such word. */
export function saysWritten(code: string): boolean {
  return OF_SYSTEM.test(code) || OF_WRITE.test(code);
}

export function saysFile(code: string): boolean {
  return OF_FILE.test(code);
}
