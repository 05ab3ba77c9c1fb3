import { inTransaction } from "./commit.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Store } from "./open.ts";
import { sqliteVersion } from "./sqlite-version.ts";

/** Throws unless the database answers a read. Cheap: asked every few seconds. */
export function readProbe(store: Store): void {
  store.$client.query("SELECT count(*) FROM instance").get();
}

/** Throws unless a commit reaches the disk. Changes nothing that anybody reads. */
export function writeProbe(store: Store): void {
  inTransaction(store, () => store.$client.run("UPDATE instance SET id = id"));
}

/** The schema of this database, and the newest that this program knows. */
export function schemaVersion(store: Store): { found: number; newest: number } {
  const row = store.$client.query<{ user_version: number }, []>("PRAGMA user_version").get();
  return { found: row?.user_version ?? 0, newest: MIGRATIONS.length };
}

export type DatabaseCheck = {
  /** What SQLite's own check says is wrong, at most ten lines; empty when it is sound. */
  faults: string[];
  schema: number;
  newestSchema: number;
  journalMode: string;
  sqliteVersion: string;
};

/** Reads every page of the database: seconds for a large one. */
export function checkDatabase(store: Store): DatabaseCheck {
  const rows = store.$client.query<{ quick_check: string }, []>("PRAGMA quick_check(10)").all();
  const journal = store.$client.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get();
  const { found, newest } = schemaVersion(store);
  return {
    faults: rows.map((row) => row.quick_check).filter((text) => text !== "ok"),
    schema: found,
    newestSchema: newest,
    journalMode: journal?.journal_mode ?? "unknown",
    sqliteVersion: sqliteVersion(),
  };
}
