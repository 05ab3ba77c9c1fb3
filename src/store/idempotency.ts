import { and, eq } from "drizzle-orm";
import type { KeyRecord } from "../core/idempotency.ts";
import type { Store } from "./open.ts";
import { idempotency } from "./schema.ts";

function toRecord(row: typeof idempotency.$inferSelect): KeyRecord {
  const { resourceKind, resourceId, answerStatus, answerBody, ...rest } = row;
  const answer = answerStatus === null || answerBody === null ? null : { status: answerStatus, body: answerBody };
  return { ...rest, resource: { kind: resourceKind, id: resourceId }, answer };
}

export function findKeyRecord(store: Store, accountId: string, key: string): KeyRecord | null {
  const row = store
    .select()
    .from(idempotency)
    .where(and(eq(idempotency.accountId, accountId), eq(idempotency.key, key)))
    .get();
  return row === undefined ? null : toRecord(row);
}

export function insertKeyRecord(store: Store, record: KeyRecord): void {
  const { resource, answer, ...rest } = record;
  store
    .insert(idempotency)
    .values({
      ...rest,
      resourceKind: resource.kind,
      resourceId: resource.id,
      answerStatus: answer?.status ?? null,
      answerBody: answer?.body ?? null,
    })
    .run();
}

/** Fixes what every repeat of the key gets from now on, once. */
export function storeAnswer(
  store: Store,
  key: { accountId: string; key: string },
  answer: { status: 200 | 201; body: string },
): void {
  const record = findKeyRecord(store, key.accountId, key.key);
  if (record === null || record.answer !== null) return;
  store
    .update(idempotency)
    .set({ answerStatus: answer.status, answerBody: answer.body })
    .where(and(eq(idempotency.accountId, key.accountId), eq(idempotency.key, key.key)))
    .run();
}

/** Gives a key back: only when it is proven that its request sent nothing. */
export function deleteKeyRecord(store: Store, accountId: string, key: string): void {
  store
    .delete(idempotency)
    .where(and(eq(idempotency.accountId, accountId), eq(idempotency.key, key)))
    .run();
}
