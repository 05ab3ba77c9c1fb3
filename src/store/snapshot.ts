import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, saysWritten } from "./fault-codes.ts";
import type { Store } from "./open.ts";

/** Why there is no snapshot, and whether that is plainly for what it is written to. */
export type SnapshotFault = { reason: string; isOfTarget: boolean };

/**
 * Writes a consistent copy of a database, beside whoever has it open, into an empty file that the caller has made. On
 * the disk when it returns. Null, or why there is none.
 */
export function snapshotInto(source: string, target: string): SnapshotFault | null {
  let client: Database | null = null;
  try {
    client = new Database(source, { readonly: true, strict: true });
    snapshotOf(client, target);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The source is only read.
    return { reason, isOfTarget: saysWritten(codeOf(error)) };
  } finally {
    client?.close();
  }
}

/**
 * Writes a consistent copy of a connection's database, outside its transactions; on the disk when it returns. Throws.
 */
export function snapshotOf(client: Database, target: string): void {
  const statement = client.prepare("VACUUM INTO ?");
  statement.run(target);
  statement.finalize();
  syncFile(target);
  syncFile(dirname(target));
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes what is in the write-ahead log into the database file itself. */
export function emptyLog(store: Store): void {
  store.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** What is wrong with a database file as a whole; null when nothing is. Never throws. */
export function findDamage(path: string): string | null {
  let client: Database | null = null;
  try {
    client = new Database(path, { readonly: true, strict: true });
    const rows = client.prepare<{ integrity_check: string }, []>("PRAGMA integrity_check(10)").all();
    const found = rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
    if (found.length > 0) return found.join("; ");
    const schema = client.prepare<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
    return schema === 0 ? "it is not a database of Postern" : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    client?.close();
  }
}
