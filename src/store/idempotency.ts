import { and, eq, isNull, sql } from "drizzle-orm";
import type { KeyAnswer, KeyName, KeyRecord } from "../core/idempotency.ts";
import type { Store } from "./open.ts";
import { fixPlacingAnswer, forgetPlacingKey, isKeyOfPlacing } from "./placing-row.ts";
import { assignments, placeholders, prepared, preparedChange } from "./prepared.ts";
import { idempotency } from "./schema.ts";
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
const fixAnswer = preparedChange((store) =>
  store
    .update(idempotency)
    .set(assignments(idempotency, ["answerStatus", "answerBody"]))
    .where(and(isKey, isNull(idempotency.answerBody)))
    .prepare(),
);
/** Fixes what every repeat of the key gets from now on, once; false when that is fixed already. */
export function storeAnswer(store: Store, { accountId, idempotencyKey }: KeyName, answer: KeyAnswer): boolean {
  const values = { accountId, idempotencyKey, answerStatus: answer.status, answerBody: answer.body };
  const fix = isKeyOfPlacing(store, values) ? fixPlacingAnswer : fixAnswer;
  return fix(store)(values).rows === 1;
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
/** Deletes a key, when it is proven that its request sent nothing. */
export function deleteKeyRecord(store: Store, accountId: string, idempotencyKey: string): void {
  const key = { accountId, idempotencyKey };
  const forget = isKeyOfPlacing(store, key) ? forgetPlacingKey : deleteRow;
  forget(store).run(key);
}
