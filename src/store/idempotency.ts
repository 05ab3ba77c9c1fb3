import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { KeyAnswer, KeyRecord } from "../core/idempotency.ts";
import type { Store } from "./open.ts";
import { assignments, columnsOf, placeholders, prepared, preparedChange } from "./prepared.ts";
import { idempotency, orders } from "./schema.ts";

/** The route of all of these. */
const PLACING_ROUTE = "POST /v1/orders";

function toRecord(row: typeof idempotency.$inferSelect): KeyRecord {
  const { resourceKind, resourceId, answerStatus, answerBody, attemptId: _, ...rest } = row;
  return { ...rest, resource: { kind: resourceKind, id: resourceId }, answer: toAnswer({ answerStatus, answerBody }) };
}

type AnswerColumns = Pick<typeof idempotency.$inferSelect, "answerStatus" | "answerBody">;

function toAnswer({ answerStatus, answerBody }: AnswerColumns): KeyAnswer | null {
  return answerStatus === null || answerBody === null ? null : { status: answerStatus, body: answerBody };
}

const isKey = and(eq(idempotency.accountId, sql.placeholder("accountId")), eq(idempotency.key, sql.placeholder("key")));
const byKey = prepared((store) => store.select().from(idempotency).where(isKey).prepare());
const insert = prepared((store) => store.insert(idempotency).values(placeholders(idempotency)).prepare());

/** With the words of the index that holds only these. */
const isPlacingKey = and(
  eq(orders.accountId, sql.placeholder("accountId")),
  eq(orders.idempotencyKey, sql.placeholder("key")),
  isNotNull(orders.fingerprint),
);
const KEY_COLUMNS = columnsOf(orders, ["id", "fingerprint", "answerStatus", "answerBody", "createdAtMs"]);
const byPlacingKey = prepared((store) => store.select(KEY_COLUMNS).from(orders).where(isPlacingKey).prepare());

/** A key is in one of the two tables: whoever stores one has found nothing here, inside the same transaction. */
export function findKeyRecord(store: Store, accountId: string, key: string): KeyRecord | null {
  const placing = findPlacingKey(store, accountId, key);
  if (placing !== null) return placing;
  const row = byKey(store).get({ accountId, key });
  return row === undefined ? null : toRecord(row);
}

function findPlacingKey(store: Store, accountId: string, key: string): KeyRecord | null {
  const row = byPlacingKey(store).get({ accountId, key });
  if (row === undefined || row.fingerprint === null) return null;
  const { id, fingerprint, createdAtMs, ...answer } = row;
  const resource = { kind: "order", id } as const;
  return {
    accountId,
    key,
    route: PLACING_ROUTE,
    fingerprint,
    resource,
    createdAtMs,
    answer: toAnswer(answer),
  };
}

/** Stores a key in a row of its own: any but that of a placing, which `insertOrder` stores. */
export function insertKeyRecord(store: Store, record: KeyRecord): void {
  const { resource, answer, ...rest } = record;
  insert(store).run({
    ...rest,
    attemptId: null,
    resourceKind: resource.kind,
    resourceId: resource.id,
    answerStatus: answer?.status ?? null,
    answerBody: answer?.body ?? null,
  });
}

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
export function storeAnswer(store: Store, { accountId, key }: KeyName, answer: KeyAnswer): boolean {
  const values = { accountId, key, answerStatus: answer.status, answerBody: answer.body };
  return fixPlacingAnswer(store)(values).rows === 1 || fixAnswer(store)(values).rows === 1;
}

type KeyName = Pick<KeyRecord, "accountId" | "key">;

/** Lets a key that has no answer yet answer with another order: the one that it placed after the snapshot. */
export function passKeyOn(store: Store, { accountId, key }: KeyName, orderId: string): void {
  const placing = findPlacingKey(store, accountId, key);
  if (placing !== null && placing.answer === null) {
    deletePlacingKey(store, accountId, key);
    insertKeyRecord(store, { ...placing, resource: { kind: "order", id: orderId } });
  }
  store
    .update(idempotency)
    .set({ resourceKind: "order", resourceId: orderId })
    .where(and(eq(idempotency.accountId, accountId), eq(idempotency.key, key), isNull(idempotency.answerStatus)))
    .run();
}

/** Gives a key back: only when it is proven that its request sent nothing. */
export function deleteKeyRecord(store: Store, accountId: string, key: string): void {
  deletePlacingKey(store, accountId, key);
  store
    .delete(idempotency)
    .where(and(eq(idempotency.accountId, accountId), eq(idempotency.key, key)))
    .run();
}

/** The order keeps the text of it, which its attempt goes by. */
function deletePlacingKey(store: Store, accountId: string, key: string): void {
  store
    .update(orders)
    .set({ fingerprint: null, answerStatus: null, answerBody: null })
    .where(and(eq(orders.accountId, accountId), eq(orders.idempotencyKey, key), isNotNull(orders.fingerprint)))
    .run();
}
