import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inTransaction } from "../../src/store/commit.ts";
import { type Sync, syncOfLog } from "../../src/store/disk.ts";
import { MIGRATIONS, NewerDatabase } from "../../src/store/migrations.ts";
import { closeStore, openStore, openStoreReadOnly, requireSqlite, type Store } from "../../src/store/open.ts";
import { findOrder, insertOrder } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { orderRow } from "../support/rows.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

test("a store waits for the disk, writes ahead, and gives way to a reader", async () => {
  await inTemporaryDirectory((path) => {
    let waits = 0;
    const syncOf = (of: string): Sync => {
      const log = syncOfLog(of);
      const now = () => {
        waits += 1;
        log.now();
      };
      return { ...log, now };
    };
    const store = openStore(join(path, "postern.db"), { syncOf });
    const atStart = waits;
    inTransaction(store, () => insertOrder(store, orderRow()));
    expect(waits).toBe(atStart + 1);
    const pragma = (name: string) => Object.values(store.$client.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    // Commits are waited for in `disk`; what is carried over from the log is synced by SQLite itself.
    expect(pragma("synchronous")).toBe(1);
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("busy_timeout")).toBe(5_000);
    expect(pragma("foreign_keys")).toBe(1);
    expect(pragma("trusted_schema")).toBe(0);
    closeStore(store);
  });
});

const PRAGMAS = [
  "user_version",
  "journal_mode",
  "synchronous",
  "foreign_keys",
  "trusted_schema",
  "temp_store",
  "cache_size",
];

test("a database in memory that begins as another did is as one that was migrated, and shares nothing with it", () => {
  const stores = [openStore(":memory:"), openMemoryStore(), openMemoryStore()] as const;
  const asMade = ({ $client }: Store) => [
    $client.query("SELECT * FROM sqlite_schema ORDER BY name").all(),
    ...PRAGMAS.map((name) => $client.prepare(`PRAGMA ${name}`).get()),
  ];
  for (const begun of stores.slice(1)) expect(asMade(begun)).toEqual(asMade(stores[0]));
  insertOrder(stores[1], orderRow());
  expect(findOrder(stores[2], orderRow().id)).toBeNull();
  expect(findOrder(openMemoryStore(), orderRow().id)).toBeNull();
  for (const store of stores) closeStore(store);
});

test("an SQLite that could corrupt its log is refused, a newer one is taken", () => {
  for (const version of ["3.51.3", "3.51.10", "3.52.0", "3.53.0", "4.0.0"]) requireSqlite(version);
  for (const version of ["3.51.2", "3.50.9", "3.9.3", "2.99.99", "0", ""]) {
    expect(() => requireSqlite(version)).toThrow("is older than 3.51.3");
  }
});

test("the list of migrations is the folder of migrations, in order and byte for byte", async () => {
  const folder = join(import.meta.dir, "../../drizzle");
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  expect(MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files.toSorted());
  for (const { name, sql } of MIGRATIONS) expect(sql).toBe(await Bun.file(join(folder, `${name}.sql`)).text());
});

test("a database opens again with what was stored, and the schema is made once", async () => {
  await inTemporaryDirectory((path) => {
    const file = join(path, "postern.db");
    const first = openStore(file);
    insertOrder(first, orderRow());
    closeStore(first);
    const second = openStore(file);
    expect(findOrder(second, orderRow().id)).toEqual(orderRow());
    closeStore(second);
  });
});

test("the database of a newer program is refused and left as it was", async () => {
  await inTemporaryDirectory((path) => {
    const file = join(path, "postern.db");
    closeStore(openStore(file));
    const client = new Database(file);
    client.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    expect(() => openStore(file)).toThrow(NewerDatabase);
    expect(Object.values(client.prepare("PRAGMA user_version").get() ?? {})).toEqual([MIGRATIONS.length + 1]);
    client.close();
  });
});

test("a reader beside the gateway sees what is stored and cannot write", async () => {
  await inTemporaryDirectory((path) => {
    const file = join(path, "postern.db");
    const store = openStore(file);
    insertOrder(store, orderRow());
    const reader = openStoreReadOnly(file);
    expect(findOrder(reader, orderRow().id)).toEqual(orderRow());
    expect(() => insertOrder(reader, orderRow({ id: "other" }))).toThrow("readonly");
    closeStore(reader);
    closeStore(store);
  });
});

const HOLDING = `
  const { Database } = await import("bun:sqlite");
  const database = new Database(process.argv.at(-1));
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA locking_mode = EXCLUSIVE");
  database.run("CREATE TABLE held (id INTEGER)");
  console.log("held");
  await Bun.sleep(300);
`;

test("opening waits for a process that holds the whole file for a moment", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const child = Bun.spawn([process.execPath, "-e", HOLDING, path], { stdout: "pipe", stderr: "inherit" });
    await child.stdout.getReader().read();
    closeStore(openStore(path));
    expect(await child.exited).toBe(0);
  });
});
