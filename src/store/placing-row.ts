/**
 * How the key, the first leg and the attempt in an order's row are changed. Where one stands is asked once, and what changes is written
 * there alone: those of all else have tables of their own, which `idempotency`, `legs` and `attempts` write.
 */
import { and, eq, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { AttemptChange } from "../core/attempt.ts";
import type { KeyName } from "../core/idempotency.ts";
import type { Leg } from "../core/order.ts";
import type { Store } from "./open.ts";
import { LEG, legColumns, NO_ATTEMPT } from "./placing-columns.ts";
import { assignments, prepared, preparedChange } from "./prepared.ts";
import { orders } from "./schema.ts";

/** Written as the partial index is, which holds only these rows: SQLite uses it only then. */
const isPlacingKey = and(
  eq(orders.accountId, sql.placeholder("accountId")),
  eq(orders.idempotencyKey, sql.placeholder("idempotencyKey")),
  isNotNull(orders.fingerprint),
);

const byKey = prepared((store) => store.select({ id: orders.id }).from(orders).where(isPlacingKey).prepare());

/** Whether a key stands in the row of the order that it placed. */
export function isKeyOfPlacing(store: Store, { accountId, idempotencyKey }: KeyName): boolean {
  return byKey(store).get({ accountId, idempotencyKey }) !== undefined;
}

/** Fixes the answer of such a key, once. */
export const fixPlacingAnswer = preparedChange((store) =>
  store
    .update(orders)
    .set(assignments(orders, ["answerStatus", "answerBody"]))
    .where(and(isPlacingKey, isNull(orders.answerBody)))
    .prepare(),
);

/** Its order's row keeps the key's text, by which its attempt goes. */
export const forgetPlacingKey = prepared((store) =>
  store.update(orders).set({ fingerprint: null, answerStatus: null, answerBody: null }).where(isPlacingKey).prepare(),
);

const withFirstLeg = and(eq(orders.id, sql.placeholder("orderId")), isNotNull(orders.legState));

const byFirstLeg = prepared((store) => store.select({ id: orders.id }).from(orders).where(withFirstLeg).prepare());

/** Whether the first leg of an order stands in its row. */
export function hasFirstLeg(store: Store, orderId: string): boolean {
  return byFirstLeg(store).get({ orderId }) !== undefined;
}

const setFirstLeg = prepared((store) =>
  store.update(orders).set(assignments(orders, LEG)).where(withFirstLeg).prepare(),
);

export function updateFirstLeg(store: Store, leg: Leg): void {
  setFirstLeg(store).run({ ...legColumns(leg), orderId: leg.orderId });
}

/** Changes these columns of an attempt that is open, or done. */
export function changeInOrder(names: readonly (keyof AttemptChange)[], from: "open" | "done") {
  const columns = names.map(columnInOrder);
  const is = from === "open" ? ne : eq;
  const isSo = and(eq(orders.number, sql.placeholder("id")), is(orders.attemptState, "done"));
  return preparedChange((store) => store.update(orders).set(assignments(orders, columns)).where(isSo).prepare());
}

function columnInOrder(name: keyof AttemptChange) {
  if (name === "isTargetClosed") throw new Error("bug: a placing replaces nothing");
  return name === "state" ? "attemptState" : name;
}

/** Leaves the order's row without its attempt. */
export function takeOutAttempt(store: Store, number: number): void {
  store.update(orders).set(NO_ATTEMPT).where(eq(orders.number, number)).run();
}
