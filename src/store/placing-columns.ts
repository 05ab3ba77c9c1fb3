/**
 * An order that is placed through the API is one row: beside the order stand the key of the request and the attempt that
 * places it. Keys and attempts of all else have tables of their own.
 */
import type { Attempt } from "../core/attempt.ts";
import { cloidOf } from "../core/cloid.ts";
import type { KeyRecord } from "../core/idempotency.ts";
import { columnsOf } from "./prepared.ts";
import { orders } from "./schema.ts";

/** The key is as old as its order, which is what it answers with. */
export type PlacingKey = Pick<KeyRecord, "key" | "fingerprint" | "answer">;

/** What placed an order, as far as it was placed through the API and came to that. */
export type Placing = { key: PlacingKey | null; attempt: Omit<Attempt, "id"> | null };

type Row = typeof orders.$inferSelect;

const KEY = ["idempotencyKey", "fingerprint", "answerStatus", "answerBody"] as const;
const ATTEMPT = [
  ...(["signer", "nonce", "expiresAtMs", "vaultAddress", "action", "attemptState", "attemptedAtMs"] as const),
  ...(["sentAtMs", "noops", "seal", "hasLanded", "negatives", "answerText", "settledAtMs"] as const),
] as const;

type KeyColumns = Pick<Row, (typeof KEY)[number]>;
type AttemptColumns = Pick<Row, (typeof ATTEMPT)[number]>;

export function placingColumns({ key, attempt }: Placing): KeyColumns & AttemptColumns {
  return {
    idempotencyKey: key?.key ?? null,
    fingerprint: key?.fingerprint ?? null,
    answerStatus: key?.answer?.status ?? null,
    answerBody: key?.answer?.body ?? null,
    ...(attempt === null ? NO_ATTEMPT : attemptColumns(attempt)),
  };
}

function attemptColumns(attempt: Omit<Attempt, "id">): AttemptColumns {
  const { signer, nonce, expiresAtMs, vaultAddress, action, sentAtMs, noops } = attempt;
  const { seal, hasLanded, negatives, answerText, settledAtMs } = attempt;
  return {
    ...{ signer, nonce, expiresAtMs, vaultAddress, action, sentAtMs, noops },
    ...{ seal, hasLanded, negatives, answerText, settledAtMs },
    attemptState: attempt.state,
    attemptedAtMs: attempt.createdAtMs,
  };
}

/** An order without one: refused here, placed elsewhere, or its attempt was taken back. */
export const NO_ATTEMPT: AttemptColumns = {
  ...{ signer: null, nonce: null, expiresAtMs: null, vaultAddress: null, action: null, sentAtMs: null, noops: null },
  ...{ seal: null, hasLanded: null, negatives: null, answerText: null, settledAtMs: null },
  ...{ attemptState: null, attemptedAtMs: null },
};

/** What an attempt is read from. */
export const ATTEMPT_COLUMNS = columnsOf(orders, ["number", "id", "accountId", "idempotencyKey", ...ATTEMPT]);

/** The attempt that stands in an order's row; null when there is none. */
export function placingAttempt(row: Pick<Row, keyof typeof ATTEMPT_COLUMNS>): Attempt | null {
  const { number, id, accountId, idempotencyKey, attemptState, attemptedAtMs, ...rest } = row;
  const { signer, nonce, expiresAtMs, action, noops, hasLanded, negatives } = rest;
  if (attemptState === null) return null;
  if (attemptedAtMs === null || idempotencyKey === null || signer === null || nonce === null) throw halfAnAttempt();
  if (expiresAtMs === null || action === null || noops === null) throw halfAnAttempt();
  if (hasLanded === null || negatives === null) throw halfAnAttempt();
  return {
    ...rest,
    ...{ signer, nonce, expiresAtMs, action, noops, hasLanded, negatives },
    ...{ id: number, kind: "place", accountId, resource: { kind: "order", id }, idempotencyKey },
    ...{ cloid: cloidOf(id), targetOid: null, isTargetClosed: false, intendedTotal: null },
    ...{ state: attemptState, createdAtMs: attemptedAtMs },
  };
}

function halfAnAttempt(): Error {
  return new Error("bug: half an attempt in an order's row");
}
