import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { KeyAnswer, KeyName, KeyRecord } from "../core/idempotency.ts";
import type { Store } from "./open.ts";
import { assignments, placeholders, prepared, preparedChange } from "./prepared.ts";
import { idempotency, orders } from "./schema.ts";
import { everyKey } from "./schema-views.ts";

function toRecord(row: typeof idempotency.$inferSelect): KeyRecord {
  const { resourceKind, resourceId, answerStatus: status, answerBody: body, ...rest } = row;
  const answer = status === null || body === null ? null : { status, body };
  return { ...rest, resource: { kind: resourceKind, id: resourceId }, answer };
}

const byKey = prepared((store) =>
  store
    .select()
    .from(everyKey)
    .where(
      and(
        eq(everyKey.accountId, sql.placeholder("accountId")),
        eq(everyKey.idempotencyKey, sql.placeholder("idempotencyKey")),
      ),
    )
    .prepare(),
);

/**
 * The record of a key, or null. A key is stored once: whoever stores one has found null here, inside that transaction.
 */
export function findKeyRecord(store: Store, accountId: string, idempotencyKey: string): KeyRecord | null {
  const row = byKey(store).get({ accountId, idempotencyKey });
  return row === undefined ? null : toRecord(row);
}

const insert = prepared((store) => store.insert(idempotency).values(placeholders(idempotency)).prepare());

/** Stores a key in a row of its own: any but that of a placing, which `store/orders` stores with it. */
export function insertKeyRecord(store: Store, record: KeyRecord): void {
  const { resource, answer, ...rest } = record;
  insert(store).run({
    ...rest,
    resourceKind: resource.kind,
    resourceId: resource.id,
    answerStatus: answer?.status ?? null,
    answerBody: answer?.body ?? null,
  });
}

const isKey = and(
  eq(idempotency.accountId, sql.placeholder("accountId")),
  eq(idempotency.idempotencyKey, sql.placeholder("idempotencyKey")),
);
/** Written as the partial index is, which holds only these rows: SQLite uses it only then. */
const isPlacingKey = and(
  eq(orders.accountId, sql.placeholder("accountId")),
  eq(orders.idempotencyKey, sql.placeholder("idempotencyKey")),
  isNotNull(orders.fingerprint),
);

const fixAnswer = preparedChange((store) =>
  store
    .update(idempotency)
    .set(assignments(idempotency, ["answerStatus", "answerBody"]))
    .where(and(isKey, isNull(idempotency.answerBody)))
    .prepare(),
);
const fixPlacingAnswer = preparedChange((store) =>
  store
    .update(orders)
    .set(assignments(orders, ["answerStatus", "answerBody"]))
    .where(and(isPlacingKey, isNull(orders.answerBody)))
    .prepare(),
);

/** Fixes what every repeat of the key gets from now on, once; false when that is fixed already. */
export function storeAnswer(store: Store, { accountId, idempotencyKey }: KeyName, answer: KeyAnswer): boolean {
  const values = { accountId, idempotencyKey, answerStatus: answer.status, answerBody: answer.body };
  return fixPlacingAnswer(store)(values).rows === 1 || fixAnswer(store)(values).rows === 1;
}

/**
 * Lets a key that has no answer yet answer with another order: the one that it placed after the snapshot. The key of a
 * batch is forgotten instead: `write/adopt` finds its orders.
 */
export function passKeyOn(store: Store, { accountId, idempotencyKey }: KeyName, orderId: string): void {
  const record = findKeyRecord(store, accountId, idempotencyKey);
  if (record === null || record.answer !== null) return;
  deleteKeyRecord(store, accountId, idempotencyKey);
  if (record.resource.kind === "batch") return;
  insertKeyRecord(store, { ...record, resource: { kind: "order", id: orderId } });
}

const deleteRow = prepared((store) => store.delete(idempotency).where(isKey).prepare());
const deletePlacingKey = prepared((store) =>
  store.update(orders).set({ fingerprint: null, answerStatus: null, answerBody: null }).where(isPlacingKey).prepare(),
);

/**
 * Deletes a key, when it is proven that its request sent nothing. Its order's row keeps the key's text, by which its
 * attempt goes.
 */
export function deleteKeyRecord(store: Store, accountId: string, idempotencyKey: string): void {
  deletePlacingKey(store).run({ accountId, idempotencyKey });
  deleteRow(store).run({ accountId, idempotencyKey });
}
