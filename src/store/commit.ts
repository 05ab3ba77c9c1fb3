import type { Database } from "bun:sqlite";
import { noteFailure, requireWhole } from "./broken.ts";
import { announceEvents } from "./events.ts";
import { noteCommit } from "./heard-writes.ts";
import type { Store } from "./open.ts";
import { forget, hold, letGo } from "./remembered.ts";
import { keepChanges, sealChanges, undoChanges } from "./sealed-rows.ts";

/** No further argument when T is plain, an argument nobody can supply when T is a promise. */
type RefusePromise<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? [] : [never];

/**
 * Runs `work` in one write transaction and waits for the disk. `work` may not be async: bun:sqlite would commit
 * at its first `await`, and a failure after that would roll nothing back.
 */
export function inTransaction<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  const { result, commit } = transact(store, work);
  noting(store, () => {
    store.disk.wait();
    store.disk.requireOnDisk(commit);
  });
  announceEvents(store);
  return result;
}

/**
 * Commits without waiting for the disk: only for an outcome that can be read again from the durable intent and
 * the exchange. The next commit that waits carries it to disk.
 */
export function inTransactionNotWaiting<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  const { result } = transact(store, work);
  announceEvents(store);
  return result;
}

/** The same, with the wait for the disk on another thread: `onDisk` resolves when it is over. */
export function inTransactionBeside<T>(
  store: Store,
  work: (store: Store) => T,
  ..._notAsync: RefusePromise<T>
): { result: T; onDisk: Promise<void> } {
  const { result, commit } = transact(store, work);
  return { result, onDisk: waitBeside(store, commit) };
}

async function waitBeside(store: Store, commit: number): Promise<void> {
  try {
    await store.disk.waitBeside();
    store.disk.requireOnDisk(commit);
  } catch (error) {
    noteFailure(store, error);
    throw error;
  }
  // Nobody is told of what a power cut could take back, where nothing but it could tell it again.
  announceEvents(store);
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

function transact<T>(store: Store, work: (store: Store) => T): { result: T; commit: number } {
  requireWhole(store);
  const result = noting(store, () => commit(store, work));
  noteCommit(store);
  return { result, commit: store.disk.committed() };
}

function commit<T>(store: Store, work: (store: Store) => T): T {
  const client: Database = store.$client;
  client.run("BEGIN IMMEDIATE");
  try {
    hold(store);
    const result = work(store);
    sealChanges(store);
    client.run("COMMIT");
    keepChanges(store);
    return result;
  } catch (error) {
    rollBack(client);
    undoChanges(store);
    forget(store);
    throw error;
  } finally {
    letGo(store);
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
