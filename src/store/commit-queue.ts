import type { Clock } from "../core/clock.ts";
import { noteFailure, whyBroken } from "./broken.ts";
import { commitDelayed, inTransactionBeside, inTransactionDelayed } from "./commit.ts";
import { isLocked, MAX_INTENT_WAIT_MS, MAX_OUTCOME_WAIT_MS, pauseForLock } from "./locked.ts";
import type { Store } from "./open.ts";
import { forgetTakenBack } from "./remembered.ts";
import { countChanges, undoChanges } from "./sealed-rows.ts";
import { dropLast, writeLast } from "./written-last.ts";

/**
 * Writes something, inside a transaction that it shares with others. It may change nothing but the store, because it is
 * run again when another work of its transaction has thrown.
 */
type QueuedWork<T> = (store: Store) => T;

/** Puts what is written in one turn of the event loop into one transaction: one wait for the disk for all of it. */
export type CommitQueue = {
  /**
   * Resolves with what `work` returned once it is committed, and with when it is on the disk: before that nothing of it may
   * leave. Rejects with what it threw, alone.
   */
  intent<T>(work: QueuedWork<T>): Promise<Intent<T>>;
  /**
   * Resolves with what `work` returned once it is committed and on the disk. An outcome that `canBeReadAgain` (from its
   * intent, which is on the disk, and the exchange) resolves as soon as everybody is shown it: it is committed with the
   * next intent, or a few milliseconds later.
   */
  outcome<T>(work: QueuedWork<T>, canBeReadAgain: boolean): Promise<T>;
};

/** `onDisk` rejects where the disk fails: then nobody knows what will be found of it. */
export type Intent<T> = { value: T; onDisk: Promise<void> };

type QueuedCommit = {
  kind: "intent" | "outcome";
  work: QueuedWork<unknown>;
  waitsForDisk: boolean;
  resolve: (value: unknown, onDisk: Promise<void>) => void;
  reject: (error: unknown) => void;
  /** Elapsed time from which on a locked database is a refusal. */
  untilMs: number;
};

/** What is shown and not committed is committed after this time, milliseconds, where nothing else is. */
const COMMIT_WITHIN_MS = 5;
/** A delayed commit that failed is tried again after this time, milliseconds. */
const COMMIT_AGAIN_MS = 250;

/** Most works that share one transaction; the rest goes into the next. */
const MAX_BATCH = 128;

const MAX_WAIT_MS = { intent: MAX_INTENT_WAIT_MS, outcome: MAX_OUTCOME_WAIT_MS } as const;

/**
 * `schedule` runs its argument after the present turn (`setImmediate`, or a test's own). The works run inside the
 * shared transaction one after the other, in the order in which they came; one that throws is rolled back and answered
 * alone. An outcome does not wait for the end of the turn while it needs no commit, or one transaction after the other is its
 * own. While another process has locked the database, all of them wait together.
 */
export function openCommitQueue(store: Store, schedule: (run: () => void) => void, clock: Clock): CommitQueue {
  const waiting: QueuedCommit[] = [];
  let isPausing = false;
  /** Whether the last transaction was shared: where it was not, there is most likely nobody to share the next with. */
  let isCrowded = false;
  const commitWithin = openDelayedCommit(store, clock);

  function flush(): void {
    const batch = waiting.splice(0, MAX_BATCH);
    if (batch.some(({ waitsForDisk }) => waitsForDisk)) isCrowded = batch.length > 1;
    const locked = commitBatch(store, batch);
    if (store.memory.delayed.length > 0) commitWithin(COMMIT_WITHIN_MS);
    if (locked !== null) refuseLate(locked);
    if (waiting.length === 0) return;
    if (locked === null) schedule(flush);
    else pause();
  }

  /**
   * Refuses works that have waited for a locked database for too long; all others, those behind the batch as well, wait
   * on.
   */
  function refuseLate({ batch, error }: Locked): void {
    const elapsedMs = clock.elapsedMs();
    for (const each of [...batch, ...waiting.splice(0)]) {
      if (elapsedMs < each.untilMs) waiting.push(each);
      else each.reject(error);
    }
  }

  /** Waits for the lock before the next try. One try at a time: each of them stops everything else for a moment. */
  function pause(): void {
    isPausing = true;
    void pauseForLock(clock).then(() => {
      isPausing = false;
      flush();
    });
  }

  type About = Pick<QueuedCommit, "kind" | "waitsForDisk">;

  function add<T, R>(
    work: QueuedWork<T>,
    about: About,
    answer: (value: T, onDisk: Promise<void>) => R,
  ): Promise<Awaited<R>> {
    return new Promise((resolve, reject) => {
      const untilMs = clock.elapsedMs() + MAX_WAIT_MS[about.kind];
      // The queue holds works of many types; each resolver only ever meets its own work's result.
      const settle: QueuedCommit["resolve"] = (value, onDisk) => resolve(answer(value as T, onDisk) as Awaited<R>);
      waiting.push({ ...about, work, resolve: settle, reject, untilMs });
      if (waiting.length > 1 || isPausing) return;
      if (about.kind === "outcome" && !(about.waitsForDisk && isCrowded)) flush();
      else schedule(flush);
    });
  }

  return {
    intent: (work) => add(work, { kind: "intent", waitsForDisk: true }, (value, onDisk) => ({ value, onDisk })),
    outcome: (work, canBeReadAgain) =>
      add(work, { kind: "outcome", waitsForDisk: !canBeReadAgain }, (value, onDisk) =>
        canBeReadAgain ? value : onDisk.then(() => value),
      ),
  };
}

/** Commits what is shown and not committed, once, after a time that is asked for; and again where that fails. */
function openDelayedCommit(store: Store, clock: Clock): (ms: number) => void {
  let isDue = false;
  return function commitWithin(ms) {
    if (isDue) return;
    isDue = true;
    void clock.sleep(ms).then(() => {
      isDue = false;
      if (whyBroken(store) !== null) return;
      try {
        commitDelayed(store);
      } catch {
        // The store tells of the failure, as of any write that fails.
        commitWithin(COMMIT_AGAIN_MS);
      }
    });
  };
}

type Done = { waiting: QueuedCommit; settle: (onDisk: Promise<void>) => void };

/** Works of which nothing has happened, because another process has locked the database. */
type Locked = { batch: readonly QueuedCommit[]; error: unknown };

/** Commits a batch and tells each work of it; gives back the batch where another process has locked the database. */
function commitBatch(store: Store, batch: readonly QueuedCommit[]): Locked | null {
  let committed: { result: Done[]; onDisk: Promise<void> };
  try {
    committed = batch.some(({ waitsForDisk }) => waitsForDisk)
      ? inTransactionBeside(store, () => runBatch(store, batch))
      : { result: inTransactionDelayed(store, () => runBatch(store, batch)), onDisk: Promise.resolve() };
  } catch (error) {
    if (isLocked(error)) return { batch, error };
    const outcomes = batch.filter(({ kind }) => kind === "outcome");
    // A disk that has no room for an intent may still have it for what became of others.
    if (outcomes.length > 0 && outcomes.length < batch.length) {
      reject(batch, outcomes, error);
      return commitBatch(store, outcomes);
    }
    reject(batch, [], error);
    return null;
  }
  // Works that do not wait for the disk hear of its failure from the store.
  committed.onDisk.catch(() => undefined);
  for (const each of committed.result) each.settle(committed.onDisk);
  return null;
}

/** Tells each work of a batch, of which nothing was stored, that it failed; not those that are tried again (`but`). */
function reject(batch: readonly QueuedCommit[], but: readonly QueuedCommit[], error: unknown): void {
  for (const each of batch) if (!but.includes(each)) each.reject(error);
}

function runBatch(store: Store, batch: readonly QueuedCommit[]): Done[] {
  const [only, ...others] = batch;
  // A work that throws alone takes the transaction with it: only several have to be kept apart.
  if (only !== undefined && others.length === 0) return [run(store, only)];
  try {
    return apart(store, () => batch.map((each) => run(store, each)));
  } catch (error) {
    // Noted at once: the failure may not come again when the works are run one by one.
    noteFailure(store, error);
    if (isOver(store)) throw error;
    return batch.map((each) => runAlone(store, each));
  }
}

function run(store: Store, waiting: QueuedCommit): Done {
  const value = waiting.work(store);
  return { waiting, settle: (onDisk) => waiting.resolve(value, onDisk) };
}

function runAlone(store: Store, waiting: QueuedCommit): Done {
  try {
    return apart(store, () => run(store, waiting));
  } catch (error) {
    noteFailure(store, error);
    if (isOver(store)) throw error;
    return { waiting, settle: () => waiting.reject(error) };
  }
}

/**
 * Whether the batch fails as one: after a full disk SQLite has ended the whole transaction by itself, and of a database
 * that can no longer be trusted nothing more is committed.
 */
function isOver(store: Store): boolean {
  return !store.$client.inTransaction || whyBroken(store) !== null;
}

/** Runs works inside a savepoint: one that throws has changed nothing. */
function apart<T>(store: Store, work: () => T): T {
  const client = store.$client;
  const changes = countChanges(store);
  // What others of this transaction have changed is written before the savepoint: it must not be taken back with it.
  writeLast(store);
  client.run("SAVEPOINT apart");
  try {
    const value = work();
    client.run("RELEASE apart");
    return value;
  } catch (error) {
    dropLast(store);
    forgetTakenBack(store);
    if (client.inTransaction) {
      client.run("ROLLBACK TO apart");
      client.run("RELEASE apart");
      // What is believed goes back with the rows: a seal over the one without the other opens no directory any more.
      undoChanges(store, changes);
    }
    throw error;
  }
}
