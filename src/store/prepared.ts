import { getTableColumns, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Store } from "./open.ts";

/**
 * A statement that is built and compiled once a connection: both together take ten times as long as running it. Not for
 * a PRAGMA, which takes effect when it is compiled.
 */
export function prepared<Statement>(build: (store: Store) => Statement): (store: Store) => Statement {
  const built = new WeakMap<Store, Statement>();
  return (store) => {
    const known = built.get(store);
    if (known !== undefined) return known;
    const statement = build(store);
    built.set(store, statement);
    return statement;
  };
}

type Placeholders<Table extends SQLiteTable> = Record<keyof Table["$inferSelect"], Placeholder>;

/** A placeholder by the column's own name for each column of a table: for rows that are written whole. */
export function placeholders<Table extends SQLiteTable>(table: Table): Placeholders<Table> {
  const names = Object.keys(getTableColumns(table));
  // Each column once, under its own name.
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as Placeholders<Table>;
}

/** The right-hand sides that set these columns to what their placeholders hold. */
export function assignments<Table extends SQLiteTable, Name extends keyof Table["$inferSelect"] & string>(
  table: Table,
  names: readonly Name[],
): Record<Name, SQL> {
  const columns = getTableColumns(table);
  const set = names.map((name) => [name, sql`${sql.param(sql.placeholder(name), columns[name])}`]);
  // One for each name.
  return Object.fromEntries(set) as Record<Name, SQL>;
}

/** Names of all columns but some. */
export function columnsBut<Table extends SQLiteTable, Name extends keyof Table["$inferSelect"] & string>(
  table: Table,
  left: readonly Name[],
): Exclude<keyof Table["$inferSelect"] & string, Name>[] {
  const names = Object.keys(getTableColumns(table)).filter((name) => !left.some((one) => one === name));
  // The names of the table's columns are the members of its rows.
  return names as Exclude<keyof Table["$inferSelect"] & string, Name>[];
}
