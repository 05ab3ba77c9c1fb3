import { and, eq, isNull, sql } from "drizzle-orm";
import type { KeyRecord } from "../core/idempotency.ts";
import type { Store } from "./open.ts";
import { assignments, placeholders, prepared, preparedChange } from "./prepared.ts";
import { idempotency } from "./schema.ts";

function toRecord(row: typeof idempotency.$inferSelect): KeyRecord {
  const { resourceKind, resourceId, answerStatus, answerBody, ...rest } = row;
  const answer = answerStatus === null || answerBody === null ? null : { status: answerStatus, body: answerBody };
  return { ...rest, resource: { kind: resourceKind, id: resourceId }, answer };
}

const isKey = and(eq(idempotency.accountId, sql.placeholder("accountId")), eq(idempotency.key, sql.placeholder("key")));
const byKey = prepared((store) => store.select().from(idempotency).where(isKey).prepare());
const insert = prepared((store) => store.insert(idempotency).values(placeholders(idempotency)).prepare());

export function findKeyRecord(store: Store, accountId: string, key: string): KeyRecord | null {
  const row = byKey(store).get({ accountId, key });
  return row === undefined ? null : toRecord(row);
}

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

const fixAnswer = preparedChange((store) =>
  store
    .update(idempotency)
    .set(assignments(idempotency, ["answerStatus", "answerBody"]))
    .where(and(isKey, isNull(idempotency.answerBody)))
    .prepare(),
);

/** Fixes what every repeat of the key gets from now on, once; false when that is fixed already. */
export function storeAnswer(
  store: Store,
  key: { accountId: string; key: string },
  answer: { status: 200 | 201; body: string },
): boolean {
  return fixAnswer(store)({ ...key, answerStatus: answer.status, answerBody: answer.body }).rows === 1;
}

/** Lets a key that has no answer yet answer with another order: the one that it placed after the snapshot. */
export function passKeyOn(store: Store, key: { accountId: string; key: string }, orderId: string): void {
  store
    .update(idempotency)
    .set({ resourceKind: "order", resourceId: orderId })
    .where(
      and(eq(idempotency.accountId, key.accountId), eq(idempotency.key, key.key), isNull(idempotency.answerStatus)),
    )
    .run();
}

/** Gives a key back: only when it is proven that its request sent nothing. */
export function deleteKeyRecord(store: Store, accountId: string, key: string): void {
  store
    .delete(idempotency)
    .where(and(eq(idempotency.accountId, accountId), eq(idempotency.key, key)))
    .run();
}
