import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename } from "node:path";
import type { Network } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { takeLock } from "../store/lock.ts";
import { closeStore, openStore } from "../store/open.ts";
import { markRestored, type Restored } from "../store/restores.ts";
import { emptyLog, findDamage, syncFile } from "../store/snapshot.ts";
import { dropDigests, findChangedTables } from "../store/snapshot-digests.ts";
import { type BackUpContents, holdingsOf } from "./back-up.ts";
import { makeDirectory, type Places } from "./data-directory.ts";
import { OperatorError } from "./operator.ts";

export type Restoring = {
  places: Places;
  file: string;
  /** Refuses a snapshot of any other; null = takes what it is. */
  network: Network | null;
  /** Takes one that trades elsewhere than at the exchange's own hosts. */
  isUnofficialAllowed: boolean;
  /** Takes one of which something has changed since it was written. */
  isChangedAllowed: boolean;
  processId: number;
  clock: Pick<Clock, "nowMs">;
};

/** `changedTables`: those that are not as they were written; null of a backup that carries no digests. */
export type RestoredBackup = BackUpContents & Restored & { changedTables: string[] | null };

/**
 * Puts a snapshot into an empty directory in place of the lost original: every API key and hook on hold, every agent key
 * retired, and every account waiting until its orders since the snapshot are read from the exchange. All of it or nothing.
 */
export function restore(restoring: Restoring): RestoredBackup {
  const { places, file, processId } = restoring;
  requireSnapshot(file);
  if (!isEmpty(places)) throw new OperatorError(`${places.directory} is not empty`);
  const wasThere = existsSync(places.directory);
  makeDirectory(places);
  const lock = takeLock(places.directory, processId);
  const draft = `${places.database}${DRAFT}`;
  let isDone = false;
  try {
    copyFileSync(file, draft);
    const restored = putInPlace(restoring, draft);
    isDone = true;
    return restored;
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal", "-whole"]) rmSync(draft + suffix, { force: true });
    if (isDone || wasThere) lock.release();
    else lock.discard();
  }
}

const DRAFT = ".restoring";
const READY = `${DRAFT}-whole`;

/** Nothing but what a restore or set-up that failed half-way leaves behind. */
function isEmpty({ directory, database }: Places): boolean {
  if (!existsSync(directory)) return true;
  const draft = basename(database) + DRAFT;
  return readdirSync(directory).every((name) => name.startsWith("lock.") || name.startsWith(draft));
}

/** The first bytes of every SQLite database. */
const MAGIC = "SQLite format 3\0";

function requireSnapshot(file: string): void {
  if (!existsSync(file) || !statSync(file).isFile()) throw new OperatorError(`there is no file ${file}`);
  if (headOf(file) !== MAGIC) throw new OperatorError(`${file} is not a database`);
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) {
    throw new OperatorError(`${file} is a database in use, not a backup: what is in ${log} would be lost`);
  }
}

function headOf(file: string): string {
  const opened = openSync(file, "r");
  try {
    const head = Buffer.alloc(MAGIC.length);
    readSync(opened, head, 0, head.length, 0);
    return head.toString("latin1");
  } finally {
    closeSync(opened);
  }
}

function putInPlace(
  { places, file, network, isUnofficialAllowed, isChangedAllowed, clock }: Restoring,
  draft: string,
): RestoredBackup {
  const damage = findDamage(draft);
  if (damage !== null) throw new OperatorError(`${file} cannot be restored: ${damage}`);
  const changedTables = findChangedTables(draft);
  if (!isChangedAllowed) requireUnchanged(file, changedTables ?? []);
  const restored = prepare(draft, clock.nowMs());
  const held = holdingsOf(draft);
  if (network !== null && held.network !== network) {
    throw new OperatorError(`${file} is of ${held.network}, not of ${network}`);
  }
  if (!isUnofficialAllowed && exchangePlaceOf(held) === "unofficial") {
    const words = `${file} trades at ${held.exchangeUrl}, which is not the exchange's own ${held.network}`;
    throw new OperatorError(`${words}. If that is meant, say --unofficial-exchange`, { kind: "misused" });
  }
  // A file of its own: SQLite shares its lock and its index of the log among all who have one file open in a process, by
  // whatever name, and a connection to the draft may not be quite closed yet.
  const ready = `${places.database}${READY}`;
  copyFileSync(draft, ready);
  syncFile(ready);
  renameSync(ready, places.database);
  syncFile(places.directory);
  return { ...held, ...restored, changedTables };
}

function requireUnchanged(file: string, changedTables: readonly string[]): void {
  if (changedTables.length === 0) return;
  const words = `${file} is not as it was written: what is in ${changedTables.join(", ")} has changed since`;
  throw new OperatorError(
    `${words}. Take another copy of it, or an older backup; --accept-changed restores it as it is`,
  );
}

function prepare(draft: string, restoredAtMs: number): Restored {
  // The file that it comes from is the snapshot.
  const store = openStore(draft, { keepsSnapshots: false });
  try {
    return inTransaction(store, () => {
      dropDigests(store.$client);
      const restored = markRestored(store, restoredAtMs);
      const detail = {
        snapshot_at: restored.snapshotAtMs,
        keys_held: restored.keysHeld,
        hooks_held: restored.hooksHeld,
        agents_retired: restored.agentsRetired,
      };
      appendAudit(store, { atMs: restoredAtMs, actor: "operator", event: "restored", reference: "instance", detail });
      return restored;
    });
  } finally {
    // The log has to be in the file before the file gets its name.
    emptyLog(store);
    closeStore(store);
  }
}
