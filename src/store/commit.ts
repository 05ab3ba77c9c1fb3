import type { Database } from "bun:sqlite";
import { noteFailure, requireWhole } from "./broken.ts";
import { announceEvents } from "./events.ts";
import { noteCommit } from "./heard-writes.ts";
import type { Store } from "./open.ts";
import { forgetTakenBack, hold, letGo } from "./remembered.ts";
import { keepChanges, sealChanges, undoChanges } from "./sealed-rows.ts";
import { dropLast, writeLast } from "./written-last.ts";

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
 * Commits without waiting for the disk: only for what can be read again from the durable intent and
 * the exchange. The next commit that waits carries it to disk.
 */
export function inTransactionNotWaiting<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  const { result } = transact(store, work);
  announceEvents(store);
  return result;
}

/**
 * Does not even commit: the transaction stays open for the next one to be written with it, or for `commitDelayed`. Until then
 * this connection shows everybody what `work` has changed, and a process that dies takes it along: only for an outcome
 * that can be read again. `work` is run again, on the same rows, where what it shares a commit with could not be written.
 */
export function inTransactionDelayed<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  requireWhole(store);
  const result = noting(store, () => {
    const done = writing(store, () => within(store, work));
    store.memory.delayed.push(work);
    return done;
  });
  announceEvents(store);
  return result;
}

/** Commits what is delayed, where anything is. */
export function commitDelayed(store: Store): void {
  if (store.memory.delayed.length > 0) inTransactionNotWaiting(store, () => undefined);
}

/**
 * Runs `work` in a transaction and commits it; the wait for the disk is on another thread: `onDisk` resolves when it is
 * over.
 */
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

/**
 * Commits what is delayed, for `closeStore`. Never throws: the next start looks for what is not there, as after a
 * process that was killed.
 */
export function endTransaction(store: Store): void {
  try {
    commitDelayed(store);
  } catch {
    store.memory.delayed.length = 0;
    store.memory.showAgain = null;
  }
  // Left open it would keep its lock until the last of its statements is collected.
  rollBack(store.$client);
}

/** Runs reads that have to see one and the same state, whatever is written meanwhile. */
export function inSnapshot<T>(store: Store, work: (store: Store) => T, ..._notAsync: RefusePromise<T>): T {
  const client = store.$client;
  // Nobody else writes while a transaction of ours is open.
  if (client.inTransaction) return work(store);
  client.run("BEGIN");
  try {
    return work(store);
  } finally {
    client.run("ROLLBACK");
  }
}

function transact<T>(store: Store, work: (store: Store) => T): { result: T; commit: number } {
  requireWhole(store);
  const result = noting(store, () => writing(store, () => commit(store, work)));
  noteCommit(store);
  store.memory.onCommit?.();
  return { result, commit: store.disk.committed() };
}

/** One open transaction would take the other for its own, and commit it. */
function writing<T>({ memory }: Store, work: () => T): T {
  if (memory.isWriting) throw new Error("bug: a transaction inside a transaction");
  memory.isWriting = true;
  try {
    return work();
  } finally {
    memory.isWriting = false;
  }
}

function commit<T>(store: Store, work: (store: Store) => T): T {
  const result = within(store, work);
  try {
    writeLast(store);
    sealChanges(store);
    store.$client.run("COMMIT");
  } catch (error) {
    takeBack(store);
    throw error;
  }
  store.memory.delayed.length = 0;
  keepChanges(store);
  letGo(store);
  return result;
}

/** Runs `work` in the transaction that is open, or in a new one. Where it throws, nothing of it has happened. */
function within<T>(store: Store, work: (store: Store) => T): T {
  const { $client: client, memory } = store;
  if (memory.delayed.length === 0) client.run("BEGIN IMMEDIATE");
  try {
    hold(store);
    return work(store);
  } catch (error) {
    takeBack(store);
    throw error;
  }
}

/** Ends the transaction. What was delayed has been told: it is shown again at once, or nothing is shown any more. */
function takeBack(store: Store): void {
  rollBack(store.$client);
  undoChanges(store);
  dropLast(store);
  forgetTakenBack(store);
  letGo(store);
  const { memory } = store;
  if (memory.delayed.length === 0) return;
  memory.showAgain = () => showAgain(store);
  try {
    showAgain(store);
  } catch {
    // Whoever reads next tries it again, and is told why not.
  }
}

/** Puts what was delayed into a transaction of its own. Throws, and nothing can be read, where that cannot be done. */
function showAgain(store: Store): void {
  const { memory } = store;
  const { showAgain: again } = memory;
  // From here on what is read is this transaction's own.
  memory.showAgain = null;
  const client = store.$client;
  try {
    client.run("BEGIN IMMEDIATE");
    hold(store);
    for (const work of memory.delayed) work(store);
  } catch (error) {
    rollBack(client);
    undoChanges(store);
    dropLast(store);
    forgetTakenBack(store);
    letGo(store);
    memory.showAgain = again;
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
