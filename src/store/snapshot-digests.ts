/**
 * What a snapshot carries to tell whether it is still as it was written: a digest of each of its tables. SQLite's own check looks at how a
 * file holds together, and passes a byte that has changed within a row.
 */
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { syncFile } from "./snapshot.ts";

const TABLE = "snapshot_digests";

/** Puts the digests into a snapshot that nobody else has open, on the disk when it returns. Throws. */
export function writeDigests(path: string): void {
  const client = new Database(path, { readwrite: true, strict: true, safeIntegers: true });
  try {
    client.transaction(() => putDigests(client))();
  } finally {
    client.close();
  }
  syncFile(path);
}

function putDigests(client: Database): void {
  dropDigests(client);
  const digests = digestTables(client);
  client.run(`CREATE TABLE ${TABLE} (name TEXT PRIMARY KEY, digest TEXT NOT NULL) STRICT`);
  const insert = client.prepare(`INSERT INTO ${TABLE} VALUES (?, ?)`);
  for (const [name, digest] of digests) insert.run(name, digest);
  insert.finalize();
}

/** Takes them out of what is to become a database. */
export function dropDigests(client: Database): void {
  client.run(`DROP TABLE IF EXISTS ${TABLE}`);
}

/** Names of the tables that are not as they were written; null of a snapshot that carries no digests. Throws. */
export function findChangedTables(path: string): string[] | null {
  const client = new Database(path, { readonly: true, strict: true, safeIntegers: true });
  try {
    if (!tablesOf(client).some(({ name }) => name === TABLE)) return null;
    const rows = client.prepare<{ name: string; digest: string }, []>(`SELECT name, digest FROM ${TABLE}`).all();
    const written = new Map(rows.map(({ name, digest }) => [name, digest]));
    const found = digestTables(client);
    const names = new Set([...written.keys(), ...found.keys()]);
    return [...names].filter((name) => written.get(name) !== found.get(name)).sort();
  } finally {
    client.close();
  }
}

type TableText = { name: string; sql: string };

function tablesOf(client: Database): TableText[] {
  return client
    .prepare<TableText, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL ORDER BY name",
    )
    .all();
}

function digestTables(client: Database): Map<string, string> {
  const tables = tablesOf(client).filter(({ name }) => name !== TABLE);
  return new Map(tables.map((table) => [table.name, digestOf(client, table)]));
}

/** Rows in the order in which they lie in the file. */
function digestOf(client: Database, { name, sql }: TableText): string {
  const hash = createHash("sha256").update(sql);
  const rows = client.prepare<Record<string, unknown>, []>(`SELECT * FROM "${name.replaceAll('"', '""')}"`);
  for (const row of rows.iterate()) hash.update(rowText(Object.values(row)));
  rows.finalize();
  return hash.digest("hex");
}

function rowText(values: readonly unknown[]): string {
  return `${JSON.stringify(values.map((value) => [typeof value, value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value)]))}\n`;
}
