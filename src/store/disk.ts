/**
 * The wait for the disk. SQLite waits for none of its commits (`synchronous = NORMAL`): what must not be lost is waited for
 * here, by an `fdatasync` of the write-ahead log that begins after the commit. So the wait can be another thread's.
 */
import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { syncFile } from "./snapshot.ts";

/** After it nobody knows what is on the disk, and a second wait would be told that all is well. */
export class DiskFault extends Error {
  override readonly name = "DiskFault";
}

/** How a file is waited for. */
export type Sync = { now(): void; beside(): Promise<void>; close(): void };

export type Disk = {
  /** Notes a commit; its number, counted from 1 since the start. */
  committed(): number;
  /** Returns when every commit so far is on the disk. Throws `DiskFault`, from then on every time. */
  wait(): void;
  /**
   * Resolves when every commit so far is on the disk; waits on another thread, one wait at a time, for all that ask at
   * once.
   */
  waitBeside(): Promise<void>;
  /** Throws unless the commit of this number is on the disk. */
  requireOnDisk(commit: number): void;
  close(): void;
};

export function openDisk(sync: Sync): Disk {
  let commits = 0;
  let onDisk = 0;
  let fault: DiskFault | null = null;
  let isClosed = false;
  const beside = openSharedWait(begin);

  function failed(error: unknown): DiskFault {
    const words = error instanceof Error ? error.message : String(error);
    fault ??= new DiskFault(`what was committed could not be brought to the disk: ${words}`);
    return fault;
  }

  async function begin(): Promise<void> {
    if (fault !== null) throw fault;
    if (isClosed) throw new Error("the database is closed");
    const begunAt = commits;
    try {
      await sync.beside();
    } catch (error) {
      throw failed(error);
    }
    // Another wait may have failed meanwhile, and this one been told that all is well.
    if (fault !== null) throw fault;
    onDisk = Math.max(onDisk, begunAt);
  }

  return {
    committed() {
      commits += 1;
      return commits;
    },
    wait() {
      if (fault !== null) throw fault;
      const begunAt = commits;
      try {
        sync.now();
      } catch (error) {
        throw failed(error);
      }
      onDisk = Math.max(onDisk, begunAt);
    },
    waitBeside: beside.next,
    requireOnDisk(commit) {
      if (onDisk < commit) throw new Error("bug: commits do not wait for the disk");
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      const running = beside.running();
      // A file that is closed under a wait may be another's by the time that the wait is over.
      if (running === null) sync.close();
      else void running.catch(() => undefined).then(() => sync.close());
    },
  };
}

/** One at a time; whoever asks while one is under way shares the next with all others who do. */
type SharedWait = { running(): Promise<void> | null; next(): Promise<void> };

function openSharedWait(begin: () => Promise<void>): SharedWait {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function start(): Promise<void> {
    const begun = begin();
    running = begun;
    const end = () => {
      running = null;
    };
    begun.then(end, end);
    return begun;
  }

  return {
    running: () => running,
    next() {
      // The one under way may have begun before the last commit, and the one that waits for it begins after.
      if (next !== null) return next;
      if (running === null) return start();
      next = running
        .catch(() => undefined)
        .then(() => {
          next = null;
          return start();
        });
      return next;
    },
  };
}

/** Of a database file whose log is there: a connection that has read it has made it. */
export function syncOfLog(databasePath: string): Sync {
  const path = `${realpathSync(databasePath)}-wal`;
  // The system tells a failure once to each opening of a file: a wait in between must not hear it in the other's place.
  const [here, beside] = [openSync(path, "r"), openSync(path, "r")];
  // That there is a log is on the disk as well, from here on.
  fsyncSync(here);
  syncFile(dirname(path));
  return {
    now: () => fdatasyncSync(here),
    beside: () =>
      new Promise<void>((resolve, reject) => {
        fdatasync(beside, (error) => (error === null || error === undefined ? resolve() : reject(error)));
      }),
    close() {
      closeSync(here);
      closeSync(beside);
    },
  };
}

/** Of a database that is in memory alone, or is only read. */
export const NO_DISK: Sync = { now: () => undefined, beside: () => Promise.resolve(), close: () => undefined };
