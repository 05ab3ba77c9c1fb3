/**
 * Another process may hold the database's write lock: a backup tool at a checkpoint, or somebody's shell. SQLite's own
 * wait for it stops the whole event loop, so a gateway waits in short pieces with pauses between them.
 */
import type { Clock } from "../core/clock.ts";
import type { Store } from "./open.ts";

/** The longest that one statement of a gateway stops the event loop for the lock, milliseconds. */
const BLOCKING_WAIT_MS = 50;
/** Between two tries, milliseconds: everything else is answered meanwhile. */
const PAUSE_MS = 50;
/** After this an intent is refused, milliseconds: nothing has been sent, and its key can be used again. */
export const MAX_INTENT_WAIT_MS = 2_000;
/** After this an outcome is left to be looked up, milliseconds: whoever asked has had an answer long before. */
export const MAX_OUTCOME_WAIT_MS = 30_000;

/** From now on nobody waits for the lock for long. */
export function waitBriefly(store: Store): void {
  store.$client.run(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
}

/** True when a transaction could not begin because of another process: nothing of it has happened. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

export function pauseForLock(clock: Clock): Promise<void> {
  return clock.sleep(PAUSE_MS);
}

/** Writes an outcome, in one transaction, when the lock is free; throws the lock's error when it stays taken. */
export async function onceUnlocked<T>(clock: Clock, work: () => T): Promise<T> {
  const untilMs = clock.elapsedMs() + MAX_OUTCOME_WAIT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || clock.elapsedMs() >= untilMs) throw error;
    }
    await pauseForLock(clock);
  }
}
