/** The log is carried over by another thread, and nothing relies on it. */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { whyBroken } from "../../src/store/broken.ts";
import { type AskedThread, COMMITS_BETWEEN, openCheckpoints, type ThreadTold } from "../../src/store/checkpoints.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const THREAD = new URL("../../src/store/checkpoint-thread.ts", import.meta.url);

/** Each writes a row of a page or more. */
function commitTimes(store: Store, count: number): void {
  for (let nth = 0; nth < count; nth += 1) {
    inTransaction(store, () => store.$client.run("INSERT INTO filler VALUES (randomblob(6000))"));
  }
}

function openFilled(directory: string): { store: Store; path: string } {
  const path = join(directory, "postern.db");
  const store = openStore(path);
  // Whatever is carried over is the thread's work.
  store.$client.run("PRAGMA wal_autocheckpoint = 0");
  store.$client.run("CREATE TABLE filler (content BLOB)");
  return { store, path };
}

test("the log begins anew after the thread has carried it over", async () => {
  await inTemporaryDirectory(async (directory) => {
    const { store, path } = openFilled(directory);
    const told = Promise.withResolvers<ThreadTold>();
    const checkpoints = openCheckpoints(store, path, () => {
      const thread = new Worker(THREAD);
      thread.addEventListener("message", ({ data }) => told.resolve(data));
      return thread;
    });
    commitTimes(store, COMMITS_BETWEEN);
    expect(await told.promise).toEqual({ kind: "carried" });
    const logBytes = statSync(`${path}-wal`).size;
    commitTimes(store, COMMITS_BETWEEN / 2);
    expect(statSync(`${path}-wal`).size).toBe(logBytes);
    await checkpoints.close();
    closeStore(store);
  });
});

/** A thread that says this to whatever it is asked. */
function saying(told: ThreadTold, asked: AskedThread[] = []): () => Worker {
  const thread = {
    postMessage(what: AskedThread) {
      asked.push(what);
      thread.onmessage({ data: what.kind === "close" ? { kind: "closed" } : told });
    },
    onmessage: (_: { data: ThreadTold }) => undefined,
    unref: () => undefined,
    terminate: () => undefined,
  };
  // The members of a worker that are used.
  return () => thread as unknown as Worker;
}

const CARRIED: ThreadTold = { kind: "carried" };
const full: ThreadTold = { kind: "failed", code: "SQLITE_FULL", message: "SQLiteError: database or disk is full" };
const lost: ThreadTold = { kind: "failed", code: "SQLITE_IOERR_FSYNC", message: "SQLiteError: disk I/O error" };

test.each<[string, ThreadTold, RegExp | null]>([
  ["all well", CARRIED, null],
  ["no room", full, null],
  ["a wait of SQLite's that failed", lost, /disk I\/O error/],
  ["a wait that failed", { kind: "not_on_disk", message: "EIO" }, /could not be brought to the disk: EIO/],
])("after %s the database is written on, or never again by this process", async (_, told, because) => {
  await inTemporaryDirectory(async (directory) => {
    const { store, path } = openFilled(directory);
    const checkpoints = openCheckpoints(store, path, saying(told));
    commitTimes(store, COMMITS_BETWEEN);
    if (because === null) {
      expect(whyBroken(store)).toBeNull();
      commitTimes(store, 1);
    } else {
      expect(whyBroken(store)).toMatch(because);
      expect(() => commitTimes(store, 1)).toThrow("not written any more");
    }
    await checkpoints.close();
    closeStore(store);
  });
});

test("the thread is asked once in so many commits, and not before it has answered", async () => {
  await inTemporaryDirectory(async (directory) => {
    const { store, path } = openFilled(directory);
    const asked: AskedThread[] = [];
    const start = saying(CARRIED, asked);
    const checkpoints = openCheckpoints(store, path, start);
    commitTimes(store, 3 * COMMITS_BETWEEN - 1);
    expect(asked).toEqual([
      { kind: "carry", path },
      { kind: "carry", path },
    ]);
    start().postMessage = (what: AskedThread) => void asked.push(what);
    commitTimes(store, 3 * COMMITS_BETWEEN);
    expect(asked).toHaveLength(3);
    const closing = checkpoints.close();
    start().onmessage?.(new MessageEvent("message", { data: { kind: "closed" } }));
    await closing;
    closeStore(store);
  });
});

test("where there is no thread to begin, all goes on without it", async () => {
  await inTemporaryDirectory(async (directory) => {
    const { store, path } = openFilled(directory);
    const failed = Promise.withResolvers<void>();
    const checkpoints = openCheckpoints(store, path, () => {
      const thread = new Worker(new URL("./there-is-none.ts", import.meta.url));
      thread.addEventListener("error", () => failed.resolve());
      return thread;
    });
    commitTimes(store, COMMITS_BETWEEN);
    await failed.promise;
    commitTimes(store, COMMITS_BETWEEN);
    await checkpoints.close();
    expect(whyBroken(store)).toBeNull();
    closeStore(store);
  });
});
