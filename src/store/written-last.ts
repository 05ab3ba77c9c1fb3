/**
 * Rows that several works of one transaction change one after the other: each is written once, as it is at the end. Until then
 * it is in memory alone, so whoever reads such a row by a statement has it written first (`writeLast`).
 */
import type { Store } from "./open.ts";

/** By the name of its row, what writes it. */
export type LastWrites = Map<string, (store: Store) => void>;

/** `row`: such that no other has it. Of two writes of one row the later takes the place of the earlier; outside a transaction it is written at once. */
export function writeAtTheEnd(store: Store, row: string, write: (store: Store) => void): void {
  if (store.memory.isWriting) store.memory.lastWrites.set(row, write);
  else write(store);
}

/** For `commit.ts`, before it commits, and for whoever reads such rows, or is about to take a part of a transaction back. */
export function writeLast(store: Store): void {
  const { lastWrites } = store.memory;
  if (lastWrites.size === 0) return;
  for (const write of lastWrites.values()) write(store);
  lastWrites.clear();
}

/** For who rolls back, to what was written when that began. */
export function dropLast({ memory }: Store): void {
  memory.lastWrites.clear();
}
