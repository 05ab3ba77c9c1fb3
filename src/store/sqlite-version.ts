import { Database } from "bun:sqlite";

/** The version of SQLite inside this program: `3.53.0`. */
export function sqliteVersion(): string {
  const client = new Database(":memory:");
  try {
    const row = client.query<{ version: string }, []>("SELECT sqlite_version() AS version").get();
    return row?.version ?? "unknown";
  } finally {
    client.close();
  }
}
