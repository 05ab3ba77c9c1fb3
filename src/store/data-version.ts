/**
 * SQLite's count of what other connections have committed: a key that another process blocked, an agent that it retired. Asking
 * for it takes a lock of the file, so it is asked once in a run of code that waits for nothing: a request may look at the same
 * moment's rows as often as it likes.
 */
import type { Statement } from "bun:sqlite";
import type { Store } from "./open.ts";

export type DataVersion = { statement: Statement; version: unknown; isOfThisTurn: boolean };

/** As of this run of code, or newer. */
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
  if (!memory.isOfThisTurn) void Promise.resolve(memory).then(endTurn);
  memory.isOfThisTurn = true;
  return memory.version;
}

function endTurn(memory: DataVersion): void {
  memory.isOfThisTurn = false;
}

function memoryOf({ $client: client, memory }: Store): DataVersion {
  memory.dataVersion ??= { statement: client.prepare("PRAGMA data_version"), version: null, isOfThisTurn: false };
  return memory.dataVersion;
}
