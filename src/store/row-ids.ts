import type { Store } from "./open.ts";
import { onceAConnection } from "./prepared.ts";
import { remembered } from "./remembered.ts";

/** SQLite keeps these apart from the rows: what was deleted counts as well. */
const LAST_ROW_ID = "SELECT max(seq) AS last FROM sqlite_sequence WHERE name IN ('orders', 'attempts')";

// Asked again after every rollback, which is after every order that is refused: compiling costs more than running.
const last = onceAConnection(({ $client }) => $client.prepare<{ last: number | null }, []>(LAST_ROW_ID));

const lastRowId = remembered<number>((store) => last(store).all()[0]?.last ?? 0);
/** There is one sequence. */
const THE_SEQUENCE = "";

/**
 * The next id of a row of `orders` or `attempts`: one ascending sequence over both, because an order's row has the id of
 * the attempt that places it. The id of a deleted row is never given out again; that of a row whose transaction was rolled
 * back is. The row is to be stored in the same transaction.
 */
export function takeRowId(store: Store): number {
  const id = (lastRowId.find(store, THE_SEQUENCE) ?? 0) + 1;
  lastRowId.put(store, THE_SEQUENCE, id);
  return id;
}
