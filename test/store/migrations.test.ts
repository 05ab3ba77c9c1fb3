import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS, type Migration, migrate, requireKnownSchema } from "../../src/store/migrations.ts";
import { closeStore, openStore, openStoreReadOnly } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { emptyLog } from "../../src/store/snapshot.ts";
import { orderRow } from "../support/rows.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

/** A database of our first schema with one order in it. */
function makeFirst(directory: string): string {
  const path = join(directory, "postern.db");
  const store = openStore(path);
  insertOrder(store, orderRow());
  emptyLog(store);
  closeStore(store);
  return path;
}

/** What later releases might add. */
function later(count: number): Migration[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `000${index + 1}_add`,
    sql: `CREATE TABLE added_${index + 1} (a);\nALTER TABLE orders ADD COLUMN extra_${index + 1} text;`,
  }));
}

function upgrade(path: string, migrations: readonly Migration[]): void {
  const client = new Database(path, { strict: true });
  try {
    migrate(client, path, [...MIGRATIONS, ...migrations]);
  } finally {
    client.close();
  }
}

function read(path: string, sql: string): unknown[] {
  const client = new Database(path, { readonly: true });
  try {
    return client.prepare(sql).values().flat();
  } finally {
    client.close();
  }
}

const VERSION = "PRAGMA user_version";
const ORDERS = "SELECT id FROM orders";

test("each migration has a snapshot of what was before it, for the owner alone", async () => {
  await inTemporaryDirectory((directory) => {
    const path = makeFirst(directory);
    upgrade(path, later(2));
    expect(read(path, VERSION)).toEqual([MIGRATIONS.length + 2]);
    for (const schema of [MIGRATIONS.length, MIGRATIONS.length + 1]) {
      const kept = `${path}.schema-${schema}`;
      expect(read(kept, VERSION)).toEqual([schema]);
      expect(read(kept, ORDERS)).toEqual([orderRow().id]);
      expect(statSync(kept).mode & 0o777).toBe(0o600);
    }
    upgrade(path, later(2));
    expect(readdirSync(directory).filter((name) => name.includes("schema-"))).toHaveLength(2);
  });
});

test("the newest three snapshots stay, by number and not by name, and nothing else is removed", async () => {
  await inTemporaryDirectory((directory) => {
    const path = makeFirst(directory);
    writeFileSync(`${path}.schema-notes`, "mine");
    upgrade(path, later(11));
    const kept = readdirSync(directory).filter((name) => name.includes("schema-"));
    const newest = MIGRATIONS.length + 10;
    const numbers = [newest - 2, newest - 1, newest].map((schema) => `postern.db.schema-${schema}`);
    expect(kept.sort()).toEqual([...numbers, "postern.db.schema-notes"].sort());
  });
});

test("a migration that fails leaves the schema before it, and the next start tries again", async () => {
  await inTemporaryDirectory((directory) => {
    const path = makeFirst(directory);
    const [good] = later(1);
    const halfway = { name: "0001_bad", sql: `${good?.sql}\nINSERT INTO nowhere VALUES (1);` };
    expect(() => upgrade(path, [halfway])).toThrow("nowhere");
    expect(read(path, VERSION)).toEqual([MIGRATIONS.length]);
    expect(read(path, "SELECT name FROM sqlite_master WHERE name = 'added_1'")).toEqual([]);
    upgrade(path, later(1));
    expect(read(path, VERSION)).toEqual([MIGRATIONS.length + 1]);
    expect(read(path, ORDERS)).toEqual([orderRow().id]);
  });
});

test("without a snapshot nothing is migrated", async () => {
  await inTemporaryDirectory((directory) => {
    const path = makeFirst(directory);
    // A folder of that name is in the way; root may write wherever permissions say no.
    mkdirSync(`${path}.schema-${MIGRATIONS.length}`);
    expect(() => upgrade(path, later(1))).toThrow("no snapshot could be written");
    expect(read(path, VERSION)).toEqual([MIGRATIONS.length]);
    expect(readdirSync(directory).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});

test("a database that is made now has no snapshot of nothing", async () => {
  await inTemporaryDirectory((directory) => {
    const path = join(directory, "postern.db");
    upgrade(path, later(2));
    expect(readdirSync(directory).filter((name) => name.includes("schema-"))).toEqual([]);
  });
});

test("an older binary refuses a newer database, says what to do, and changes no byte of it", async () => {
  await inTemporaryDirectory((directory) => {
    const path = makeFirst(directory);
    upgrade(path, later(1));
    const before = readFileSync(path);
    for (const refuse of [() => openStore(path), () => openStoreReadOnly(path), () => requireKnownSchema(path)]) {
      expect(refuse).toThrow(`has schema ${MIGRATIONS.length + 1}, this binary knows ${MIGRATIONS.length}`);
    }
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(directory).filter((name) => name.includes("schema-"))).toEqual([
      `postern.db.schema-${MIGRATIONS.length}`,
    ]);
  });
});

test("a newer binary's reading commands say that the gateway has to be started first", async () => {
  await inTemporaryDirectory((directory) => {
    const path = join(directory, "postern.db");
    const client = new Database(path);
    client.run("CREATE TABLE t (a)");
    client.close();
    chmodSync(path, 0o600);
    expect(() => openStoreReadOnly(path)).toThrow("start the gateway once");
  });
});

test("events of orders that were stored without it say afterwards who placed the order", () => {
  const client = new Database(":memory:");
  migrate(client, null, MIGRATIONS.slice(0, 4));
  const order = "'a', 'BTC', 0, 'buy', '1', '1', 'gtc', 0, 'open', 1, 0";
  const columns =
    "account_id, market, asset_id, side, size, price, time_in_force, reduce_only, status, created_at_ms, version";
  client.run(
    `INSERT INTO orders (id, key_hash, idempotency_key, ${columns}) VALUES ('ours', 'hash', 'name', ${order})`,
  );
  client.run(`INSERT INTO orders (id, ${columns}) VALUES ('elsewhere', ${order})`);
  const told = [
    ["order.created", "ours"],
    ["order.updated", "ours"],
    ["order.updated", "elsewhere"],
    ["order.updated", "gone"],
    ["operation.created", "ours"],
  ];
  for (const [type, id] of told) {
    client.run("INSERT INTO events (account_id, at_ms, type, resource_id) VALUES ('a', 1, ?, ?)", [
      type ?? "",
      id ?? "",
    ]);
  }
  migrate(client, null);
  const rows = client.prepare("SELECT key_hash, idempotency_key FROM events ORDER BY id").values();
  expect(rows).toEqual([["hash", "name"], ["hash", "name"], ...Array.from({ length: 3 }, () => [null, null])]);
  client.close();
});

test("keys that a restore has answered before ids had a mark of their bot are found by the digits that they have now", () => {
  const client = new Database(":memory:");
  migrate(client, null, MIGRATIONS.slice(0, 28));
  client.run(
    "INSERT INTO adoptions (account_id, key_digits, order_id, has_terms) VALUES ('a', '9abc0123456789ab', 'old', 1)",
  );
  migrate(client, null);
  expect(client.prepare("SELECT key_digits, order_id FROM adoptions").values()).toEqual([["0123456789ab", "old"]]);
  client.close();
});
