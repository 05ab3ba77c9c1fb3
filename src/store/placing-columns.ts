/**
 * An order that is placed through the API is one row: beside the order stand the key of the request, the first leg and
 * the attempt that places it. Keys, legs and attempts of all else have tables of their own. Here is how they are written
 * into it; they are read through `schema-views`, which has both.
 */
import type { Attempt } from "../core/attempt.ts";
import type { KeyRecord } from "../core/idempotency.ts";
import type { Leg, Trigger } from "../core/order.ts";
import type { legs, orders } from "./schema.ts";

type OrderColumns = typeof orders.$inferSelect;

/** Columns of the key, beside its text, which is a column of the order. */
const KEY = ["fingerprint", "answerStatus", "answerBody"] as const;
const ATTEMPT = [
  "signer",
  "nonce",
  "expiresAtMs",
  "vaultAddress",
  "action",
  "attemptState",
  "attemptedAtMs",
  "sentAtMs",
  "noops",
  "seal",
  "hasLanded",
  "negatives",
  "answerText",
  "settledAtMs",
] as const;

/** Columns that say how the first leg stands. */
const LEG_STANDING = [
  "legState",
  "legFilledSize",
  "legFilledNotional",
  "legReason",
  "legIsExchangesWord",
  "legAbsence",
] as const;

/** Columns of the first leg; all of them may change. */
export const LEG = [
  "legOid",
  "legSize",
  "legPrice",
  "legTimeInForce",
  "legTriggerPrice",
  "legTriggerKind",
  "legTriggerMarket",
  ...LEG_STANDING,
] as const;

/** Columns that say what has become of an order: all that change but its terms. */
export const OUTCOME = [
  "status",
  "exchangeOrderId",
  "filledSize",
  "averagePrice",
  "error",
  "seenAtMs",
  "releasedAtMs",
] as const;

/**
 * Columns that the end of a placing changes: those of its order's outcome, its leg, attempt and key; never the terms.
 */
export const ENDING = [
  ...OUTCOME,
  "legOid",
  ...LEG_STANDING,
  "attemptState",
  "sentAtMs",
  "settledAtMs",
  "answerStatus",
  "answerBody",
] as const;

type KeyColumns = Pick<OrderColumns, (typeof KEY)[number]>;
type AttemptColumns = Pick<OrderColumns, (typeof ATTEMPT)[number]>;

type LegColumns = Pick<OrderColumns, (typeof LEG)[number]>;

/**
 * Columns of the key that asked for an order. A key that answers with a batch has a row of its own. The key is as old
 * as its order.
 */
export function keyColumns(
  order: { idempotencyKey: string | null },
  { idempotencyKey, fingerprint, resource, answer }: KeyRecord,
): KeyColumns {
  if (idempotencyKey !== order.idempotencyKey) throw new Error("bug: not the key of this order");
  return {
    fingerprint: resource.kind === "order" ? fingerprint : null,
    answerStatus: answer?.status ?? null,
    answerBody: answer?.body ?? null,
  };
}

/** Columns of the key of an order that was placed elsewhere. */
export const NO_KEY: KeyColumns = { fingerprint: null, answerStatus: null, answerBody: null };

export function attemptColumns(attempt: Omit<Attempt, "id">): AttemptColumns {
  const { signer, nonce, expiresAtMs, vaultAddress, action, sentAtMs, noops } = attempt;
  const { seal, hasLanded, negatives, answerText, settledAtMs } = attempt;
  return {
    signer,
    nonce,
    expiresAtMs,
    vaultAddress,
    action,
    sentAtMs,
    noops,
    seal,
    hasLanded,
    negatives,
    answerText,
    settledAtMs,
    attemptState: attempt.state,
    attemptedAtMs: attempt.createdAtMs,
  };
}

/** Columns of an order without an attempt: refused here, placed elsewhere, or its attempt was taken back. */
export const NO_ATTEMPT: AttemptColumns = {
  signer: null,
  nonce: null,
  expiresAtMs: null,
  vaultAddress: null,
  action: null,
  sentAtMs: null,
  noops: null,
  seal: null,
  hasLanded: null,
  negatives: null,
  answerText: null,
  settledAtMs: null,
  attemptState: null,
  attemptedAtMs: null,
};

export function legColumns(leg: Leg): LegColumns {
  const { triggerPrice, triggerKind, triggerMarket } = triggerColumns(leg.trigger);
  return {
    legOid: leg.oid,
    legSize: leg.size,
    legPrice: leg.price,
    legTimeInForce: leg.timeInForce,
    legTriggerPrice: triggerPrice,
    legTriggerKind: triggerKind,
    legTriggerMarket: triggerMarket,
    legState: leg.state,
    legFilledSize: leg.filledSize,
    legFilledNotional: leg.filledNotional,
    legReason: leg.reason,
    legIsExchangesWord: leg.isExchangesWord,
    legAbsence: leg.absence,
  };
}

/** Columns of an order without a first leg in its row: refused here, or its legs have rows of their own. */
export const NO_LEG: LegColumns = {
  legOid: null,
  legSize: null,
  legPrice: null,
  legTimeInForce: null,
  legTriggerPrice: null,
  legTriggerKind: null,
  legTriggerMarket: null,
  legState: null,
  legFilledSize: null,
  legFilledNotional: null,
  legReason: null,
  legIsExchangesWord: null,
  legAbsence: null,
};

/** How a trigger stands in a row: three columns, all null where there is none. */
type TriggerColumns = Pick<typeof legs.$inferSelect, "triggerPrice" | "triggerKind" | "triggerMarket">;

export function toTrigger({ triggerPrice, triggerKind, triggerMarket }: TriggerColumns): Trigger | null {
  if (triggerPrice === null || triggerKind === null) return null;
  return { price: triggerPrice, kind: triggerKind, market: triggerMarket ?? false };
}

export function triggerColumns(trigger: Trigger | null): TriggerColumns {
  return {
    triggerPrice: trigger?.price ?? null,
    triggerKind: trigger?.kind ?? null,
    triggerMarket: trigger?.market ?? null,
  };
}
