/**
 * SQLite's count of what other connections have committed: a key that another process blocked, an agent that it retired. Asking
 * for it takes a lock of the file, so it is asked once in a turn of the event loop, and anew for each key that is shown
 * (`lookAnew`): what had been committed when a request was sent holds for it. A transaction asks behind its lock.
 */
import type { Statement } from "bun:sqlite";
import type { Store } from "./open.ts";

export type DataVersion = {
  statement: Statement;
  version: unknown;
  isOfThisTurn: boolean;
  /** The end of this turn is waited for. */
  isEndDue: boolean;
};

/** As of this turn of the event loop, or newer. */
export function dataVersion(store: Store): unknown {
  const memory = memoryOf(store);
  return memory.isOfThisTurn ? memory.version : dataVersionNow(store);
}

/** As of now: for whoever has just taken the lock behind which nobody else commits. */
export function dataVersionNow(store: Store): unknown {
  const memory = memoryOf(store);
  // Unlike `synchronous` this is read when it runs, not when it is compiled.
  const [row] = memory.statement.values();
  memory.version = row?.[0];
  if (!memory.isEndDue) store.memory.afterTurn(() => endTurn(memory));
  memory.isEndDue = true;
  memory.isOfThisTurn = true;
  return memory.version;
}

/** From here on the turn ends where what is scheduled runs: the end of a turn of the event loop. */
export function countTurnsBy({ memory }: Pick<Store, "memory">, schedule: (run: () => void) => void): void {
  memory.afterTurn = schedule;
}

/** For a request that has just arrived: the turn that it falls in may have begun before it was sent. */
export function lookAnew({ memory: { dataVersion: memory } }: Pick<Store, "memory">): void {
  if (memory !== null) memory.isOfThisTurn = false;
}

function endTurn(memory: DataVersion): void {
  memory.isOfThisTurn = false;
  memory.isEndDue = false;
}

function memoryOf({ $client: client, memory }: Store): DataVersion {
  memory.dataVersion ??= {
    statement: client.prepare("PRAGMA data_version"),
    version: null,
    isOfThisTurn: false,
    isEndDue: false,
  };
  return memory.dataVersion;
}
