/**
 * Which refused actions may have left their number unused, kept in memory beside its rows: most often none, and it is asked with each
 * order of a key with rails. Whoever writes what makes one of them, or ends one, tells here, and they are read anew; after a rollback, or a
 * commit of another process, too.
 */
import type { Store } from "./open.ts";
import { remembered } from "./remembered.ts";

/** A row of an attempt, and when its action expires: exchange time, unix milliseconds. */
export type RefusedRow = { number: number; expiresAtMs: number };

type ReadRows = (store: Store, of: { accountId: string; expiresAfterMs: number }) => readonly RefusedRow[];

/** Of an account, all that expire after that moment. */
type KnownRows = { expiresAfterMs: number; rows: readonly RefusedRow[] };

/** One book a connection: under one name. */
const NAME = "refused";
const kept = remembered<Map<string, KnownRows>>(() => null);

/** As the rows are now. */
export function refusedRows(
  store: Store,
  of: { accountId: string; expiresAfterMs: number },
  read: ReadRows,
): readonly RefusedRow[] {
  const { accountId, expiresAfterMs } = of;
  const known = bookOf(store).get(accountId);
  // A clock that was set back asks for what has not been read.
  if (known !== undefined && known.expiresAfterMs <= expiresAfterMs)
    return known.rows.length === 0 ? known.rows : known.rows.filter((row) => row.expiresAtMs > expiresAfterMs);
  const rows = read(store, of);
  bookOf(store).set(accountId, { expiresAfterMs, rows });
  return rows;
}

function bookOf(store: Store): Map<string, KnownRows> {
  const known = kept.find(store, NAME);
  if (known !== null) return known;
  const book = new Map<string, KnownRows>();
  kept.put(store, NAME, book);
  return book;
}

/** For whoever writes an attempt, or the state of a leg. */
export function noteRefused(store: Store): void {
  kept.drop(store, NAME);
}
