/**
 * Rows that are asked for again and again, read anew only when something has been written since: by this connection, whose
 * changes SQLite counts, or by another, which `data_version` tells. To be asked outside of transactions.
 */
import type { Database, Statement } from "bun:sqlite";
import type { Store } from "./open.ts";

type Memory<Value> = { marksOf: Statement; marks: string; rows: Map<string, Value> };

/** Keys of one kind that are kept at once, at most. */
const MAX_KEYS = 100;

export function whileUnchanged<Value>(read: (store: Store, key: string) => Value): typeof read {
  const memories = new WeakMap<Database, Memory<Value>>();
  return (store, key) => {
    const { $client: client } = store;
    const memory = memories.get(client) ?? newMemory<Value>(client);
    memories.set(client, memory);
    const [row] = memory.marksOf.values();
    const marks = String(row);
    if (memory.marks !== marks || memory.rows.size >= MAX_KEYS) memory.rows.clear();
    memory.marks = marks;
    const known = memory.rows.get(key);
    if (known !== undefined) return known;
    const value = read(store, key);
    memory.rows.set(key, value);
    return value;
  };
}

function newMemory<Value>(client: Database): Memory<Value> {
  const marksOf = client.prepare("SELECT total_changes(), data_version FROM pragma_data_version");
  return { marksOf, marks: "", rows: new Map() };
}
