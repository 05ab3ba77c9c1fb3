import { ApiError } from "../core/errors.ts";
import { pageOf } from "../core/page.ts";
import { listText, operationResource } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import { findOperation, listOperations as listStored } from "../store/operations.ts";
import type { Caller, ReadAnswer } from "./answer.ts";

/** `GET /v1/operations`: newest first; the cursor is the id of an operation of this account. */
export function listOperations(
  deps: Deps,
  caller: Caller,
  { cursor, limit }: { cursor: string | null; limit: number },
): ReadAnswer {
  const accountId = caller.account.id;
  const after = cursor === null ? null : findOperation(deps.store, cursor.toLowerCase());
  if (cursor !== null && after?.accountId !== accountId) {
    throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
  }
  const page = pageOf(listStored(deps.store, { accountId, after, limit }), limit, (operation) => operation.id);
  return { body: listText(page.rows.map(operationResource), page.nextCursor), asOfMs: null };
}
