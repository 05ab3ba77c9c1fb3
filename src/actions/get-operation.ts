import { ApiError } from "../core/errors.ts";
import { operationText } from "../core/resource.ts";
import { isUuid } from "../core/uuid.ts";
import type { With } from "../deps.ts";
import { findOperation } from "../store/operations.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";

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
