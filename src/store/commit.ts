import type { Database } from "bun:sqlite";
import type { Clock } from "../core/clock.ts";
import { noteFailure, requireWhole } from "./broken.ts";
import { announceEvents } from "./events.ts";
import { isLocked, MAX_INTENT_WAIT_MS, pauseForLock } from "./locked.ts";
import { assertFull, type Store } from "./open.ts";

/** No further argument when T is plain, an argument nobody can supply when T is a promise. */
type RefusePromise<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? [] : [never];

/**
 * Runs `work` in one write transaction and waits for the disk. `work` may not be async: bun:sqlite would commit
 * at its first `await`, and a failure after that would roll nothing back.
 */
export function inTransaction<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  noting(store, () => assertFull(store.$client));
  return transact(store, work);
}

/**
 * Commits without waiting for the disk: only for an outcome that can be read again from the durable intent and
 * the exchange. The next commit that waits carries it to disk.
 */
export function inTransactionNotWaiting<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  // `run` prepares anew each time; a cached statement would not take effect again.
  store.$client.run("PRAGMA synchronous = NORMAL");
  try {
    return transact(store, work);
  } finally {
    store.$client.run("PRAGMA synchronous = FULL");
  }
}

/** What fails for good is kept in mind. */
function noting<T>(store: Store, work: () => T): T {
  try {
    return work();
  } catch (error) {
    noteFailure(store, error);
    throw error;
  }
}

/** Runs reads that have to see one and the same state, whatever is written meanwhile. */
export function inSnapshot<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  store.$client.run("BEGIN");
  try {
    return work(store);
  } finally {
    store.$client.run("ROLLBACK");
  }
}

function transact<T>(store: Store, work: (store: Store) => T): T {
  requireWhole(store);
  const result = noting(store, () => commit(store, work));
  announceEvents(store.$client);
  return result;
}

function commit<T>(store: Store, work: (store: Store) => T): T {
  const client: Database = store.$client;
  client.run("BEGIN IMMEDIATE");
  try {
    const result = work(store);
    client.run("COMMIT");
    return result;
  } catch (error) {
    rollBack(client);
    throw error;
  }
}

/** A disk that fails may fail here as well; what failed first is what is told. */
function rollBack(client: Database): void {
  try {
    if (client.inTransaction) client.run("ROLLBACK");
  } catch {
    // The next transaction begins with an error of its own, and nothing is committed until then.
  }
}

/** Puts intents of one turn of the event loop into one transaction: one wait for the disk for all of them. */
export type IntentQueue = {
  /** Resolves with what `work` returned once it is on disk; rejects with what it threw, alone. */
  commit<T>(work: (store: Store) => T): Promise<T>;
};

type Waiting = {
  work: (store: Store) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  /** Elapsed time from which on a locked database is a refusal. */
  untilMs: number;
};

/** Most intents that share one transaction; the rest goes into the next. */
const MAX_BATCH = 128;

/**
 * `schedule` runs its argument after the present turn (`setImmediate`, or a test's own). Each work's look-up and
 * insert happen inside the shared transaction, one after the other; one that throws is rolled back to its own
 * savepoint and answered alone. While another process has locked the database, all of them wait together.
 */
export function openIntentQueue(store: Store, schedule: (run: () => void) => void, clock: Clock): IntentQueue {
  const waiting: Waiting[] = [];
  let isPausing = false;

  function flush(): void {
    const batch = waiting.splice(0, MAX_BATCH);
    const kept = commitBatch(store, batch, clock.elapsedMs());
    if (kept.length > 0) pause(kept);
    else if (waiting.length > 0) schedule(flush);
  }

  /** One try at a time: each of them stops everything else for a moment. */
  function pause(kept: readonly Waiting[]): void {
    waiting.unshift(...kept);
    isPausing = true;
    void pauseForLock(clock).then(() => {
      isPausing = false;
      flush();
    });
  }

  return {
    commit<T>(work: (store: Store) => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const untilMs = clock.elapsedMs() + MAX_INTENT_WAIT_MS;
        // The queue holds works of many types; each resolver only ever meets its own work's result.
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, untilMs });
        if (waiting.length === 1 && !isPausing) schedule(flush);
      });
    },
  };
}

type Done = { waiting: Waiting; settle: () => void };

/** Gives back those that go on waiting for another process; all others know by then. */
function commitBatch(store: Store, batch: readonly Waiting[], elapsedMs: number): readonly Waiting[] {
  let done: Done[] = [];
  let kept: readonly Waiting[] = [];
  try {
    // What throws alone takes the transaction with it: only others need to be kept apart from it.
    const run = batch.length === 1 ? runWhole : runAlone;
    done = inTransaction(store, () => batch.map((each) => run(store, each)));
  } catch (error) {
    kept = isLocked(error) ? batch.filter(({ untilMs }) => elapsedMs < untilMs) : [];
    // The disk refused the whole batch: nothing of it was stored, and each one is told so.
    const given = batch.filter((each) => !kept.includes(each));
    done = given.map((each) => ({ waiting: each, settle: () => each.reject(error) }));
  }
  for (const each of done) each.settle();
  return kept;
}

function runWhole(store: Store, waiting: Waiting): Done {
  const value = waiting.work(store);
  return { waiting, settle: () => waiting.resolve(value) };
}

function runAlone(store: Store, waiting: Waiting): Done {
  const client = store.$client;
  client.run("SAVEPOINT intent");
  try {
    const value = waiting.work(store);
    client.run("RELEASE intent");
    return { waiting, settle: () => waiting.resolve(value) };
  } catch (error) {
    noteFailure(store, error);
    // After a full disk SQLite has ended the whole transaction by itself: the batch fails as one.
    if (!client.inTransaction) throw error;
    client.run("ROLLBACK TO intent");
    client.run("RELEASE intent");
    return { waiting, settle: () => waiting.reject(error) };
  }
}
