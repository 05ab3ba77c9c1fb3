import { ApiError } from "../core/errors.ts";
import {
  OPERATION_ACTIONS,
  OPERATION_STATUSES,
  type OperationAction,
  type OperationStatus,
} from "../core/operation.ts";
import { pageOf } from "../core/page.ts";
import { listText, operationResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findOperation, listOperations as listStored } from "../store/operations.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";

/** `GET /v1/operations`: newest first; the cursor is the id of an operation of this account. */
export function listOperations(
  deps: With<"store">,
  caller: Caller,
  wanted: { action: string | null; status: string | null; cursor: string | null; limit: number },
): ReadAnswer {
  const { cursor, limit } = wanted;
  const action = requireAction(wanted.action);
  const status = requireStatus(wanted.status);
  const accountId = caller.account.id;
  const after = cursor === null ? null : findOperation(deps.store, cursor.toLowerCase());
  if (cursor !== null && after?.accountId !== accountId) {
    throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
  }
  const page = pageOf(
    listStored(deps.store, { accountId, action, status, after, limit }),
    limit,
    (operation) => operation.id,
  );
  return { body: listText(page.rows.map(operationResource), page.nextCursor), asOfMs: null };
}

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
