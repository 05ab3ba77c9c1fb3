/**
 * Rows that are asked for again and again, read anew only when something has been written since: by this connection, whose
 * changes SQLite counts, or by another, which `data_version` tells. To be asked outside of transactions.
 */
import { dataVersion } from "./data-version.ts";
import type { Store } from "./open.ts";

export type UnchangedRows = { mark: string; rows: Map<string, unknown> };

/** Keys of one kind that are kept at once, at most. */
const MAX_KEYS = 100;

export function whileUnchanged<Value>(read: (store: Store, key: string) => Value): typeof read {
  return (store, key) => {
    const memory = store.memory.unchanged.get(read) ?? { mark: "", rows: new Map() };
    store.memory.unchanged.set(read, memory);
    const mark = changeMark(store);
    if (memory.mark !== mark || memory.rows.size >= MAX_KEYS) memory.rows.clear();
    memory.mark = mark;
    // Rows under `read` are what it has read.
    const known = memory.rows.get(key) as Value | undefined;
    if (known !== undefined) return known;
    const value = read(store, key);
    memory.rows.set(key, value);
    return value;
  };
}

/** A text that stays as it is while nothing is written, by this connection or another. */
function changeMark(store: Store): string {
  return `${ownChanges(store)},${dataVersion(store)}`;
}

/**
 * A value that stays as it is while this connection writes nothing. Takes no lock of the file, as asking for the writes
 * of others does.
 */
export function ownChanges({ $client: client, memory }: Store): unknown {
  memory.changeCount ??= client.prepare("SELECT total_changes()");
  const [row] = memory.changeCount.values();
  return row?.[0];
}
