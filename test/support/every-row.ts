/** What stands in two tables, in one, for statements of tests: `SELECT … FROM ${EVERY_KEY}`. */

/** The key of a placing stands in the row of its order. */
export const EVERY_KEY = `(
  SELECT account_id, key, resource_id FROM idempotency
  UNION ALL SELECT account_id, idempotency_key, id FROM orders WHERE fingerprint IS NOT NULL
)`;

/** The attempt that places an order stands in its row, under its number. */
export const EVERY_ATTEMPT = `(
  SELECT id, kind, resource_id, idempotency_key, signer, nonce, state, noops, created_at_ms, settled_at_ms FROM attempts
  UNION ALL
  SELECT number, 'place', id, idempotency_key, signer, nonce, attempt_state, noops, attempted_at_ms, settled_at_ms
  FROM orders WHERE attempt_state IS NOT NULL
)`;

/** The first leg of a placing stands in its order's row, and its client order id is the order's id. */
export const EVERY_LEG = `(
  SELECT cloid, order_id, oid, ordinal, state FROM legs
  UNION ALL
  SELECT '0x' || replace(id, '-', ''), id, leg_oid, 0, leg_state FROM orders WHERE leg_state IS NOT NULL
)`;

type Rows = { rows(text: string): readonly Record<string, unknown>[] };

/** States of all legs that there are, oldest first. */
export function legStates(of: Rows): unknown[] {
  return of.rows(`select state from ${EVERY_LEG} order by ordinal`).map(({ state }) => state);
}
