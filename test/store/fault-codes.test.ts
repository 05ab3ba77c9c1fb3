/** What a code of SQLite or of the system says: of the disk, of the file that is written where another is read, of the file at all. */
import { expect, test } from "bun:test";
import { codeOf, saysDisk, saysFile, saysWritten } from "../../src/store/fault-codes.ts";

test.each<[code: string, disk: boolean, written: boolean, file: boolean]>([
  ["ENOSPC", true, true, false],
  ["EROFS", true, true, false],
  ["SQLITE_FULL", true, true, true],
  ["SQLITE_IOERR_WRITE", true, true, true],
  // What is read for it may be at fault.
  ["SQLITE_IOERR_READ", true, false, true],
  ["SQLITE_IOERR", true, false, true],
  ["SQLITE_READONLY_DBMOVED", true, false, true],
  ["SQLITE_CANTOPEN", true, false, true],
  ["SQLITE_BUSY", false, false, true],
  ["SQLITE_CORRUPT", false, false, true],
  ["SQLITE_CONSTRAINT_UNIQUE", false, false, false],
  ["ENOENT", false, false, false],
  ["", false, false, false],
])("%s", (code, disk, written, file) => {
  expect([saysDisk(code), saysWritten(code), saysFile(code)]).toEqual([disk, written, file]);
});

test("a code is that of an error, and of nothing else", () => {
  expect(codeOf(Object.assign(new Error("full"), { code: "SQLITE_FULL" }))).toBe("SQLITE_FULL");
  expect([codeOf(new Error("plain")), codeOf({ code: "SQLITE_FULL" }), codeOf(null)]).toEqual(["", "", ""]);
});
