/** Numbers of refused orders that the exchange may not have used up. */
import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Attempt } from "../core/attempt.ts";
import { findAttempt } from "./attempts.ts";
import type { Store } from "./open.ts";
import { inOneStatus, ORDER_COLUMNS, type StoredOrder, toOrder } from "./orders.ts";
import { assignments, prepared } from "./prepared.ts";
import { orders } from "./schema.ts";

/** Newest refused orders that are looked through: no signer may send as many in the life of one action. */
const MAX_LOOKED_THROUGH = 1_000;

const newestRefused = prepared((store) => {
  const newest = store
    .select({ number: orders.number })
    .from(orders)
    .where(inOneStatus())
    .orderBy(desc(orders.createdAtMs), desc(orders.id))
    .limit(MAX_LOOKED_THROUGH);
  return store
    .select({ ...ORDER_COLUMNS, number: orders.number })
    .from(orders)
    .where(
      and(
        sql`${orders.number} in ${newest}`,
        eq(orders.legState, "absent"),
        eq(orders.attemptState, "done"),
        isNull(orders.seal),
        gt(orders.expiresAtMs, sql.placeholder("expiresAfterMs")),
      ),
    )
    .prepare();
});

/** An order that was refused, and what placed it. */
export type Refused = { order: StoredOrder; attempt: Attempt };

/**
 * Orders of an account that were refused without proof that their number is used up, and whose action is no older than that.
 *
 * @param expiresAfterMs exchange time, unix milliseconds
 */
export function listUnusedNumbers(store: Store, accountId: string, expiresAfterMs: number): Refused[] {
  const rows = newestRefused(store).all({ accountId, status: "rejected", expiresAfterMs });
  return rows.flatMap(({ number, ...order }) => {
    const attempt = findAttempt(store, number);
    return attempt === null ? [] : [{ order: toOrder(order), attempt }];
  });
}

const seal = prepared((store) =>
  store
    .update(orders)
    .set(assignments(orders, ["seal"]))
    .where(
      and(
        eq(orders.signer, sql.placeholder("signer")),
        eq(orders.nonce, sql.placeholder("nonce")),
        eq(orders.attemptState, "done"),
        isNull(orders.seal),
      ),
    )
    .prepare(),
);

/** Nothing that was refused under this number can be executed any more. */
export function sealUnused(store: Store, { signer, nonce }: Attempt, by: "noop" | "expiry"): void {
  seal(store).run({ signer, nonce, seal: by });
}
