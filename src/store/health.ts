import { MIGRATIONS } from "./migrations.ts";
import type { Store } from "./open.ts";

/** Throws unless the database answers a read. Cheap: asked every few seconds. */
export function readProbe(store: Store): void {
  store.$client.query("SELECT count(*) FROM instance").get();
}

/** Throws unless a commit reaches the disk. Changes nothing that anybody reads. */
export function writeProbe(store: Store): void {
  store.$client.run("UPDATE instance SET id = id");
}

/** The schema of this database, and the newest that this program knows. */
export function schemaVersion(store: Store): { found: number; newest: number } {
  const row = store.$client.query<{ user_version: number }, []>("PRAGMA user_version").get();
  return { found: row?.user_version ?? 0, newest: MIGRATIONS.length };
}
