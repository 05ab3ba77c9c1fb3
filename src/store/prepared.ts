import type { Changes, SQLQueryBindings } from "bun:sqlite";
import { Column, getTableColumns, is, Param, Placeholder, SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Store } from "./open.ts";

/**
 * A statement that is built once and compiled once a connection: each takes several times as long as running it. Not
 * for a PRAGMA, which takes effect when it is compiled.
 */
export function prepared<Query>(build: (store: Store) => Query): (store: Store) => Query {
  let plan: StatementPlan | null = null;
  return onceAConnection((store) => {
    if (plan !== null) return quick<Query>(plan, compiledFor(store, plan));
    const query = build(store);
    // Every caller hands over what `.prepare()` returned; the tests hold the pinned version to these members.
    plan = planOf(query as Inside);
    return plan === null ? query : quick(plan, compiledFor(store, plan));
  });
}

/** What one run of a change has come to. */
export type Changed = {
  rows: number;
  /** Row id of the row that an insert added. */
  rowId: number;
};

/**
 * A change (insert, update, delete) as a prepared statement, told by counts: RETURNING costs twice as much as a change
 * of one row.
 */
export function preparedChange(build: (store: Store) => unknown): (store: Store) => (values: Values) => Changed {
  // As in `prepared`; drizzle's own type shows `run` without what it returns.
  const change = prepared((store) => build(store) as Inside & { run(values: Values): Changes });
  return (store) => {
    const statement = change(store);
    return (values) => {
      const { changes, lastInsertRowid } = statement.run(values);
      return { rows: changes, rowId: Number(lastInsertRowid) };
    };
  };
}

/** The rows of a list whose conditions are put together for once: to name their columns costs drizzle more than SQLite to read them. */
export function rowsOf<Row>(query: { prepare(): { all(): Row[] } }): Row[] {
  const once = query.prepare();
  // As in `prepared`, with the statement that drizzle has compiled already.
  const { query: asked, fields, stmt } = once as unknown as Inside & { stmt: Compiled };
  const read = rowReader(fields ?? []);
  if (read === null) return once.all();
  const bound = boundTo(asked.params.map(placeOf), {});
  // Every column is read as its type says.
  return stmt.values(bound).map(read) as Row[];
}

function compiledFor({ $client: client }: Store, { sql: text }: StatementPlan): Compiled {
  // The driver's own type knows values one by one alone.
  return client.prepare(text) as unknown as Compiled;
}

/** What is made of a connection once, and kept with it. */
export function onceAConnection<Made>(make: (store: Store) => Made): (store: Store) => Made {
  return (store) => {
    store.memory.showAgain?.();
    // What stands under `make` is what it has made.
    const known = store.memory.statements.get(make) as Made | undefined;
    if (known !== undefined) return known;
    const made = make(store);
    store.memory.statements.set(make, made);
    return made;
  };
}

/** What a prepared query of drizzle-orm 0.45 holds besides what its type shows. */
type Inside = {
  query: { sql: string; params: readonly unknown[] };
  fields?: readonly SelectedField[];
};

/** Handed its values as one list, which the runtime takes as it is; one by one it makes a list of them first. */
type Compiled = {
  values(bound: readonly SQLQueryBindings[]): unknown[][];
  run(bound: readonly SQLQueryBindings[]): Changes;
};
type SelectedField = { path: readonly string[]; field: unknown };
type Values = Readonly<Record<string, unknown>>;
/** What stands in one place of a statement: a value by its name, as its column encodes it, or where there is no name always the same one. */
type BoundPlace = { name: string | null; encoder: Param["encoder"] | null; fixed: SQLQueryBindings };
type RowReader = (row: readonly unknown[]) => Values;

/** What is the same for each connection. */
type StatementPlan = { sql: string; places: readonly BoundPlace[]; read: RowReader };

/** Null for what gives no flat rows of columns: that stays as drizzle has made it. */
function planOf({ query, fields }: Inside): StatementPlan | null {
  const read = rowReader(fields ?? []);
  return read === null ? null : { sql: compiledOnce(query.sql), places: query.params.map(placeOf), read };
}

/**
 * Where SQLite has a partial index, an order or a limit to think of, it looks at what is bound to a bare `?` and compiles the statement
 * again whenever something else is: thirty microseconds instead of three. The sign changes no value, whatever its type.
 */
function compiledOnce(text: string): string {
  return text.replace(/(?<=[=<>] |\blimit )\?/g, "+?");
}

/**
 * A statement with drizzle's answers, run without its general way of filling in parameters and naming columns, which
 * costs more than SQLite's own work.
 */
function quick<Query>({ places, read }: StatementPlan, compiled: Compiled): Query {
  const bound = (values: Values) => boundTo(places, values);
  const quicker = {
    get(values: Values = {}) {
      const [row] = compiled.values(bound(values));
      return row === undefined ? undefined : read(row);
    },
    all: (values: Values = {}) => compiled.values(bound(values)).map(read),
    run: (values: Values = {}) => compiled.run(bound(values)),
  };
  // The three that this program calls, with the same arguments and answers.
  return quicker as Query;
}

/** One loop over all places: a function for each costs an order a hundred and twenty calls. */
function boundTo(places: readonly BoundPlace[], values: Values): SQLQueryBindings[] {
  const bound: SQLQueryBindings[] = [];
  for (const { name, encoder, fixed } of places) {
    if (name === null) bound.push(fixed);
    else {
      const value = given(values, name);
      bound.push(encoder === null || value === null ? value : asBinding(encoder.mapToDriverValue(value)));
    }
  }
  return bound;
}

function placeOf(parameter: unknown): BoundPlace {
  if (is(parameter, Placeholder)) return { name: parameter.name, encoder: null, fixed: null };
  if (!is(parameter, Param)) return { name: null, encoder: null, fixed: asBinding(parameter) };
  const { value, encoder } = parameter;
  if (!is(value, Placeholder)) {
    return { name: null, encoder: null, fixed: asBinding(encoder.mapToDriverValue(value)) };
  }
  const isPlain = is(encoder, Column) && PLAIN.has(encoder.dataType);
  return { name: value.name, encoder: isPlain ? null : encoder, fixed: null };
}

function given(values: Values, name: string): SQLQueryBindings {
  const value = values[name];
  if (value === undefined) throw new Error(`bug: no value for ${name}`);
  return asBinding(value);
}

/** SQLite's driver refuses by itself what it cannot bind. */
function asBinding(value: unknown): SQLQueryBindings {
  // Its type cannot be told from a column's.
  return value as SQLQueryBindings;
}

/** Columns whose values are kept and read as they are. */
const PLAIN: ReadonlySet<string> = new Set(["string", "number"]);

/** Names the values of a row; null where something is nested. */
function rowReader(fields: readonly SelectedField[]): RowReader | null {
  const columns = fields.flatMap(({ path: [name, ...deeper], field }) => {
    const read = name !== undefined && deeper.length === 0 ? readingOf(field) : null;
    return name === undefined || read === null ? [] : [{ name, ...read }];
  });
  if (columns.length !== fields.length) return null;
  return (row) => {
    const named: Record<string, unknown> = {};
    let index = 0;
    for (const { name, decoder, isNeeded } of columns) {
      const value = row[index];
      // Of a table SQLite itself sees to that; a view may find half of something in a row.
      if (value === null && isNeeded) throw new Error(`bug: a row without its ${name}`);
      named[name] = decoder === null || value === null ? value : decoder.mapFromDriverValue(value);
      index += 1;
    }
    return named;
  };
}

/** `decoder`: null where a value is read as it is kept. */
type ColumnReading = { decoder: ColumnDecoder | null; isNeeded: boolean };
type ColumnDecoder = { mapFromDriverValue(value: unknown): unknown };

/** Null for what is neither a column nor computed. */
function readingOf(field: unknown): ColumnReading | null {
  if (is(field, Column)) return { decoder: PLAIN.has(field.dataType) ? null : field, isNeeded: field.notNull };
  const computed = is(field, SQL.Aliased) ? field.sql : field;
  if (!is(computed, SQL)) return null;
  // What `mapWith` was given; the driver's type hides it.
  const { decoder } = computed as unknown as { decoder: ColumnDecoder };
  return { decoder, isNeeded: false };
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

/** Some columns of a table, to be selected. */
export function columnsOf<Table extends SQLiteTable, Name extends keyof Table["_"]["columns"] & string>(
  table: Table,
  names: readonly Name[],
): Pick<Table["_"]["columns"], Name> {
  const all: Table["_"]["columns"] = getTableColumns(table);
  // One for each name.
  return Object.fromEntries(names.map((name) => [name, all[name]])) as Pick<Table["_"]["columns"], Name>;
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
