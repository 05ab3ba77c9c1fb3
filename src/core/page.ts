/** How much of a list a client asks for and gets. */

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 500;

/** Rows asked for, or null for anything but a plain whole number from 1 to 500: nothing is clamped. */
export function parseLimit(text: string): number | null {
  if (!/^[1-9][0-9]{0,2}$/.test(text)) return null;
  const limit = Number(text);
  return limit <= MAX_LIMIT ? limit : null;
}

/**
 * The page of rows that were looked for so far and no further: where they do not fill it, the next page begins with the
 * row at which the looking ended.
 */
export function pageLooked<Row>(
  { rows, lookedTo }: { rows: readonly Row[]; lookedTo: { id: string } | null },
  limit: number,
  cursorOf: (row: Row) => string,
): Page<Row> {
  const page = pageOf(rows, limit, cursorOf);
  return { rows: page.rows, nextCursor: page.nextCursor ?? lookedTo?.id ?? null };
}

export type Page<Row> = { rows: Row[]; nextCursor: string | null };

/** Cuts rows, of which one more than `limit` was read, to a page; the cursor is null exactly when nothing follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
