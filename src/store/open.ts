import { Database } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { endTransaction } from "./commit.ts";
import { type Disk, NO_DISK, openDisk, type Sync, syncOfLog } from "./disk.ts";
import { type Memory, newMemory } from "./memory.ts";
import { migrate, requireKnownSchema, requireOwnSchema } from "./migrations.ts";
import * as schema from "./schema.ts";

/** The one connection to the one database. Everything goes through it, so commits happen in one order. */
export type Store = BunSQLiteDatabase<typeof schema> & { $client: Database; disk: Disk; memory: Memory };

/** Before this version two connections could corrupt a write-ahead log that is being reset. */
const MIN_SQLITE_VERSION = [3, 51, 3] as const;

const BUSY_TIMEOUT_MS = 5_000;

export type OpenOptions = {
  /** Whether a snapshot is kept beside the database before each migration; true when left out. */
  keepsSnapshots?: boolean;
  /** How the disk is waited for; of the file's own log where it is left out. */
  syncOf?: (path: string) => Sync;
  /** What a database in memory begins with, as SQLite serializes one; nothing where it is left out. */
  image?: Uint8Array;
};

/**
 * Pages in the log before they are carried over into the database, 16 MiB of them. That happens in some order's time, so
 * it should be fewer than one order in a hundred that meets it; an order writes about eighteen.
 */
const PAGES_BEFORE_CHECKPOINT = 4_000;

/**
 * Pages kept in memory, at most as many as the log: by default two megabytes, which one list of 500 orders goes beyond, and each page that
 * is read again is looked for in the log.
 */
const CACHE_KIB = 16_384;

/** Opens (and creates, where the folder exists) the database, whose commits wait for the disk in `disk`. */
export function openStore(path: string, { keepsSnapshots = true, syncOf, image }: OpenOptions = {}): Store {
  const isFile = path !== ":memory:";
  if (isFile) requireKnownSchema(path);
  const client = image
    ? Database.deserialize(image, { strict: true })
    : new Database(path, { create: true, strict: true });
  try {
    requireSqlite(versionOf(client));
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    client.run("PRAGMA journal_mode = WAL");
    // A log that is carried over is on the disk before, and what it was carried into after: only commits wait for none.
    client.run("PRAGMA synchronous = NORMAL");
    client.run(`PRAGMA wal_autocheckpoint = ${PAGES_BEFORE_CHECKPOINT}`);
    client.run("PRAGMA foreign_keys = ON");
    client.run("PRAGMA trusted_schema = OFF");
    // What a savepoint may have to put back is kept in memory; by default each intent would open a file for it.
    client.run("PRAGMA temp_store = MEMORY");
    client.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    migrate(client, isFile && keepsSnapshots ? path : null);
    const disk = openDisk((syncOf ?? (isFile ? syncOfLog : () => NO_DISK))(path));
    // What a migration has committed.
    disk.wait();
    return storeOf(client, disk);
  } catch (error) {
    client.close();
    throw error;
  }
}

/**
 * From now on this connection moves nothing from the log into the database: a replicator beside us, which has to see all
 * of the log, does that. Without one the log only grows.
 */
export function leaveCheckpoints(store: Store): void {
  store.$client.run("PRAGMA wal_autocheckpoint = 0");
}

/** A second, reading connection beside a running gateway. Keep its transactions short: a sleeping reader holds the log. */
export function openStoreReadOnly(path: string): Store {
  const client = new Database(path, { readonly: true, strict: true });
  try {
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    requireOwnSchema(client);
  } catch (error) {
    client.close();
    throw error;
  }
  return storeOf(client, openDisk(NO_DISK));
}

export function closeStore(store: Store): void {
  endTransaction(store);
  store.$client.close();
  store.disk.close();
}

/** Everything that reads or writes by a store, beside the statements of `prepared`. */
const DOORS = ["select", "selectDistinct", "insert", "update", "delete", "$client"] as const;

function storeOf(client: Database, disk: Disk): Store {
  const memory = newMemory();
  const store = Object.assign(drizzle({ client, schema, casing: "snake_case" }), { disk, memory });
  for (const door of DOORS) {
    const behind = store[door];
    const open = () => {
      memory.showAgain?.();
      return behind;
    };
    Object.defineProperty(store, door, { get: open, configurable: true });
  }
  return store;
}

function versionOf(client: Database): string {
  return client.prepare<{ version: string }, []>("SELECT sqlite_version() AS version").get()?.version ?? "0";
}

/** Throws for a version, as `3.53.0`, that is older than we can trust a database to. */
export function requireSqlite(version: string): void {
  const found = version.split(".").map(Number);
  for (const [index, least] of MIN_SQLITE_VERSION.entries()) {
    const part = found[index] ?? 0;
    if (part > least) return;
    if (part < least) throw new Error(`SQLite ${found.join(".")} is older than ${MIN_SQLITE_VERSION.join(".")}`);
  }
}
