/**
 * Pages of lists by several filters at once. One filter has an index, in the order of the list; what it gives is looked
 * through for the others, so far and no further: a page then ends where the looking did, and the next goes on from there.
 */
import { and, desc, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Store } from "./open.ts";

/** Rows of an index that one page looks through: some milliseconds. */
export const MAX_LOOKED_THROUGH = 20_000;

/** A row's place in a list, newest first. */
export type RowPlace = { atMs: number; id: string };

/** From where to where, newest first: below `upper`, and not below `lower`. */
export type Span = { upper: RowPlace; lower: RowPlace };

/** A way to rows: an index that has them in the order of the list, behind what `is` says of its first columns. */
export type Road = { table: SQLiteTable; atMs: SQLiteColumn; id: SQLiteColumn; is: SQL | undefined };

/** Above every row. */
export const NEWEST: RowPlace = { atMs: Number.MAX_SAFE_INTEGER, id: "" };
/** Below every row. */
const OLDEST: RowPlace = { atMs: -1, id: "" };

export type Times = {
  /** From this moment on, unix milliseconds; null for all. */
  sinceMs: number | null;
  /** Up to this moment, which itself does not count; null for all. */
  untilMs: number | null;
};

/** What lies below `after`, in those times. */
export function spanOf({ sinceMs, untilMs }: Times, after: RowPlace | null): Span {
  const until = untilMs === null ? NEWEST : { atMs: untilMs, id: "" };
  const upper = after === null || isNewer(after, until) ? until : after;
  return { upper, lower: sinceMs === null ? OLDEST : { atMs: sinceMs, id: "" } };
}

export function isNewer(a: RowPlace, b: RowPlace): boolean {
  return a.atMs === b.atMs ? a.id > b.id : a.atMs > b.atMs;
}

export function isWithin({ table: _, atMs, id, is }: Road, { upper, lower }: Span): SQL | undefined {
  return and(
    is,
    sql`(${atMs}, ${id}) < (${upper.atMs}, ${upper.id})`,
    sql`(${atMs}, ${id}) >= (${lower.atMs}, ${lower.id})`,
  );
}

/** The last row that a page looks at, where the span holds more; null where the whole of it is looked through. */
export function lastLookedAt(store: Store, roads: readonly Road[], span: Span, most: number): RowPlace | null {
  const ends = roads.flatMap((road) => {
    const { table, atMs, id } = road;
    const end = store
      .select({ atMs: sql<number>`${atMs}`, id: sql<string>`${id}` })
      .from(table)
      .where(isWithin(road, span))
      .orderBy(desc(atMs), desc(id))
      .limit(1)
      .offset(most - 1)
      .get();
    return end === undefined ? [] : [end];
  });
  // Where one road ends, rows of another would be told before its own.
  return ends.reduce<RowPlace | null>((newest, end) => (newest === null || isNewer(end, newest) ? end : newest), null);
}

/** Rows of a page and one more; `lookedTo`: where the looking ended, null where nothing older is left. */
export type Looked<Row> = { rows: Row[]; lookedTo: RowPlace | null };
