import { alarmIn } from "../core/alarm.ts";
import { ApiError } from "../core/errors.ts";
import { decide, type KeyAnswer, type KeyRecord } from "../core/idempotency.ts";
import { batchText, operationText, orderText } from "../core/resource.ts";
import type { RunningAnswer, ToWrite, With } from "../deps.ts";
import { cancelAllShown } from "../settle/cancel-all/covered.ts";
import { NOT_LOOKED_AT } from "../settle/pre-trade/obstacles.ts";
import { listBatch, listUnsettledOfBatch } from "../store/batches.ts";
import { findCancelAll } from "../store/cancel-alls.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import type { Store } from "../store/open.ts";
import { findOperation } from "../store/operations.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { adoptKey } from "./adopt.ts";
import type { Caller } from "./caller.ts";
import { contradicted } from "./contradicted.ts";
import { differences } from "./differences.ts";
import type { Write } from "./verb.ts";

/** Of a batch: the key places an order for each of those that its body asks for. */
export const BATCH_ROUTE = "POST /v1/orders/batch";

/** What every write carries besides its own terms. */
export type WriteKey = {
  idempotencyKey: string;
  /** Pure function of the request, made before anything is looked up. */
  fingerprint: string;
};

/** What a write is answered with; `body` is JSON text and goes out as it is. */
export type WriteAnswer = RunningAnswer & {
  /** True when this key has been answered (or is being answered) by an earlier request. */
  isReplay: boolean;
};

/**
 * Answers a write whose key has been used: replayed, joined while it runs, or as the row stands. Null when the
 * key is free. Throws `idempotency_key_reused` for another request under the same key.
 */
export async function answerEarlier(deps: ToWrite, caller: Caller, write: Write): Promise<WriteAnswer | null> {
  await adoptKey(deps, write, successOf(write));
  const record = findKeyRecord(deps.store, write.accountId, write.key);
  if (record === null) return null;
  caller.charge("reads");
  return answerRecord(deps, record, write);
}

/** What a write answers when it is settled: a new order is created, everything else is done. */
function successOf({ route }: Write): 200 | 201 {
  return CREATES.has(route) ? 201 : 200;
}

const CREATES: ReadonlySet<string> = new Set([
  "POST /v1/orders",
  "POST /v1/orders/market",
  "POST /v1/positions/close",
  BATCH_ROUTE,
]);

/** The answer that a stored key gives to a request. */
export async function answerRecord(
  deps: With<"running" | "state" | "store">,
  record: KeyRecord,
  write: Write,
): Promise<WriteAnswer> {
  switch (decide(record, write.fingerprint)) {
    case "reused":
      throw new ApiError("idempotency_key_reused", reusedMessage(deps.store, record, write));
    case "replay":
      return { ...(contradicted(deps.store, record) ?? storedAnswer(record)), isReplay: true };
    case "as_it_stands": {
      const joined = deps.running.join(record.accountId, record.key);
      if (joined !== null) return { ...(await joined), isReplay: true };
      // It may have been settled since the record was read.
      const now = findKeyRecord(deps.store, record.accountId, record.key) ?? record;
      if (now.answer !== null) return { ...now.answer, isReplay: true };
      requireLookedAt(deps);
      return { ...asItStands(deps.store, now.resource), isReplay: true };
    }
    case "first":
      throw new Error("bug: a stored key cannot be a first one");
  }
}

/**
 * A power cut may have taken an outcome that was told already, and that one look gives back: until each has been looked
 * at, `unknown` would be a step back from it.
 */
function requireLookedAt({ state: { phase } }: With<"state">): void {
  const isLooking = phase === "trial" || phase === "opening" || phase === "starting";
  if (isLooking) throw new ApiError("not_ready", NOT_LOOKED_AT);
}

function reusedMessage(store: Store, record: KeyRecord, write: Write): string {
  const names = record.route === write.route ? differences(store, record, write.asked) : [];
  const other = names.length === 0 ? "with other parameters" : `with another ${names.join(", ")}`;
  const what = record.route === write.route ? other : `for ${record.route}`;
  return `This Idempotency-Key has been used ${what}. Nothing was sent. Use a new key for a new action.`;
}

function storedAnswer(record: KeyRecord): KeyAnswer {
  if (record.answer === null) throw new Error("bug: no answer stored");
  return record.answer;
}

/** 202: the order or operation as it stands, shown as `unknown` while this write's own outcome is. */
export function asItStands(store: Store, resource: KeyRecord["resource"]): RunningAnswer {
  if (resource.kind === "operation") {
    const operation = findOperation(store, resource.id);
    if (operation === null) throw new Error("bug: a key without its operation");
    const error = operation.error ?? NOT_KNOWN;
    return { status: 202, body: operationText({ ...operation, status: "unknown", error }) };
  }
  if (resource.kind === "batch") return batchAsItStands(store, resource.id);
  if (resource.kind === "cancel_all") return cancelAllAsItStands(store, resource.id);
  const order = findOrder(store, resource.id);
  if (order === null) throw new Error("bug: a key without its order");
  return { status: 202, body: orderText(asUnknown(order)) };
}

function asUnknown(order: StoredOrder): StoredOrder {
  const error = order.status === "unknown" ? order.error : (alarmIn(order.error) ?? NOT_KNOWN);
  return { ...order, status: "unknown", error };
}

/** Its own status says whether it is done. */
function cancelAllAsItStands(store: Store, id: string): RunningAnswer {
  const row = findCancelAll(store, id);
  if (row === null) throw new Error("bug: a key without its cancel-all");
  return { status: row.doneAtMs === null ? 202 : 200, body: JSON.stringify(cancelAllShown(store, row)) };
}

/** What of it is known is told as it is. */
function batchAsItStands(store: Store, batchId: string): RunningAnswer {
  const orders = listBatch(store, batchId);
  const unsettled = new Set(listUnsettledOfBatch(store, batchId));
  const shown = orders.map((order) => (unsettled.has(order.id) ? asUnknown(order) : order));
  return { status: 202, body: batchText(shown) };
}

const NOT_KNOWN = "the outcome of this request is not known yet; it is being looked up";
