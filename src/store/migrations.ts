import type { Database } from "bun:sqlite";
import createTables from "../../drizzle/0000_create_tables.sql" with { type: "text" };

/** Forward only, in order, never edited after a release. A test holds this list against the folder `drizzle/`. */
export const MIGRATIONS: readonly { name: string; sql: string }[] = [{ name: "0000_create_tables", sql: createTables }];

/** The database was written by a newer Postern than this one. */
export class NewerDatabase extends Error {
  override readonly name = "NewerDatabase";
}

/** Brings the schema up to date: each migration in a transaction of its own, counted in `user_version`. */
export function migrate(client: Database): void {
  const row = client.prepare<{ user_version: number }, []>("PRAGMA user_version").get();
  const done = row?.user_version ?? 0;
  if (done > MIGRATIONS.length) {
    throw new NewerDatabase(
      `the database has schema ${done}, this binary knows ${MIGRATIONS.length}: use the newer binary, or restore a backup made before the upgrade`,
    );
  }
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < done) continue;
    client.transaction(() => {
      client.run(migration.sql);
      client.run(`PRAGMA user_version = ${index + 1}`);
    })();
  }
}
