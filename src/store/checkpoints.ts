/**
 * Has another thread carry the log over into the database: here it would stop all that this process does for as long as the disk
 * takes, which is tens of milliseconds and more. Nothing relies on it. This connection carries over by itself whatever is
 * left once the log is long, as it does where there is no such thread.
 */
import { noteFailure, whyBroken } from "./broken.ts";
import { DiskFault } from "./disk.ts";
import { isLocked } from "./locked.ts";
import type { Store } from "./open.ts";

export type AskedThread = { kind: "carry"; path: string } | { kind: "close" };

export type ThreadTold =
  | { kind: "carried" | "closed" }
  /** `code`: SQLite's; empty where it is not of SQLite. */
  | { kind: "failed"; code: string; message: string }
  /** Carried over, and perhaps not on the disk. */
  | { kind: "not_on_disk"; message: string };

export type Checkpoints = {
  /** Resolves when the thread has closed its connection. From then on this one carries over by itself. */
  close(): Promise<void>;
};

/**
 * Commits after which the log is carried over. At one order at a time that is 400 pages, at 32 at a time 2,500: less than those
 * after which this connection does it.
 */
export const COMMITS_BETWEEN = 32;

/** Of the database at `path`, for as long as it is written; `start` begins the thread, when there is something to do. */
export function openCheckpoints(store: Store, path: string, start: () => Worker): Checkpoints {
  const closed = Promise.withResolvers<void>();
  let thread: Worker | null = null;
  let isCarrying = false;
  let commits = 0;

  function begin(): Worker {
    const begun = start();
    begun.onmessage = ({ data }: MessageEvent<ThreadTold>) => hear(data);
    // It could not be started, or has died: all goes on without it.
    begun.onerror = (event) => {
      event.preventDefault();
      give();
    };
    begun.unref();
    return begun;
  }

  function hear(told: ThreadTold): void {
    isCarrying = false;
    if (told.kind === "closed") closed.resolve();
    const fault = faultOf(told);
    if (fault !== null && !isLocked(fault)) noteFailure(store, fault);
  }

  function give(): void {
    store.memory.onCommit = null;
    closed.resolve();
  }

  store.memory.onCommit = () => {
    commits += 1;
    if (commits < COMMITS_BETWEEN || isCarrying || whyBroken(store) !== null) return;
    commits = 0;
    isCarrying = true;
    thread ??= begin();
    thread.postMessage({ kind: "carry", path } satisfies AskedThread);
  };

  return {
    async close() {
      store.memory.onCommit = null;
      if (thread === null) return;
      thread.postMessage({ kind: "close" } satisfies AskedThread);
      await closed.promise;
      thread.terminate();
    },
  };
}

/** As the same fault of this connection would be thrown. */
function faultOf(told: ThreadTold): Error | null {
  if (told.kind === "failed") return Object.assign(new Error(told.message), { code: told.code });
  if (told.kind !== "not_on_disk") return null;
  return new DiskFault(`what was carried over into the database could not be brought to the disk: ${told.message}`);
}
