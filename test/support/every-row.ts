/** What stands in two tables, in one, for statements of tests: `SELECT … FROM ${EVERY_KEY}`. */

/** The key of a placing stands in the row of its order. */
export const EVERY_KEY = `(
  SELECT account_id, key, resource_id FROM idempotency
  UNION ALL SELECT account_id, idempotency_key, id FROM orders WHERE fingerprint IS NOT NULL
)`;
