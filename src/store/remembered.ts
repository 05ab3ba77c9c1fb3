/**
 * Rows that every order needs and that hardly ever change, kept in memory. All writing of this process goes through one
 * connection and tells here what it has changed; SQLite's `data_version` tells whether another process has committed
 * anything since, which may have been a key blocked or an agent retired.
 */
import { dataVersion, dataVersionNow } from "./data-version.ts";
import type { Store } from "./open.ts";

export type RememberedRows = {
  version: unknown;
  /** True inside a transaction that has looked: nobody else can commit before it ends. */
  isHeld: boolean;
  /** That transaction has written something that is settled, or may have. */
  isSettledWritten: boolean;
  kinds: Map<RememberedKind, Map<string, unknown>>;
};

type RememberedKind = { isSettled: boolean };

/** Rows of one kind that are kept at once, at most. */
const MAX_ROWS = 1_000;

/** What `read` finds for a key, read again only after it may have changed. Nothing found is not kept. */
export type Remembered<Value> = {
  find(store: Store, key: string): Value | null;
  /** Keeps a value that was just written. */
  put(store: Store, key: string, value: Value): void;
  /** Forgets a key that was just written, where its new value is not at hand. */
  drop(store: Store, key: string): void;
};

export function remembered<Value>(read: (store: Store, key: string) => Value | null): Remembered<Value> {
  return rememberedAs(read, { isSettled: false });
}

/**
 * The same of what owners and operators have said: accounts, keys, agents, narrowings, stops, trips. It is written now and then, and asked for with
 * each order, also after one that was refused: a rollback forgets it only where its transaction has written any of it. Whoever
 * writes such rows calls `forget`, `put` or `drop`, and a value that was found is never changed in place.
 */
export function rememberedAsSettled<Value>(read: (store: Store, key: string) => Value | null): Remembered<Value> {
  return rememberedAs(read, { isSettled: true });
}

function rememberedAs<Value>(
  read: (store: Store, key: string) => Value | null,
  kind: RememberedKind,
): Remembered<Value> {
  const rowsOf = (store: Store) => {
    const { kinds } = upToDate(store);
    // Filled by `find` and `put` of this kind alone.
    const known = kinds.get(kind) as Map<string, Value> | undefined;
    if (known !== undefined) return known;
    const rows = new Map<string, Value>();
    kinds.set(kind, rows);
    return rows;
  };
  const keep = (rows: Map<string, Value>, key: string, value: Value) => {
    if (rows.size >= MAX_ROWS) rows.clear();
    rows.set(key, value);
  };
  const noteWritten = (store: Store) => {
    if (kind.isSettled) noteSettledWritten(store);
  };
  return {
    find(store, key) {
      const rows = rowsOf(store);
      const known = rows.get(key);
      if (known !== undefined) return known;
      const value = read(store, key);
      if (value !== null) keep(rows, key, Object.freeze(value));
      return value;
    },
    put(store, key, value) {
      keep(rowsOf(store), key, Object.freeze(value));
      noteWritten(store);
    },
    drop(store, key) {
      rowsOf(store).delete(key);
      noteWritten(store);
    },
  };
}

/** After a change that nobody has put here: everything is read anew. */
export function forget({ memory: { remembered: memory } }: Pick<Store, "memory">): void {
  if (memory === null) return;
  memory.kinds.clear();
  memory.isSettledWritten = true;
}

/** For who vouches for such rows: what was read by that goes back with it. */
export function noteSettledWritten({ memory: { remembered: memory } }: Pick<Store, "memory">): void {
  if (memory !== null) memory.isSettledWritten = true;
}

/** After every rollback, of a part of the transaction as well: before `letGo`. */
export function forgetTakenBack(store: Pick<Store, "memory">): void {
  const { remembered: memory } = store.memory;
  if (memory === null) return;
  if (memory.isSettledWritten) forget(store);
  else for (const kind of memory.kinds.keys()) if (!kind.isSettled) memory.kinds.delete(kind);
}

/** For `commit.ts`, first thing in a transaction that holds the write lock. */
export function hold(store: Store): void {
  const memory = memoryOf(store);
  // It was left open, and nobody has come between.
  if (memory.isHeld) return;
  takeVersion(memory, dataVersionNow(store));
  memory.isHeld = true;
  memory.isSettledWritten = false;
}

/** At the end of that transaction. */
export function letGo({ memory }: Pick<Store, "memory">): void {
  if (memory.remembered !== null) memory.remembered.isHeld = false;
}

function upToDate(store: Store): RememberedRows {
  const memory = memoryOf(store);
  if (!memory.isHeld) takeVersion(memory, dataVersion(store));
  return memory;
}

function takeVersion(memory: RememberedRows, version: unknown): void {
  if (version !== memory.version) memory.kinds.clear();
  memory.version = version;
}

function memoryOf({ memory }: Store): RememberedRows {
  memory.remembered ??= { version: null, isHeld: false, isSettledWritten: false, kinds: new Map() };
  return memory.remembered;
}
