/**
 * The database of a run: a real SQLite file, what a crash leaves of it, and a hook before and after every statement.
 *
 * A killed process leaves everything that was committed. A power cut leaves the database file and a part of its
 * write-ahead log: at least up to the last commit that waited for the disk, at most up to the last one at all. Automatic
 * checkpoints are off, so the log only grows and "a part of it" is the file cut off at some length; SQLite itself
 * decides, by the checksums of the frames, what of that part counts.
 */
import { Database, type Statement } from "bun:sqlite";
import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Sync } from "../../src/store/disk.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";

/** What a dead process meets when it still tries to do something: nothing of it has an effect. */
export class Crashed extends Error {
  override readonly name = "Crashed";
  constructor() {
    super("this gateway is dead");
  }
}

export type Crash = "kill" | "power_cut";

export type Disk = {
  /** Opens the database as the last crash left it. `onStatement` may throw `Crashed`. */
  open(onStatement: () => void): Store;
  /** Takes the database away from its process as it stands on disk. `cut` (0 to 1): how much of what was not synced survives. */
  crash(kind: Crash, cut: number): void;
  /** Closes the connection of a dead process, once its own stack has left the database. */
  bury(dead: Store): void;
  /** Events of the process that has it, after this id; no statement of that process. */
  eventsAfter(id: number): StoredEvent[];
  /** The same database beside the process that has it. */
  path(): string;
  /** A copy of all that is committed, for the auditor: another at each call, and open until the next one or `remove`. */
  openCopy(): Database;
  remove(): void;
};

export type StoredEvent = { id: number; type: string; resourceId: string; payload: string };

const NEWER_EVENTS = `select id, type, resource_id as resourceId, payload from events
  where id > ? and payload is not null order by id`;

/** `isAlone`: nothing but `openCopy` looks at the database of a living process, which then takes its lock once instead of for each read. */
export type DiskFiles = { directory: string; name: string; template: string; isAlone?: boolean };

export function openDisk({ directory, name, template, isAlone = false }: DiskFiles): Disk {
  let generation = 0;
  let copy: Database | null = null;
  let copies = 0;
  let store: Store | null = null;
  let newerEvents: Statement<StoredEvent, [number]> | null = null;
  let syncedBytes = 0;
  const pathOf = (number: number) => join(directory, `${name}-${number}.db`);
  // Names are never used twice, as those of runs.
  const copyPath = (number: number) => join(directory, `${name}-copy-${number}.db`);
  copyFileSync(template, pathOf(0));

  function logBytes(): number {
    return statSync(`${pathOf(generation)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  function copyTo(path: string): void {
    const from = pathOf(generation);
    copyFileSync(from, path);
    if (logBytes() > 0) copyFileSync(`${from}-wal`, `${path}-wal`);
  }

  function removeCopy(): void {
    if (copy === null) return;
    // SQLite carries no log over into a file that has no name any more.
    removeFiles(copyPath(copies));
    copy.close();
    copy = null;
  }

  return {
    path: () => pathOf(generation),
    openCopy() {
      removeCopy();
      copies += 1;
      copyTo(copyPath(copies));
      copy = new Database(copyPath(copies));
      return copy;
    },
    eventsAfter: (id) => newerEvents?.all(id) ?? [],
    open(onStatement) {
      const at = generation;
      const isItsOwn = () => at === generation;
      let isWatched = false;
      const meanwhile = () => (isWatched ? onStatement() : undefined);
      const reaches = (bytes: number) => {
        if (isItsOwn()) syncedBytes = Math.max(syncedBytes, bytes);
      };
      const syncOf = (): Sync => ({
        now: () => {
          meanwhile();
          reaches(logBytes());
          meanwhile();
        },
        // What was written after it began is not covered by it; anything may happen while it goes on.
        async beside() {
          const bytes = logBytes();
          meanwhile();
          for (let turn = 0; turn < TURNS_OF_A_WAIT; turn += 1) await Promise.resolve();
          meanwhile();
          reaches(bytes);
        },
        close: () => undefined,
      });
      store = openStore(pathOf(generation), { syncOf });
      store.$client.run("PRAGMA wal_autocheckpoint = 0");
      if (isAlone) store.$client.run("PRAGMA locking_mode = EXCLUSIVE");
      newerEvents = store.$client.prepare<StoredEvent, [number]>(NEWER_EVENTS);
      syncedBytes = logBytes();
      isWatched = true;
      watch(store, onStatement);
      return store;
    },
    crash(kind, cut) {
      const to = pathOf(generation + 1);
      const writtenBytes = logBytes();
      copyTo(to);
      if (kind === "power_cut" && writtenBytes > syncedBytes) {
        truncateSync(`${to}-wal`, syncedBytes + Math.floor((writtenBytes - syncedBytes) * cut));
      }
      // The process may still be inside the database with its own stack: `bury` closes it when that is over.
      store = null;
      newerEvents?.finalize();
      newerEvents = null;
      generation += 1;
    },
    bury(dead) {
      if (dead === store) throw new Error("bug: a living process cannot be buried");
      closeStore(dead);
    },
    remove() {
      removeCopy();
      newerEvents?.finalize();
      newerEvents = null;
      // Before they are closed: nobody reads again what would be carried over.
      for (let number = 0; number <= generation; number += 1) removeFiles(pathOf(number));
      if (store !== null) closeStore(store);
      store = null;
    },
  };
}

function removeFiles(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

/** Turns of the microtask queue that a wait on another thread takes. */
const TURNS_OF_A_WAIT = 5;

const READS_OR_WRITES = /^\s*(select|insert|update|delete)/i;
const WRITES = /^\s*(insert|update|delete)/i;

/** Puts `onStatement` before and after every statement of the connection. */
function watch(store: Store, onStatement: () => void): void {
  const client = store.$client;
  const run = client.run.bind(client);
  const prepare = client.prepare.bind(client);

  // By itself it would be on the disk without anybody having looked at what the disk said. A transaction that is delayed is left open,
  // and whoever reads what is written at its end has that written first.
  function requireTransaction(sql: string): void {
    if (!store.memory.isWriting && !client.inTransaction) throw new Error(`bug: written outside a transaction: ${sql}`);
  }

  type Method = (...values: unknown[]) => unknown;
  // Preparing takes a sixth of a run. A pragma is never kept: kept ones tell the past.
  const kept = new Map<string, object>();
  function watched(sql: string): object {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = prepare(sql);
    const isWrite = WRITES.test(sql);
    const call = (method: "run" | "get" | "all" | "values"): Method => {
      // Every method of a statement takes the values that it binds; the union of their types does not.
      const original = statement[method] as Method;
      return (...values) => {
        onStatement();
        if (isWrite) requireTransaction(sql);
        const result = original.apply(statement, values);
        onStatement();
        return result;
      };
    };
    const [all, get, values] = [call("all"), call("get"), call("values")];
    if (READS_OR_WRITES.test(sql)) {
      const made = { run: call("run"), all, get, values, finalize: () => undefined };
      kept.set(sql, made);
      return made;
    }
    return { run: call("run"), all, get, values, finalize: () => statement.finalize() };
  }

  // Both are replaced, on this one connection, by functions that do the same.
  client.run = ((sql: string, ...rest: []) => {
    onStatement();
    if (WRITES.test(sql)) requireTransaction(sql);
    const result = run(sql, ...rest);
    onStatement();
    return result;
  }) as typeof client.run;
  client.prepare = ((sql: string) => watched(sql)) as unknown as typeof client.prepare;
}
