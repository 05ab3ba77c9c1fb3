import { ApiError } from "../core/errors.ts";
import {
  OPERATION_ACTIONS,
  OPERATION_STATUSES,
  type OperationAction,
  type OperationStatus,
} from "../core/operation.ts";
import { pageLooked } from "../core/page.ts";
import { isoTime, listText, operationResource, operationText } from "../core/resource.ts";
import { isUuid } from "../core/uuid.ts";
import type { With } from "../deps.ts";
import {
  findOperation,
  listOperations as listStored,
  lookForOperations,
  type StoredOperation,
} from "../store/operations.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { filterOf, UNFILTERED, type WantedFilter } from "./list-filter.ts";

export type ListOperations = {
  /** Null for all. */
  action: string | null;
  status: string | null;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
  /** Left out for all. */
  filter?: WantedFilter;
};

/** `GET /v1/operations`: newest first; the cursor is the id of an operation of this account. */
export function listOperations(deps: With<"markets" | "store">, caller: Caller, wanted: ListOperations): ReadAnswer {
  const { cursor, limit } = wanted;
  const action = requireAction(wanted.action);
  const status = requireStatus(wanted.status);
  const accountId = caller.account.id;
  const after = cursor === null ? null : findOperation(deps.store, cursor.toLowerCase());
  if (cursor !== null && after?.accountId !== accountId) {
    throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
  }
  const filter = filterOf(deps, caller, wanted.filter ?? UNFILTERED);
  const asked = { accountId, action, status, after, limit };
  const looked =
    filter === null
      ? { rows: listStored(deps.store, asked), lookedTo: null }
      : lookForOperations(deps.store, { ...asked, filter });
  const page = pageLooked(looked, limit, (operation) => operation.id);
  return { body: listText(page.rows.map(listedOperation), page.nextCursor), asOfMs: null };
}

/** What the operation of the specification has, and what it was about: each member only where its action has it. */
export function listedOperation(operation: StoredOperation) {
  // Our own text: what each verb has put there.
  const asked = JSON.parse(operation.parameters) as OperationParameters;
  return {
    ...operationResource(operation),
    market: operation.market,
    key_hash: operation.keyHash,
    leverage: asked.leverage ?? null,
    margin_type: asked.margin_type ?? null,
    amount: asked.amount ?? null,
    side: asked.side ?? null,
    size: asked.size ?? null,
    duration_minutes: asked.duration_minutes ?? null,
    randomize: asked.randomize ?? null,
    reduce_only: asked.reduce_only ?? null,
    twap_id: asked.twap_id === undefined ? null : String(asked.twap_id),
    created_at: isoTime(operation.createdAtMs),
  };
}

type OperationParameters = {
  leverage?: number;
  margin_type?: "cross" | "isolated";
  amount?: string;
  side?: "buy" | "sell";
  size?: string;
  duration_minutes?: number;
  randomize?: boolean;
  reduce_only?: boolean;
  twap_id?: number;
};

function requireAction(text: string | null): OperationAction | null {
  const action = OPERATION_ACTIONS.find((known) => known === text) ?? null;
  if (action !== null || text === null) return action;
  throw new ApiError("invalid_parameter", `\`action\` is one of ${OPERATION_ACTIONS.join(", ")}.`);
}

function requireStatus(text: string | null): OperationStatus | null {
  const status = OPERATION_STATUSES.find((known) => known === text) ?? null;
  if (status !== null || text === null) return status;
  throw new ApiError("invalid_status", `\`status\` is one of ${OPERATION_STATUSES.join(", ")}.`);
}

/** `GET /v1/operations/{id}`. Never asks the exchange: an unknown one is being settled in the background. */
export function getOperation(deps: With<"store">, caller: Caller, givenId: string): ReadAnswer {
  const id = givenId.toLowerCase();
  if (!isUuid(id)) throw new ApiError("invalid_id", "`id` is the UUID of an operation.");
  const operation = findOperation(deps.store, id);
  if (operation === null || operation.accountId !== caller.account.id) {
    throw new ApiError("operation_not_found", "There is no such operation on this account.");
  }
  return { body: operationText(operation), asOfMs: null };
}
