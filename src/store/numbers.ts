import type { Store } from "./open.ts";
import { remembered } from "./remembered.ts";

/** SQLite keeps these apart from the rows: what was deleted counts as well. */
const LAST = "SELECT max(seq) AS last FROM sqlite_sequence WHERE name IN ('orders', 'attempts')";

const lastNumber = remembered<number>((store) => {
  const statement = store.$client.prepare<{ last: number | null }, []>(LAST);
  const row = statement.get();
  statement.finalize();
  return row?.last ?? 0;
});
/** There is one sequence. */
const THE_SEQUENCE = "";

/**
 * The next number of a row of `orders` or `attempts`: one ascending sequence over both, because an order's number is that
 * of the attempt that places it. No number is ever given out twice. The row is to be stored in the same transaction.
 */
export function takeNumber(store: Store): number {
  const number = (lastNumber.find(store, THE_SEQUENCE) ?? 0) + 1;
  lastNumber.put(store, THE_SEQUENCE, number);
  return number;
}
